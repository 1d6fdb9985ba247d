// Owns a budget for doors that ask for no key: so many a minute from one source address.
// states-and-events.md 11.2 bounds the mails; this bounds the rows and the work that a stranger can cause with forms. It is
// kept by each gateway for itself: these doors must open also while nobody else can be asked, above all the one that ends
// mails, and a few times the bound does no harm.

export type SourceBudget = {
  /** Charges one; gives 0, or the seconds to wait where the budget of the source is used up. */
  take(source: string): number
  /** Takes a charge back: it was not the kind that is bounded. */
  giveBack(source: string): void
}

type Window = { endsAt: number; taken: number }

const WINDOW_MS = 60_000
const SOURCES_MAX = 10_000 // The oldest window goes first; about 100 bytes each.

export function openSourceBudget(max: number, clock = () => performance.now()): SourceBudget {
  const windows = new Map<string, Window>() // In the order in which they began.
  return {
    take(source) {
      const now = clock()
      const window = windows.get(source)
      if (window === undefined || window.endsAt <= now) {
        begin(source, now)
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

  function begin(source: string, now: number): void {
    windows.delete(source)
    const oldest = windows.size >= SOURCES_MAX ? windows.keys().next().value : undefined
    if (oldest !== undefined) windows.delete(oldest)
    windows.set(source, { endsAt: now + WINDOW_MS, taken: 1 })
  }
}
