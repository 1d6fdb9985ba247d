// What clients may see of a fault: how many calls may fail, how soon all must be well again, which answers are honest.
import type { Call, Kind } from './traffic.ts'

export type Figures = {
  fault: string
  calls: number
  failed: number
  byKind: string
  slowestMs: number
  /** From the moment when what was broken was back, or from a death, to the last failed call. */
  healthyMs: number
  breaches: string[]
}
/** What may be seen of a fault. */
export type Bounds = {
  /** How many calls may fail; null where an outage fails all of them, which then must fail fast. */
  failedMax: number | null
  healthyMsMax: number
  /** How many must fail at least, or there was no fault. */
  failedMin?: number
  /** Which calls may fail at all; all kinds where it is absent. */
  mayFail?: Kind[]
  /** Of each kind, while the fault lasts. */
  failedShareMax?: number
  /** The longest time in which no call of a kind succeeds while the fault lasts: above it, a partial failure is an outage. */
  deadMsMax?: number
  /** Only calls through the gateway that was broken may fail. */
  onlyItsOwn?: boolean
  slowestMsMax?: number
}
/** When the fault began, when what was broken was back, the gateway that was broken, and breaches beside the calls. */
export type Happened = { from: number; backAt: number; via?: string; breaches?: string[] }

const FAST_MS = 10_000
const kinds: Kind[] = ['read', 'agent', 'contact', 'order']
// What a fault may look like to a client; anything else (401, 404, 409, an empty page) is a wrong answer.
const honest = /^(500|503|tool 500|reset.*|refused|timeout)$/

/** The figures of one fault from the calls made during it, and the bounds that it broke. */
export function judgeFault(fault: string, all: Call[], happened: Happened, bounds: Bounds): Figures {
  const { from, backAt, via } = happened
  const failed = all.filter(({ outcome }) => outcome !== 'ok')
  const slowestMs = Math.round(Math.max(0, ...all.map(({ ms }) => ms)))
  const healthyMs = Math.max(0, ...failed.map(({ at }) => at - backAt))
  const breaches = [...(happened.breaches ?? [])]
  const dishonest = [...new Set(failed.map(({ outcome }) => outcome).filter((outcome) => !honest.test(outcome)))]
  if (dishonest.length > 0) breaches.push(`wrong answers: ${dishonest.join(', ')}`)
  if (bounds.failedMax !== null && failed.length > bounds.failedMax) {
    breaches.push(`${failed.length} failed calls, at most ${bounds.failedMax} may`)
  }
  const { failedMin = 0 } = bounds
  if (failed.length < failedMin) breaches.push(`${failed.length} calls failed, so there was no fault`)
  const others = bounds.onlyItsOwn === true ? failed.filter((one) => one.via !== via) : []
  if (others.length > 0) breaches.push(`${others.length} calls failed that went through another gateway`)
  if (healthyMs > bounds.healthyMsMax) breaches.push(`well again after ${healthyMs} ms, must be ${bounds.healthyMsMax}`)
  const { slowestMsMax = FAST_MS, mayFail = kinds } = bounds
  if (slowestMs > slowestMsMax) breaches.push(`a call took ${slowestMs} ms`)
  const during = all.filter(({ at }) => at >= from && at <= backAt)
  for (const kind of kinds) {
    const calls = during.filter((one) => one.kind === kind)
    const lost = calls.filter(({ outcome }) => outcome !== 'ok').length
    if (lost > 0 && !mayFail.includes(kind)) breaches.push(`${lost} of ${calls.length} calls failed: ${kind}`)
    const { failedShareMax = 1, deadMsMax = Number.POSITIVE_INFINITY } = bounds
    if (lost > failedShareMax * calls.length) breaches.push(`${lost} of ${calls.length} calls failed: ${kind}`)
    const deadMs = longestWithout(calls, from, backAt)
    if (deadMs > deadMsMax) breaches.push(`no call succeeded for ${deadMs} ms: ${kind}`)
  }
  const groups = Map.groupBy(failed, ({ kind, outcome }) => `${kind} ${outcome}`)
  const byKind = [...groups].map(([name, calls]) => `${calls.length} ${name}`).join(', ')
  return { fault, calls: all.length, failed: failed.length, byKind, slowestMs, healthyMs, breaches }
}

// The longest time in which no call succeeded, by when they were answered.
function longestWithout(calls: Call[], from: number, until: number): number {
  const well = calls.filter(({ outcome }) => outcome === 'ok').map(({ at, ms }) => Math.round(at + ms))
  const moments = [from, ...well.filter((at) => at < until).toSorted((one, other) => one - other), until]
  return Math.max(...moments.map((at, index) => at - (moments[index - 1] ?? at)))
}
