// Writes CSV (RFC 4180) with the guard against formulas, and takes the guard off again. docs/spec/imports.md#formula-text

export type Cell = string | number | boolean | null

/** A line of CSV with its line break; null is an empty cell. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map((cell) => quoted(cell === null ? '' : String(cell))).join(',')}\r\n`
}

/**
 * The text with `'` in front where a spreadsheet would calculate it, and where it would otherwise read like a guarded text.
 * `unguarded` returns exactly the text again.
 */
export function guarded(text: string): string {
  return /^'*[-+=@\t\r]/.test(text) ? `'${text}` : text
}

/** The text that `guarded` took. */
export function unguarded(text: string): string {
  return /^'+[-+=@\t\r]/.test(text) ? text.slice(1) : text
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}
