// The verdict on an attempt and the next step of its delivery, as pure functions: docs/spec/webhooks.md#verdict and #retries.
import type { AttemptResponse } from '#webhook-request/post'
import type { DeliveryConfig } from './delivery-config.ts'
import type { LeasedDelivery } from '../tables.ts'

export type Verdict =
  | { kind: 'delivered' }
  | { kind: 'failed'; pauseS: number | null }
  | { kind: 'gone' }
  | { kind: 'interrupted' }

/** Status, error and `Retry-After` decide, never the body. `nowMs` is the base of a `Retry-After` date where there is no `Date`. */
export function verdictOf(
  response: Pick<AttemptResponse, 'status' | 'error' | 'retryAfter' | 'date'>,
  config: DeliveryConfig,
  nowMs: number,
): Verdict {
  const { status, error } = response
  if (error === 'interrupted') return { kind: 'interrupted' }
  if (error !== null || status === null) return { kind: 'failed', pauseS: null }
  if (status >= 200 && status <= 299) return { kind: 'delivered' }
  if (status === 410) return { kind: 'gone' }
  if (status === 429 || status === 503) return { kind: 'failed', pauseS: pauseOf(response, config, nowMs) }
  return { kind: 'failed', pauseS: null }
}

/** How many steps of the retry schedule a delivery has used, and how often in a row it was interrupted. */
export type Progress = Pick<LeasedDelivery, 'step' | 'interruptions' | 'attempt_kind'>
/** `waitS` null: the delivery stays due when it was due before. */
export type Next =
  | { state: 'delivered' }
  | { state: 'failed' }
  | { state: 'pending'; step: number; interruptions: number; waitS: number | null }

/** The next state of the delivery. `chance` in [0, 1) sets the jitter. */
export function nextOf(verdict: Verdict, progress: Progress, config: DeliveryConfig, chance: number): Next {
  if (verdict.kind === 'delivered') return { state: 'delivered' }
  if (verdict.kind === 'gone') return { state: 'failed' }
  if (verdict.kind === 'interrupted') return afterInterruption(progress, config, chance)
  // Attempts of a recovery drain and on demand leave the retry schedule as it was.
  if (progress.attempt_kind !== 'scheduled')
    return { state: 'pending', step: progress.step, interruptions: 0, waitS: null }
  return afterStep(progress.step + 1, config, chance, verdict.pauseS)
}

function afterInterruption(
  { step, interruptions, attempt_kind }: Progress,
  config: DeliveryConfig,
  chance: number,
): Next {
  if (attempt_kind !== 'scheduled') return { state: 'pending', step, interruptions, waitS: null }
  if (interruptions + 1 >= config.interruptionsMax) return afterStep(step + 1, config, chance, null)
  // Keeps its due time, so that it is sent before deliveries that became due later.
  return { state: 'pending', step, interruptions: interruptions + 1, waitS: null }
}

function afterStep(step: number, config: DeliveryConfig, chance: number, pauseS: number | null): Next {
  const waitS = config.waitsS[step - 1]
  if (waitS === undefined) return { state: 'failed' }
  const withJitter = waitS * (1 + config.jitter * chance)
  return { state: 'pending', step, interruptions: 0, waitS: Math.max(withJitter, pauseS ?? 0) }
}

function pauseOf(
  { retryAfter, date }: Pick<AttemptResponse, 'retryAfter' | 'date'>,
  config: DeliveryConfig,
  nowMs: number,
): number | null {
  if (retryAfter === null) return null
  const text = retryAfter.trim()
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : secondsUntil(text, date, nowMs)
  return seconds === null || seconds <= 0 ? null : Math.min(seconds, config.retryAfterMaxS)
}

// Relative to the `Date` of the response, so that neither clock has to be right.
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
