// A bound for every span of one second, whenever it begins.
const SECOND_MS = 1_000

export type Rate = {
  /** Whether one more is within the bound; it then counts. */
  take(): boolean
}

/** `clock` returns milliseconds. */
export function openRate(most: number, clock: () => number): Rate {
  const times = Array.from({ length: most }, () => Number.NEGATIVE_INFINITY)
  let oldest = 0
  return {
    take() {
      const now = clock()
      if (now - (times[oldest] ?? 0) < SECOND_MS) return false
      times[oldest] = now
      oldest = (oldest + 1) % most
      return true
    },
  }
}
