// Judges calls during a fault: how many may fail, how soon all must be well again, which answers are allowed.
import type { Call } from '../traffic.ts'

export type Figures = {
  calls: number
  failed: number
  byKind: string
  slowestMs: number
  /** From the moment when what was broken was back, or from a death, to the last failed call. */
  healthyMs: number
  breaches: string[]
}
/** What clients may see of a fault. */
export type Bounds = {
  /** How many calls may fail; null where an outage fails all of them, which then must fail fast. */
  failedMax: number | null
  healthyMsMax: number
  /** How many must fail at least, or there was no fault. */
  failedMin?: number
  /** Which kinds of calls may fail at all; all where it is absent. */
  mayFail?: string[]
  /** Of each kind, while the fault lasts. */
  failedShareMax?: number
  /** The longest time in which no call of a kind succeeds while the fault lasts: above it, a partial failure is an outage. */
  deadMsMax?: number
  /** Only calls through the gateway that was broken may fail. */
  onlyItsOwn?: boolean
  slowestMsMax?: number
}
/** When the fault began, when what was broken was back, and the gateway that was broken. */
export type Span = { from: number; backAt: number; via?: string }

const FAST_MS = 10_000
// What a fault may look like to a client; anything else (401, 404, 409, an empty page) is a wrong answer.
const honest = /^(500|503|tool 500|reset.*|refused|timeout)$/

/** The figures of one fault from the calls that began during it, and the bounds that it broke. */
export function judgeCalls(all: Call[], { from, backAt, via }: Span, bounds: Bounds): Figures {
  const { failedMin = 0, slowestMsMax = FAST_MS, failedShareMax = 1, deadMsMax = Number.POSITIVE_INFINITY } = bounds
  const failed = all.filter(isFailed)
  const slowestMs = Math.round(Math.max(0, ...all.map(({ ms }) => ms)))
  const healthyMs = Math.max(0, ...failed.map(({ at }) => at - backAt))
  const dishonest = [...new Set(failed.map(({ outcome }) => outcome).filter((outcome) => !honest.test(outcome)))]
  const others = bounds.onlyItsOwn === true ? failed.filter((one) => one.via !== via) : []
  const breaches: [boolean, string][] = [
    [dishonest.length > 0, `wrong answers: ${dishonest.join(', ')}`],
    [
      failed.length > (bounds.failedMax ?? failed.length),
      `${failed.length} failed calls, at most ${bounds.failedMax} may`,
    ],
    [failed.length < failedMin, `${failed.length} calls failed, so there was no fault`],
    [others.length > 0, `${others.length} calls failed that went through another gateway`],
    [healthyMs > bounds.healthyMsMax, `well again after ${healthyMs} ms, must be ${bounds.healthyMsMax}`],
    [slowestMs > slowestMsMax, `a call took ${slowestMs} ms`],
  ]
  for (const [kind, own] of Map.groupBy(all, (one) => one.kind)) {
    const calls = own.filter(({ at }) => at >= from && at <= backAt)
    const lost = calls.filter(isFailed).length
    const isTooMuch = lost > failedShareMax * calls.length || (lost > 0 && bounds.mayFail?.includes(kind) === false)
    const deadMs = longestWithout(calls, from, backAt)
    breaches.push([isTooMuch, `${lost} of ${calls.length} calls failed: ${kind}`])
    breaches.push([deadMs > deadMsMax, `no call succeeded for ${deadMs} ms: ${kind}`])
  }
  const groups = Map.groupBy(failed, ({ kind, outcome }) => `${kind} ${outcome}`)
  const byKind = [...groups].map(([name, calls]) => `${calls.length} ${name}`).join(', ')
  const broken = breaches.filter(([isBroken]) => isBroken).map(([, line]) => line)
  return { calls: all.length, failed: failed.length, byKind, slowestMs, healthyMs, breaches: broken }
}

function isFailed({ outcome }: Call): boolean {
  return outcome !== 'ok'
}

// The longest time in which no call succeeded, by when they were answered.
function longestWithout(calls: Call[], from: number, until: number): number {
  const well = calls.filter((call) => !isFailed(call)).map(({ at, ms }) => Math.round(at + ms))
  const moments = [from, ...well.filter((at) => at < until).toSorted((one, other) => one - other), until]
  return Math.max(...moments.map((at, index) => at - (moments[index - 1] ?? at)))
}
