// A list of texts, or of names with values, in one cell: `red, blue` and `Size=L, Colour=Blue`. A backslash stands before a comma,
// an equals sign or a backslash that belongs to a text, and before a blank at its end. docs/spec/imports.md#cells-of-our-exports

/** The cell of a list; null for an empty one. */
export function listCell(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.map(escaped).join(', ')
}

/** The list of a cell, or null where a text of it is empty. */
export function listOfCell(cell: string): string[] | null {
  const texts = split(cell, ',').map(plain)
  return texts.includes('') ? null : texts
}

/** The cell of names with values; null for none. */
export function pairsCell(pairs: Readonly<Record<string, string>>): string | null {
  return Object.keys(pairs).length === 0
    ? null
    : Object.entries(pairs)
        .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
        .join(', ')
}

/** The names with values of a cell; null where a part has no name, no value or not exactly one `=`. */
export function pairsOfCell(cell: string): [string, string][] | null {
  const pairs = split(cell, ',').map((part) => split(part, '=').map(plain))
  const isPair = (texts: string[]): texts is [string, string] => texts.length === 2 && !texts.includes('')
  return pairs.every(isPair) ? pairs : null
}

function escaped(text: string): string {
  return text.replaceAll(/[\\,=]/g, String.raw`\$&`).replaceAll(/^\s|\s$/g, String.raw`\$&`)
}

/** The parts between separators that no backslash precedes, as they stand. */
function split(cell: string, separator: string): string[] {
  const parts = ['']
  for (let at = 0; at < cell.length; at += 1) {
    const character = cell[at] ?? ''
    if (character === separator) parts.push('')
    else parts[parts.length - 1] += character === '\\' ? character + (cell[(at += 1)] ?? '') : character
  }
  return parts
}

/** The text of a part: without blanks around it and without backslashes. */
function plain(part: string): string {
  const begin = /^\s*/.exec(part)?.[0].length ?? 0
  let end = part.length
  while (end > begin && /\s/.test(part[end - 1] ?? '') && !isEscaped(part, end - 1)) end -= 1
  return part.slice(begin, end).replaceAll(/\\([^])/g, '$1')
}

function isEscaped(part: string, at: number): boolean {
  let backslashes = 0
  while (part[at - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}
