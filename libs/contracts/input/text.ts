// Text that the database can hold, and the trimming of invisible characters: docs/spec/security.md#text-to-postgresql,
// docs/spec/security.md#tags-email-phone.
import { z } from 'zod'

/** False for text that PostgreSQL cannot hold: with U+0000, or with half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

/** False for text with a line break. */
export function isOneLine(text: string): boolean {
  return !/[\r\n]/.test(text)
}

/** What a refusal says about a name with a line break. */
export const lineBreak = 'must be one line, without CR and LF'

const QUOTED_MAX = 64

/** A text of the caller inside a message, shortened. The request log hides text in quotes. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text)
}

/** What a refusal says about text that is not storable. */
export const unstorable = 'must be text without U+0000 or broken characters'

/** Text of 1 to `max` UTF-16 code units, stored as it came: nothing is trimmed. */
export function storableText(max: number) {
  // `max` measures code points and stands in published schemas; the refinement beside it measures code units.
  return z
    .string()
    .min(1)
    .max(max, { abort: true })
    .refine((text) => text.length <= max, { error: `must be at most ${max} UTF-16 code units long` })
    .refine(isStorable, { error: unstorable })
}

/** Text that may be absent or null; blank text becomes null. Otherwise stored as it came. */
export function optionalText(max: number) {
  return z
    .string()
    .max(max, { abort: true })
    .refine((text) => text.length <= max, { error: `must be at most ${max} UTF-16 code units long`, abort: true })
    .refine(isStorable, { error: unstorable })
    .transform((text) => (trimInvisible(text) === '' ? null : text))
    .nullable()
    .optional()
}

/** The text without white space, format and control characters at both ends; what is inside stays. */
export function trimInvisible(text: string): string {
  // Not by a pattern with `+$`: that takes quadratic time on a long run of spaces inside the text.
  const characters = Array.from(text)
  const first = characters.findIndex(isVisible)
  return first === -1 ? '' : characters.slice(first, characters.findLastIndex(isVisible) + 1).join('')
}

/** The normal form of a tag: NFC, trimmed, lower case; '' when no visible character is left. It is idempotent. */
export function normalTag(text: string): string {
  if (!hasVisibleText(text)) return ''
  // Lower case may leave pairs that compose (`J̌` to `ǰ`), hence the second NFC.
  return trimInvisible(text.normalize('NFC')).toLowerCase().normalize('NFC')
}

/** Whether a text shows something: combining marks are visible only on another character, and some letters are blank by definition. */
export function hasVisibleText(text: string): boolean {
  return /[^\p{White_Space}\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/u.test(text)
}

function isVisible(character: string): boolean {
  return !/[\p{White_Space}\p{Cf}\p{Cc}]/u.test(character)
}
