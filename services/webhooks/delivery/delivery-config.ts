// Owns every number by which deliveries are sent, tried again and given up, in one object, so that a test can run through
// three days in seconds. The values here are the defaults of states-and-events.md 4 to 8; the waits come from the settings.

export type Pace = {
  /** The wait after the first failed attempt, after the second and so on; one more attempt than waits is made. */
  waitsS: number[]
  /** Added to each wait: up to this part of it. */
  jitter: number
  retryAfterMaxS: number
  /** An endpoint is failing after so many failures in a row over so long. */
  failingAfter: number
  failingAfterS: number
  /** It is disabled after so many over so long. */
  disableAfter: number
  disableAfterS: number
  /** How long an endpoint fails until its owner is told, by stages. */
  noticeAfterS: { first: number; second: number }
  /** Deliveries that were given up are told of once in that time. */
  digestS: number
  /** An event that fails holds back later ones of its object so long. */
  holdBackS: number
  /** Longer than the longest attempt, or it is made twice. */
  leaseS: number
  /** So many interruptions in a row use up a step. */
  interruptionsMax: number
  endpointAtOnce: number
  failingAtOnce: number
  shopAtOnce: number
  /** Attempts of one process at once. */
  processAtOnce: number
  /** Deliveries a second of a recovered endpoint, and of a replay. */
  perSecond: number
  /** From the claim until the first packet; later the delivery is given back. */
  beginMs: number
  /** Name, address and TLS. */
  connectMs: number
  /** From the start until the head of the answer. */
  headMs: number
  bodyMs: number
  bodyBytesMax: number
  excerptBytes: number
  pollMs: number
  /** How long attempts under way are waited for at the end of the process. */
  stopMs: number
  /** How long the guard of this process leaves an endpoint alone. */
  guardOpenMs: number
  /** Failures within ten seconds that open the guard. */
  guardVolume: number
}

const DAY_S = 86_400

/** The published pace with the waits of the settings; `changes` are for tests. */
export function makePace(waitsS: number[], changes: Partial<Pace> = {}): Pace {
  return {
    waitsS,
    jitter: 0.2,
    retryAfterMaxS: DAY_S,
    failingAfter: 5,
    failingAfterS: 60,
    disableAfter: 12,
    disableAfterS: 5 * DAY_S,
    noticeAfterS: { first: DAY_S, second: 3 * DAY_S },
    digestS: DAY_S,
    holdBackS: 3_600,
    leaseS: 30,
    interruptionsMax: 3,
    endpointAtOnce: 4,
    failingAtOnce: 1,
    shopAtOnce: 16,
    processAtOnce: 256,
    perSecond: 10,
    beginMs: 1_500,
    connectMs: 5_000,
    headMs: 15_000,
    bodyMs: 1_000,
    bodyBytesMax: 16_384,
    excerptBytes: 2_048,
    pollMs: 1_000,
    stopMs: 15_000,
    guardOpenMs: 2_000,
    guardVolume: 20,
    ...changes,
  }
}
