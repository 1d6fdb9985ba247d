// Owns what the text of one cell means: guarded ids, booleans, whole numbers, tags, countries, slugs.
// import-formats.md, section 1, rows "Apostrophe guard", "Damaged ids", "Booleans", "Tags", "Country".
import { countryFromName, isCountry } from '#contracts/input/country'

/** Without the one leading `'` that spreadsheets put before numbers and formulas. Not for titles, names, descriptions. */
export function unguard(text: string): string {
  return text.startsWith("'") ? text.slice(1).trim() : text
}

/** Whether an id stands in scientific notation (`7.02255E+12`): digits are lost, so it must not be used as a key. */
export function isDamagedId(text: string): boolean {
  return /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i.test(text)
}

/** `true/false`, `yes/no`, `1/0` in any case; null for any other text. */
export function parseBoolean(text: string): boolean | null {
  return booleans.get(text.toLowerCase()) ?? null
}

/** A whole number, zeros behind a point allowed (`-3`, `6.0`); null for any other text or beyond safe integers. */
export function parseWhole(text: string): number | null {
  if (!/^[+-]?\d+(\.0+)?$/.test(text)) return null
  const number = Number(text) + 0 // Turns -0 into 0.
  return Number.isSafeInteger(number) ? number : null
}

/** A comma list: trimmed, lowercased, without repeats and empties. */
export function parseTags(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim().toLowerCase())
  return [...new Set(tags)].filter((tag) => tag !== '')
}

/** ISO 3166-1 alpha-2 of a code or an English name; null when it is neither. */
export function parseCountry(text: string): string | null {
  return isCountry(text) ? text : countryFromName(text)
}

/** A URL segment: letters and digits of any script, lowercase, joined by `-`; `''` when there are none. */
export function toSlug(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join('-')
}

const booleans = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
])
