// How fast an import runs and when it will have ended: over the last seconds while it runs, over the whole of it afterwards.

export type Pace = {
  /** Notes how many records are read; to be called about once a second. */
  note(records: number): void
  /** Records a second, or null before the first are read. */
  recent(): number | null
  whole(): number | null
  /** Seconds to the end at the recent pace, or null where that is not known. */
  eta(total: number | null): number | null
}

const SAMPLES = 11 // Ten seconds of reports.

/** `now` returns milliseconds. */
export function openPace(now: () => number = () => performance.now()): Pace {
  const began = now()
  const samples: { at: number; records: number }[] = [{ at: began, records: 0 }]
  const between = (from: { at: number; records: number }): number | null => {
    const last = samples.at(-1) ?? from
    const seconds = (last.at - from.at) / 1_000
    return seconds > 0 && last.records > from.records ? (last.records - from.records) / seconds : null
  }
  const recent = () => between(samples[0] ?? { at: began, records: 0 })
  return {
    note(records) {
      // Time before the first record is spent on checking the file.
      if (records === 0) samples.length = 0
      samples.push({ at: now(), records })
      if (samples.length > SAMPLES) samples.shift()
    },
    recent: () => rounded(recent()),
    whole: () => rounded(between({ at: began, records: 0 })),
    eta(total) {
      const rate = recent()
      const done = samples.at(-1)?.records ?? 0
      return total === null || rate === null ? null : Math.ceil(Math.max(total - done, 0) / rate)
    },
  }
}

function rounded(rate: number | null): number | null {
  return rate === null ? null : Math.round(rate * 10) / 10
}
