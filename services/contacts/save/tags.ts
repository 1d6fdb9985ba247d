// Tags of contacts: their normal form, merging, and their limits. docs/spec/objects.md#tags,
// docs/spec/rest-api.md#tags-of-a-save. Lists filter by the same normal form.
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isStorable, normalTag } from '#contracts/input/text'

/**
 * The normal form of a tag, or null when nothing is left of it. Idempotent.
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

/** Distinct normal forms in the order of the input. Refuses `invalid_request` where a tag normalises to nothing. */
export function normaliseTags(tags: string[]): string[] {
  return distinct(
    tags.map((text) => {
      const tag = normaliseTag(text)
      if (tag === null) throw refuse('invalid_request', 'A tag must hold at least one visible character.')
      return tag
    }),
  )
}

/** The stored tags in their order, then the added ones, without the removed ones. Takes normal forms. */
export function mergeTags(stored: string[], add: string[], remove: string[]): string[] {
  const removed = new Set(remove)
  return distinct([...stored, ...add]).filter((tag) => !removed.has(tag))
}

/** The first 20 distinct normal forms of a request, and the others. Refuses as `normaliseTags`. */
export function keepTags(tags: string[]): { kept: string[]; dropped: string[] } {
  const all = normaliseTags(tags)
  return { kept: all.slice(0, limits.tagsPerCreate), dropped: all.slice(limits.tagsPerCreate) }
}

/** The part of `add` that fits on a contact beside its stored tags, and the rest. Takes normal forms. */
export function fitTags(stored: string[], add: string[]): { fitting: string[]; overflow: string[] } {
  const known = new Set(stored)
  const overflow = add.filter((tag) => !known.has(tag)).slice(Math.max(0, limits.tagsPerContact - stored.length))
  return { fitting: add.filter((tag) => !overflow.includes(tag)), overflow }
}

function distinct(tags: string[]): string[] {
  return [...new Set(tags)]
}
