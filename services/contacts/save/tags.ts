// Owns tags: their normal form, merging, and how many of a request are kept.
// Spec: POST /contacts (tags), POST /contacts/{id}/tags, rules 1 to 4; Limits. security-and-faults.md, row
// "Tags, email, phone". One normal form serves writing and filtering, so what was stored is always found again.
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isStorable, normalTag } from '#contracts/input/text'

/**
 * The normal form of a tag, or null when nothing is left of it. The normal form of a normal form is itself.
 * Refuses `invalid_request`: more than 64 characters, or text that cannot be stored.
 */
export function normaliseTag(text: string): string | null {
  if (!isStorable(text)) throw refuse('invalid_request', 'A tag must be text without U+0000 or broken characters.')
  const tag = normalTag(text)
  if (Array.from(tag).length > limits.tagLengthMax) {
    throw refuse('invalid_request', `A tag must be at most ${limits.tagLengthMax} characters long.`)
  }
  return tag === '' ? null : tag
}

/** Distinct normal forms in the order given. Refuses `invalid_request` where a tag normalises to nothing. */
export function normaliseTags(tags: string[]): string[] {
  return distinct(
    tags.map((text) => {
      const tag = normaliseTag(text)
      if (tag === null) throw refuse('invalid_request', 'A tag must hold at least one visible character.')
      return tag
    }),
  )
}

/** The tags afterwards, stored order first, then the added ones. Takes normal forms; what is in both lists goes off. */
export function mergeTags(stored: string[], add: string[], remove: string[]): string[] {
  const off = new Set(remove)
  return distinct([...stored, ...add]).filter((tag) => !off.has(tag))
}

/** Normal forms of a create request: the first 20 distinct ones, and the others. Refuses as `normaliseTags`. */
export function keepTags(tags: string[]): { kept: string[]; dropped: string[] } {
  const all = normaliseTags(tags)
  return { kept: all.slice(0, limits.tagsPerCreate), dropped: all.slice(limits.tagsPerCreate) }
}

/** What of `add` fits on a contact beside its stored tags, and what is too much. Takes normal forms. */
export function fitTags(stored: string[], add: string[]): { fitting: string[]; over: string[] } {
  const known = new Set(stored)
  const over = add.filter((tag) => !known.has(tag)).slice(Math.max(0, limits.tagsPerContact - stored.length))
  return { fitting: add.filter((tag) => !over.includes(tag)), over }
}

function distinct(tags: string[]): string[] {
  return [...new Set(tags)]
}
