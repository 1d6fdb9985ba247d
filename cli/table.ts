// Owns how rows are shown: aligned columns on a terminal, tab-separated lines for other programs.

/** Writes a head and rows to stdout. */
export function showTable(head: string[], rows: (string | number | boolean | null | undefined)[][]): void {
  const cells = rows.map((row) => row.map((value) => plain(value ?? '-')))
  if (process.stdout.isTTY !== true) {
    process.stdout.write([head, ...cells].map((row) => `${row.join('\t')}\n`).join(''))
    return
  }
  const widths = head.map((title, index) => Math.max(title.length, ...cells.map((row) => row[index]?.length ?? 0)))
  const line = (row: string[]) =>
    row
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  process.stdout.write(
    `${[line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')}\n`,
  )
}

/** Writes one object to stdout, a line for each field. */
export function showFields(fields: [string, string | number | boolean | null | undefined][]): void {
  const width = Math.max(...fields.map(([name]) => name.length))
  const isTerminal = process.stdout.isTTY === true
  for (const [name, value] of fields) {
    process.stdout.write(`${isTerminal ? name.padEnd(width + 2) : `${name}\t`}${plain(value ?? '-')}\n`)
  }
}

// What shops and files say may hold control characters, which a terminal would obey.
function plain(value: string | number | boolean): string {
  return String(value).replace(/\p{Cc}+/gu, ' ')
}
