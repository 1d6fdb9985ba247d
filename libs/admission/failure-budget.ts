// The budget of failed authentications of a source address, as one gateway keeps it: docs/spec/security.md#auth-failure-budget
//
// Protocol. Failures that the gateway finds by itself (no key, a malformed key, a wrong token of the back office) wait for one common
// report to auth, whose answer has the counts of all gateways and so decides which of them were within the budget. A failure that auth
// finds (an unknown key) is counted by auth, which says when the budget is used up. The gateway refuses a source whose budget is used up
// without a message until its window ends. While auth cannot be asked, the gateway's own count decides.
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { FailureCount } from '#contracts/actions/auth'
import { limits } from '#contracts/limits'
import type { Call } from '#runtime/service'
import { openBatches } from './batches.ts'

const SOURCES_MAX = 10_000 // About 150 bytes each; above it the window that was used least recently is dropped.
const GAP_MS = 20 // Between two reports: however many callers fail, a gateway asks for fifty statements a second.
const REPORT_MS = 1_000
// How long a refusal is held back that the gateway could return at once. Otherwise a few connections that repeat it as fast as they get
// it would take the process's time from everybody.
const REFUSAL_MS = 50

export type FailureBudget = {
  /** Counts a failure of the source. Returns 0, or the milliseconds to wait where its budget was used up before. */
  fail(source: string): Promise<number>
  /** Milliseconds until the source may fail again; 0 where it may now. */
  waitMs(source: string): number
  /** Stores that the budget is used up for so many milliseconds. */
  usedUp(source: string, ms: number): void
}
type Options = { call: Call; failuresMax: number; clock?: () => number }
type Window = { endsAt: number; failures: number }

export function openFailureBudget({ call, failuresMax, clock = () => performance.now() }: Options): FailureBudget {
  const windows = new LRUCache<string, Window>({ max: SOURCES_MAX })
  const report = openBatches<null, number>({
    groupsMax: limits.sourcesAtOnce,
    gapMs: GAP_MS,
    async ask(groups) {
      const failures = groups.map(({ name, items }) => ({ source: name, count: items.length }))
      const sentAt = clock()
      const answer = await call('auth.note_failures', { failures }, { timeoutMs: REPORT_MS }).catch(() => null)
      const counts = new Map((answer as { sources: FailureCount[] } | null)?.sources.map((one) => [one.source, one]))
      return failures.map(({ source, count }) => decide(source, count, counts.get(source), sentAt))
    },
  })

  function failuresOf(source: string): number {
    const window = windows.get(source)
    return window !== undefined && window.endsAt > clock() ? window.failures : 0
  }

  function waitMs(source: string): number {
    return failuresOf(source) < failuresMax ? 0 : (windows.get(source)?.endsAt ?? 0) - clock()
  }

  /** What `fail` returns for each of the failures of a source that were reported together. */
  function decide(source: string, reported: number, count: FailureCount | undefined, sentAt: number): number[] {
    const before = failuresOf(source)
    const endsAt = before > 0 ? (windows.get(source)?.endsAt ?? 0) : sentAt + limits.windowS * 1_000
    const window =
      count === undefined
        ? { endsAt, failures: before + reported }
        : { endsAt: sentAt + count.ms_left, failures: count.failures }
    windows.set(source, window)
    const within = failuresMax - (window.failures - reported)
    const wait = Math.max(1, window.endsAt - clock())
    return Array.from({ length: reported }, (_, index) => (index < within ? 0 : wait))
  }

  return {
    async fail(source) {
      const wait = waitMs(source)
      return wait > 0 ? sleep(REFUSAL_MS, wait, { ref: false }) : report(source, null)
    },
    waitMs,
    usedUp(source, ms) {
      windows.set(source, { endsAt: clock() + ms, failures: failuresMax })
    },
  }
}
