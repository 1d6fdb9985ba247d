// Owns reading a product's description. import-formats.md, section 1, row "HTML".
import type { CsvRecord } from '../reader/csv.ts'
import type { Fields } from '../reader/fields.ts'
import { toPlainText } from './plain-text.ts'

/** Plain text, or null where the cell shows nothing. `unescape` undoes what the format did to the text. */
export function readDescription(
  record: CsvRecord,
  column: string,
  fields: Fields,
  unescape: (text: string) => string = (text) => text,
): string | null {
  const html = fields.text(record, column)
  if (html === null) return null
  const text = toPlainText(unescape(html))
  if (text === null) fields.fail(record, column, 'too_many_tags', 'The description has too many HTML tags.')
  return text || null
}
