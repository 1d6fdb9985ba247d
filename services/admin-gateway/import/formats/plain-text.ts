// Owns turning the HTML of a description into text.
// import-formats.md, section 1, row "HTML".
import { compile, type HtmlToTextOptions } from 'html-to-text'

/** The text of the HTML; `''` when it shows nothing, null when it has more tags than any page a person wrote. */
export function toPlainText(html: string): string | null {
  // Nested tags cost quadratic time: a cell of 1 MB could hold the process for twenty seconds.
  if (tagCount(html) > tagsMax) return null
  // A description without any tag was typed as text: its line breaks are meant.
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
  // Deeper text is dropped: the converter works by recursion.
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
