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
  /** The longest time in which no call of a kind succeeds while the fault lasts: above it, a partial failure is an outage. */
  deadMsMax?: number
  /** Of all reads and tool calls, while the fault lasts; those of commands in its first five seconds, and none of them later. */
  readsFailedShareMax?: number
  commandsFailedShareMax?: number
  /** Calls through the gateways that were broken are not judged: who calls them waits for the balancer before them. */
  withoutItsOwn?: boolean
  /** Only calls through the gateway that was broken may fail. */
  onlyItsOwn?: boolean
  slowestMsMax?: number
}
/** When the fault began, when what was broken was back, and the gateways that were broken. */
export type Span = { from: number; backAt: number; via?: readonly string[] }

const FAST_MS = 10_000
const COMMANDS_MAY_FAIL_MS = 5_000
const readKinds = ['read', 'agent']
// What a fault may look like to a client; anything else (401, 404, 409, an empty page) is a wrong answer.
const honest = /^(500|503|tool 500|reset.*|refused|timeout)$/

/** The figures of one fault from the calls that began during it, and the bounds that it broke. */
export function judgeCalls(made: Call[], { from, backAt, via = [] }: Span, bounds: Bounds): Figures {
  const all = bounds.withoutItsOwn === true ? made.filter((one) => !via.includes(one.via)) : made
  const { failedMin = 0, slowestMsMax = FAST_MS, deadMsMax = Number.POSITIVE_INFINITY } = bounds
  const failed = all.filter(isFailed)
  const slowestMs = Math.round(Math.max(0, ...all.map(({ ms }) => ms)))
  const healthyMs = Math.max(0, ...failed.map(({ at }) => at - backAt))
  const dishonest = [...new Set(failed.map(({ outcome }) => outcome).filter((outcome) => !honest.test(outcome)))]
  const others = bounds.onlyItsOwn === true ? failed.filter((one) => !via.includes(one.via)) : []
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
    const isTooMuch = lost > 0 && bounds.mayFail?.includes(kind) === false
    const deadMs = longestWithout(calls, from, backAt)
    breaches.push([isTooMuch, `${lost} of ${calls.length} calls failed: ${kind}`])
    breaches.push([deadMs > deadMsMax, `no call succeeded for ${deadMs} ms: ${kind}`])
  }
  breaches.push(...sharesOf(all, { from, backAt }, bounds))
  const groups = Map.groupBy(failed, ({ kind, outcome }) => `${kind} ${outcome}`)
  const byKind = [...groups].map(([name, calls]) => `${calls.length} ${name}`).join(', ')
  const broken = breaches.filter(([isBroken]) => isBroken).map(([, line]) => line)
  return { calls: all.length, failed: failed.length, byKind, slowestMs, healthyMs, breaches: broken }
}

function sharesOf(all: Call[], { from, backAt }: Span, bounds: Bounds): [boolean, string][] {
  const { readsFailedShareMax: reads = 1, commandsFailedShareMax: commands } = bounds
  const of = (isRead: boolean, until: number) =>
    all.filter(({ kind, at }) => readKinds.includes(kind) === isRead && at >= from && at <= until)
  const isAbove = (calls: Call[], share: number) => calls.filter(isFailed).length > share * calls.length
  const [read, first] = [of(true, backAt), of(false, from + COMMANDS_MAY_FAIL_MS)]
  const later = of(false, backAt).filter((call) => call.at > from + COMMANDS_MAY_FAIL_MS && isFailed(call)).length
  return [
    [isAbove(read, reads), `${read.filter(isFailed).length} of ${read.length} reads failed`],
    [
      isAbove(first, commands ?? 1),
      `${first.filter(isFailed).length} of ${first.length} commands of the first 5 s failed`,
    ],
    [commands !== undefined && later > 0, `${later} commands failed after the first 5 s`],
  ]
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
