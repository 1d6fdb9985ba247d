// Tags of contacts: their normal form, merging, and their limits. docs/spec/objects.md#tags,
// docs/spec/rest-api.md#tags-of-a-save. Lists filter by the same normal form.
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isStorable, normalTag } from '#contracts/input/text'

/**
 * The normal form of a tag, or null when nothing is left of it. Idempotent. `field` is where the caller wrote it.
 * Refuses `invalid_request`: more than 64 characters, or text that cannot be stored.
 */
export function normaliseTag(text: string, field = 'tags'): string | null {
  if (!isStorable(text)) throw refuseTag('must be text without U+0000 or broken characters', field)
  const tag = normalTag(text)
  if (Array.from(tag).length > limits.tagLengthMax) {
    throw refuseTag(`must be at most ${limits.tagLengthMax} characters long`, field)
  }
  return tag === '' ? null : tag
}

/** Distinct normal forms in the order of the input. Refuses `invalid_request` where a tag normalises to nothing. */
export function normaliseTags(tags: string[], field = 'tags'): string[] {
  return distinct(
    tags.map((text, index) => {
      const tag = normaliseTag(text, `${field}[${index}]`)
      if (tag === null) throw refuseTag('must hold at least one visible character', `${field}[${index}]`)
      return tag
    }),
  )
}

function refuseTag(words: string, field: string) {
  return refuse('invalid_request', `A tag ${words}.`, { field })
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
