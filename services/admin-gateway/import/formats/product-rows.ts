// What all product formats share: descriptions as plain text (docs/spec/imports.md#html) and variants without duplicates
// (docs/spec/imports.md#shopify-products).
import { compile, type HtmlToTextOptions } from 'html-to-text'
import type { CsvRecord } from '../reader/csv.ts'
import type { Fields } from '../reader/fields.ts'
import { addKey } from '../reader/group.ts'
import type { ImportedVariant } from '../reader/item.ts'

/** Plain text, or null where the cell shows nothing. `unescape` removes the format's own escapes. */
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

/** Equal for variants with the same options in any order. */
export function optionsKey(options: ImportedVariant['options']): string {
  return JSON.stringify(options.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Leaves out and reports variants whose options an earlier variant has. */
export function withoutDuplicates<Variant extends ImportedVariant & { record: CsvRecord }>(
  variants: Variant[],
  column: string,
  fields: Fields,
): Variant[] {
  const keys = new Set<string>()
  return variants.filter(({ options, record }) => {
    if (addKey(keys, optionsKey(options))) return true
    const words = 'A variant with these options stands above; this one is left out.'
    fields.error(record, column, 'duplicate_variant', words)
    fields.ignore(1)
    return false
  })
}

/** Keeps only the fields of the catalogue. */
export function toImported({ key, sku, options, price_cents, stock, continue_selling, sold_out }: ImportedVariant) {
  return { key, sku, options, price_cents, stock, continue_selling, sold_out }
}

/** The text of the HTML; `''` when it shows nothing, null when it has too many tags. */
export function toPlainText(html: string): string | null {
  // Nested tags cost quadratic time: a cell of 1 MB could block the process for twenty seconds.
  if (tagCount(html) > tagsMax) return null
  // A description without tags was typed as text, so its line breaks count.
  const text = /<[a-z!/]/i.test(html) ? fromHtml(html) : fromText(html)
  const lines = text.split('\n').map((line) => line.trimEnd())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const tagsMax = 20_000
const list = { format: 'unorderedList', options: { itemPrefix: '- ' } }
const spaced = { format: 'inlineSurround', options: { suffix: ' ' } }
const paragraph = { format: 'block', options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } }
const row = { format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } }

const options: HtmlToTextOptions = {
  wordwrap: false,
  // Deeper text is dropped, because the converter is recursive.
  limits: { maxDepth: 500, ellipsis: '' },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    ...['img', 'template', 'iframe', 'title'].map((selector) => ({ selector, format: 'skip' })),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ...['ul', 'ol'].map((selector) => ({ selector, ...list })),
    ...['td', 'th'].map((selector) => ({ selector, ...spaced })),
    ...['table', 'blockquote', 'hr'].map((selector) => ({ selector, ...paragraph })),
    { selector: 'tr', ...row },
  ],
}

const fromHtml = compile(options)
const fromText = compile({ ...options, preserveNewlines: true })

function tagCount(html: string): number {
  let count = 0
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) count += 1
  return count
}
