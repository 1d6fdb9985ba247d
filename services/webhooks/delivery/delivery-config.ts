// Every schedule, timeout, limit and threshold of the delivery in one object, so that a test can run through three days in
// seconds. The defaults are those of docs/spec/webhooks.md#retries; the retry waits come from the settings.
import { type RequestLimits, requestLimits } from '#webhook-request/post'

export type DeliveryConfig = RequestLimits & {
  /** The wait after each failed attempt, in order; a delivery has one attempt more than there are waits. */
  waitsS: number[]
  /** The largest part of a wait that is added to it at random. */
  jitter: number
  retryAfterMaxS: number
  /** An endpoint is failing after this number of failures in a row over this time. */
  failingAfter: number
  failingAfterS: number
  /** It is disabled after this number over this time. */
  disableAfter: number
  disableAfterS: number
  /** How long an endpoint has failed when its owner gets the first and the second mail. */
  noticeAfterS: { first: number; second: number }
  /** An owner gets at most one mail about failed deliveries in this time. */
  digestS: number
  /** A failing event holds back later events of its object for this time. */
  orderingTimeoutS: number
  /** Must be longer than the longest attempt, or attempts are made twice. */
  leaseS: number
  /** This number of interruptions in a row uses one step of the retry schedule. */
  interruptionsMax: number
  attemptsPerEndpoint: number
  attemptsPerFailingEndpoint: number
  attemptsPerShop: number
  attemptsPerProcess: number
  /** Deliveries per second of a recovery drain, and of a replay. */
  perSecond: number
  /** Time from the claim to the start of the attempt; after it the delivery is released unsent. */
  beginMs: number
  pollMs: number
  /** How long a stopping process waits for attempts under way. */
  stopMs: number
}

const DAY_S = 86_400

/** Returns the default configuration with these retry waits; `overrides` are for tests. */
export function makeDeliveryConfig(waitsS: number[], overrides: Partial<DeliveryConfig> = {}): DeliveryConfig {
  return {
    ...requestLimits,
    waitsS,
    jitter: 0.2,
    retryAfterMaxS: DAY_S,
    failingAfter: 5,
    failingAfterS: 60,
    disableAfter: 12,
    disableAfterS: 5 * DAY_S,
    noticeAfterS: { first: DAY_S, second: 3 * DAY_S },
    digestS: DAY_S,
    orderingTimeoutS: 3_600,
    leaseS: 30,
    interruptionsMax: 3,
    attemptsPerEndpoint: 4,
    attemptsPerFailingEndpoint: 1,
    attemptsPerShop: 16,
    attemptsPerProcess: 256,
    perSecond: 10,
    beginMs: 1_500,
    pollMs: 1_000,
    stopMs: 15_000,
    ...overrides,
  }
}
