// Owns what a country is: a code of ISO 3166-1 alpha-2, or an English name that stands for one.
// Spec: contact, address (`country`); back office: shops (`country`). import-formats.md, section 1, row "Country".
import { countryNames } from './country-names.ts'

/** Whether the text is an assigned ISO 3166-1 alpha-2 code, uppercase. */
export function isCountry(code: string): boolean {
  return Object.hasOwn(countryNames, code)
}

/** The code of a country's English name (`Czech Republic`, `EIRE`, `RSA`), or null for any other text. */
export function countryFromName(name: string): string | null {
  return codeByName.get(levelled(name)) ?? null
}

const codeByName = new Map<string, string>(
  Object.entries(countryNames).flatMap(([code, names]) =>
    names.map((name): [string, string] => [levelled(name), code]),
  ),
)

/** Letters only, without case, accents, articles and short forms: what two spellings of one name share. */
function levelled(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/\bthe\b/g, '')
    .replace(/\bst\b/g, 'saint')
    .replace(/[^\p{L}]/gu, '')
}
