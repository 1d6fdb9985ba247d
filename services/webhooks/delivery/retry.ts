// Owns what an answer means and what comes next: pure, no clock, no I/O. states-and-events.md 4.2, 4.3 and 8.4.
import type { AttemptError } from '#contracts/objects/webhook'
import type { Pace } from './delivery-config.ts'

/** What came back: a status line, or the reason why none did. `nowMs` is when the head came, in milliseconds. */
export type Answer = {
  status: number | null
  error: AttemptError | null
  retryAfter: string | null
  /** The receiver's own clock, for a Retry-After that is a date. */
  date: string | null
  excerpt: string
  durationMs: number
}
export type Verdict =
  | { kind: 'delivered' }
  | { kind: 'failed'; pauseS: number | null }
  | { kind: 'gone' }
  | { kind: 'interrupted' }

/** By the status line alone. `nowMs` serves a Retry-After date where the receiver sent no date of its own. */
export function verdictOf(
  answer: Pick<Answer, 'status' | 'error' | 'retryAfter' | 'date'>,
  pace: Pace,
  nowMs: number,
): Verdict {
  const { status, error } = answer
  if (error === 'interrupted') return { kind: 'interrupted' }
  if (error !== null || status === null) return { kind: 'failed', pauseS: null }
  if (status >= 200 && status <= 299) return { kind: 'delivered' }
  if (status === 410) return { kind: 'gone' }
  if (status === 429 || status === 503) return { kind: 'failed', pauseS: pauseOf(answer, pace, nowMs) }
  return { kind: 'failed', pauseS: null }
}

/** Where a delivery stands: how many steps of the schedule are used, and how often in a row it was interrupted. */
export type Stand = { step: number; interruptions: number; flight: 'scheduled' | 'rush' | 'manual' }
/** `waitS` null: the time that was set before stays. */
export type Next =
  | { state: 'delivered' }
  | { state: 'failed' }
  | { state: 'pending'; step: number; interruptions: number; waitS: number | null }

/** What becomes of the delivery. `chance` in [0, 1) places the jitter. */
export function nextOf(verdict: Verdict, stand: Stand, pace: Pace, chance: number): Next {
  if (verdict.kind === 'delivered') return { state: 'delivered' }
  if (verdict.kind === 'gone') return { state: 'failed' }
  if (verdict.kind === 'interrupted') return afterInterruption(stand, pace, chance)
  // An attempt out of turn leaves the schedule as it was.
  if (stand.flight !== 'scheduled') return { state: 'pending', step: stand.step, interruptions: 0, waitS: null }
  return afterStep(stand.step + 1, pace, chance, verdict.pauseS)
}

function afterInterruption({ step, interruptions, flight }: Stand, pace: Pace, chance: number): Next {
  if (flight !== 'scheduled') return { state: 'pending', step, interruptions, waitS: null }
  if (interruptions + 1 >= pace.interruptionsMax) return afterStep(step + 1, pace, chance, null)
  // Its time is kept: it was due before, and goes before what has become due since.
  return { state: 'pending', step, interruptions: interruptions + 1, waitS: null }
}

function afterStep(step: number, pace: Pace, chance: number, pauseS: number | null): Next {
  const waitS = pace.waitsS[step - 1]
  if (waitS === undefined) return { state: 'failed' }
  const withJitter = waitS * (1 + pace.jitter * chance)
  return { state: 'pending', step, interruptions: 0, waitS: Math.max(withJitter, pauseS ?? 0) }
}

function pauseOf({ retryAfter, date }: Pick<Answer, 'retryAfter' | 'date'>, pace: Pace, nowMs: number): number | null {
  if (retryAfter === null) return null
  const text = retryAfter.trim()
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : secondsUntil(text, date, nowMs)
  return seconds === null || seconds <= 0 ? null : Math.min(seconds, pace.retryAfterMaxS)
}

// A date counts from the receiver's own clock where it tells it: then it does not matter whose clock is wrong.
function secondsUntil(text: string, date: string | null, nowMs: number): number | null {
  const until = httpDate(text)
  if (until === null) return null
  return (until - (httpDate(date ?? '') ?? nowMs)) / 1_000
}

function httpDate(text: string): number | null {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}
