// The budget of failed authentications of a source address, as one gateway keeps it: docs/spec/security.md#auth-failure-budget
//
// Protocol. Failures that the gateway finds by itself (no key, a text that is no key, a wrong token of the back office) wait for one
// common report to auth, whose answer has the counts of all gateways and so decides which of them were within the budget. A failure that
// auth finds (an unknown key) is counted by auth, which tells when the budget is used up. A source whose budget is used up is refused
// here, without a message, until its window ends. While auth cannot be asked, the gateway's own count decides.
import { setTimeout as pause } from 'node:timers/promises'
import type { FailureCount } from '#contracts/actions/auth'
import { limits } from '#contracts/limits'
import type { Call } from '#runtime/service'

const SOURCES_MAX = 10_000 // About 150 bytes each; above it the oldest window is dropped.
const GAP_MS = 20 // Between two reports: however many callers fail, a gateway asks for fifty statements a second.
const REPORT_MS = 1_000
// How long a refusal is held back that the gateway could give at once. Otherwise a few connections that repeat it as fast as they get it
// would take the process's time from everybody.
const REFUSAL_MS = 50

export type FailureBudget = {
  /** Counts a failure of the source. Gives 0, or the milliseconds to wait where its budget was used up before. */
  fail(source: string): Promise<number>
  /** Milliseconds until the source may fail again; 0 where it may now. */
  waitMs(source: string): number
  /** Takes in that the budget is used up for so many milliseconds. */
  usedUp(source: string, ms: number): void
}
type Options = { call: Call; failuresMax: number; clock?: () => number }
type Window = { endsAt: number; failures: number }
type Waiter = (waitMs: number) => void

export function openFailureBudget({ call, failuresMax, clock = () => performance.now() }: Options): FailureBudget {
  const windows = new Map<string, Window>() // In the order in which they began.
  const waiting = new Map<string, Waiter[]>()
  let isReporting = false

  function failuresOf(source: string): number {
    const window = windows.get(source)
    return window !== undefined && window.endsAt > clock() ? window.failures : 0
  }

  function waitMs(source: string): number {
    return failuresOf(source) < failuresMax ? 0 : (windows.get(source)?.endsAt ?? 0) - clock()
  }

  function set(source: string, window: Window): void {
    windows.delete(source)
    const oldest = windows.size >= SOURCES_MAX ? windows.keys().next().value : undefined
    if (oldest !== undefined) windows.delete(oldest)
    windows.set(source, window)
  }

  async function report(): Promise<void> {
    isReporting = true
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, limits.sourcesAtOnce)
      for (const [source] of batch) waiting.delete(source)
      const failures = batch.map(([source, waiters]) => ({ source, count: waiters.length }))
      const sentAt = clock()
      const answer = await call('auth.note_failures', { failures }, { timeoutMs: REPORT_MS }).catch(() => null)
      const counts = new Map((answer as { sources: FailureCount[] } | null)?.sources.map((one) => [one.source, one]))
      for (const [source, waiters] of batch) decide(source, waiters, counts.get(source), sentAt)
      await pause(GAP_MS, undefined, { ref: false })
    }
    isReporting = false
  }

  function decide(source: string, waiters: Waiter[], count: FailureCount | undefined, sentAt: number): void {
    const before = failuresOf(source)
    const endsAt = before > 0 ? (windows.get(source)?.endsAt ?? 0) : sentAt + limits.windowS * 1_000
    const window =
      count === undefined
        ? { endsAt, failures: before + waiters.length }
        : { endsAt: sentAt + count.ms_left, failures: count.failures }
    set(source, window)
    const within = failuresMax - (window.failures - waiters.length)
    for (const [index, resolve] of waiters.entries()) resolve(index < within ? 0 : Math.max(1, window.endsAt - clock()))
  }

  return {
    async fail(source) {
      const wait = waitMs(source)
      if (wait > 0) return pause(REFUSAL_MS, wait, { ref: false })
      return new Promise((resolve) => {
        const waiters = waiting.get(source)
        if (waiters === undefined) waiting.set(source, [resolve])
        else waiters.push(resolve)
        if (!isReporting) void report()
      })
    },
    waitMs,
    usedUp(source, ms) {
      set(source, { endsAt: clock() + ms, failures: failuresMax })
    },
  }
}
