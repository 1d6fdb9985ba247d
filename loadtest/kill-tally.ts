// Owns the count over all rounds, and how it is shown.

export type Tally = {
  answered: number
  refused: number
  found: number
  absent: number
  repeats: number
  importsCut: number
  importsWhole: number
  halfWritten: number
  lost: number
  readyMs: number[]
}

export function openTally(): Tally {
  return {
    ...{ answered: 0, refused: 0, found: 0, absent: 0, repeats: 0, importsCut: 0, importsWhole: 0 },
    ...{ halfWritten: 0, lost: 0, readyMs: [] },
  }
}

/** The table, one line for each count. */
export function tallyTable(tally: Tally): string {
  const sorted = tally.readyMs.toSorted((a, b) => a - b)
  const seconds = (ms: number | undefined) => `${((ms ?? 0) / 1_000).toFixed(1)} s`
  const rows: [string, string | number][] = [
    ['orders answered', tally.answered],
    ['refused for want of stock', tally.refused],
    ['unanswered, found whole', tally.found],
    ['unanswered, absent', tally.absent],
    ['requests repeated', tally.repeats],
    ['imports cut off', tally.importsCut],
    ['imports ended before the kill', tally.importsWhole],
    ['half written', tally.halfWritten],
    ['answered and lost', tally.lost],
    ['time to ready, median', seconds(sorted[Math.floor(sorted.length / 2)])],
    ['time to ready, longest', seconds(sorted.at(-1))],
  ]
  return rows.map(([name, value]) => `  ${name.padEnd(32)}${String(value).padStart(8)}`).join('\n')
}
