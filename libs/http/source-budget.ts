// Budget of requests a minute from one source address, for routes that need no key: docs/spec/double-opt-in.md#form-budget.
// Each gateway keeps its own, so that unsubscribing depends on no other service.
import { LRUCache } from 'lru-cache'

export type SourceBudget = {
  /** Takes one unit. Returns 0, or the seconds to wait where the source has none left. */
  take(source: string): number
  /** Returns one unit, for a request that does not count. */
  giveBack(source: string): void
}

type Window = { endsAt: number; taken: number }

const WINDOW_MS = 60_000
const SOURCES_MAX = 10_000 // About 100 bytes each; above it the window that was used least recently is dropped.

/** A budget of `max` units for each source and minute; `clock` returns milliseconds. */
export function openSourceBudget(max: number, clock = () => performance.now()): SourceBudget {
  const windows = new LRUCache<string, Window>({ max: SOURCES_MAX })
  return {
    take(source) {
      const now = clock()
      const window = windows.get(source)
      if (window === undefined || window.endsAt <= now) {
        windows.set(source, { endsAt: now + WINDOW_MS, taken: 1 })
        return 0
      }
      if (window.taken >= max) return Math.ceil((window.endsAt - now) / 1_000)
      window.taken += 1
      return 0
    },
    giveBack(source) {
      const window = windows.get(source)
      if (window !== undefined && window.taken > 0) window.taken -= 1
    },
  }
}
