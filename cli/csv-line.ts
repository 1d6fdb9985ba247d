// Owns one line of CSV, as every spreadsheet reads it: RFC 4180, CRLF.
// import-formats.md, section 1, row "Formula text": every CSV that we export puts `'` in front of a cell that a spreadsheet
// would calculate.

/** A line with its end; null is an empty cell. */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map((cell) => quoted(cell === null ? '' : String(cell))).join(',')}\r\n`
}

/** The text as data: with `'` in front where it looks like a formula. */
export function guarded(text: string): string {
  return /^[-+=@\t\r]/.test(text) ? `'${text}` : text
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}
