// Owns how figures are shown: one line each, beside what it must be, and whether it is.

/** `holds` undefined: nothing is demanded of it. */
export type Row = { what: string; figure: string; must?: string; holds?: boolean }

/** The value that so large a part of them does not exceed; 0 where there are none. */
export function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? 0
}

/** `p50 / p99` in milliseconds. */
export function halfAndLast(values: number[]): string {
  return `${percentile(values, 0.5).toFixed(1)} / ${percentile(values, 0.99).toFixed(1)} ms`
}

/** The lines of one measurement under its name. */
export function printRows(title: string, rows: Row[]): void {
  const width = Math.max(...rows.map(({ what }) => what.length))
  process.stdout.write(`\n${title}\n`)
  for (const { what, figure, must, holds } of rows) {
    const demand = must === undefined ? '' : `  (must: ${must}${holds === false ? ', NOT REACHED' : ''})`
    process.stdout.write(`  ${what.padEnd(width)}  ${figure}${demand}\n`)
  }
}
