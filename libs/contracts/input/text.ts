// Owns what text may be: storable, and what counts as nothing to see at its ends.
// Contract: security-and-faults.md, rows "Text to Postgres" (U+0000 and lone surrogates are 400, never 500) and
// "Tags, email, phone" (trim of all Unicode space and format characters).
import { z } from 'zod'

/** False for text that Postgres cannot hold: U+0000, or half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

/** Text of 1 to `max` UTF-16 code units, stored as it came: nothing is trimmed. */
export function storableText(max: number) {
  // `max` measures code points and stands in published schemas; the refinement beside it measures code units.
  return z
    .string()
    .min(1)
    .max(max, { abort: true })
    .refine((text) => text.length <= max, { error: `must be at most ${max} UTF-16 code units long` })
    .refine(isStorable, { error: 'must be text without U+0000 or broken characters' })
}

/** Text that may be absent or null; blank text is nothing, so it becomes null. Otherwise stored as it came. */
export function optionalText(max: number) {
  return z
    .string()
    .max(max, { abort: true })
    .refine((text) => text.length <= max, { error: `must be at most ${max} UTF-16 code units long`, abort: true })
    .refine(isStorable, { error: 'must be text without U+0000 or broken characters' })
    .transform((text) => (trimInvisible(text) === '' ? null : text))
    .nullable()
    .optional()
}

/** The text without white space, format and control characters at both ends; what is inside stays. */
export function trimInvisible(text: string): string {
  // Walked, not matched with `+$`: such a pattern takes quadratic time on a long run of spaces inside the text.
  const characters = Array.from(text)
  const first = characters.findIndex(isVisible)
  return first === -1 ? '' : characters.slice(first, characters.findLastIndex(isVisible) + 1).join('')
}

function isVisible(character: string): boolean {
  return !/[\p{White_Space}\p{Cf}\p{Cc}]/u.test(character)
}
