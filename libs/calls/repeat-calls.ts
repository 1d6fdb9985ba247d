// Calls that are asked again while their answer is late: docs/spec/internals.md#late-answers
// NATS gives a call to one replica. When that one hangs, nobody answers until NATS has noticed, so a call that may be repeated is sent
// once more when its answer takes longer than nearly all before it. NATS then chooses a replica anew, and the first answer counts. Further
// repeats follow after twice the time, so that one of them comes when the hung replica has lost its share.
//
// When everything is slow, repeats would double the load. They are paid from an allowance that each call raises by a twentieth; what a
// repeat has cost comes back where the repeat was answered and the call before it still was not, as with a replica that hangs.
import { isRepeatable, isRepeatableUnderKey } from '#contracts/repeatable-calls'
import { isServerFault } from '#contracts/errors'
import type { Metrics } from '#telemetry/metrics'
import type { Call, CallOptions } from '#runtime/service'

const CALL_MS = 3_000 // The requestTimeout of the broker.
const KEPT = 200 // Durations of an action.
const SAMPLE = 50 // After so many new ones the bound is computed anew.
const [BOUND_MS_MIN, BOUND_MS_MAX] = [50, 1_000]
const BOUND_MS_FIRST = 300 // Until enough calls were answered.
// A command under an Idempotency-Key is done once, however often it is sent; the second waits for the first at its row.
const COMMAND_BOUND_MS = 1_000
const ATTEMPTS_MAX = 5
const ALLOWANCE_MAX = 50
const ALLOWANCE_OF_CALL = 0.05

/** The durations of the answered calls of one action, and the time after which a further one is late. */
type Durations = { times: number[]; next: number; boundMs: number }

/** Wraps the calls of a process over the bus; `clock` returns milliseconds. */
export function repeatCalls(
  call: Call,
  metrics: Pick<Metrics, 'repeatedCalls'>,
  clock = () => performance.now(),
): Call {
  const durations = new Map<string, Durations>()
  let allowance = ALLOWANCE_MAX / 2

  function durationsOf(action: string): Durations {
    const known = durations.get(action) ?? { times: [], next: 0, boundMs: BOUND_MS_FIRST }
    durations.set(action, known)
    return known
  }

  return (name, params, options = {}) => {
    const isCommand = !isRepeatable(name)
    const isOnce = options.idempotency === undefined || !isRepeatableUnderKey(name)
    if (isCommand && isOnce) return call(name, params, options)
    const own = durationsOf(name)
    const firstMs = isCommand ? Math.max(COMMAND_BOUND_MS, own.boundMs) : own.boundMs
    return ask({ action: name, isCommand }, own, firstMs, options, (rest) => call(name, params, rest))
  }

  function ask(
    { action, isCommand }: { action: string; isCommand: boolean },
    own: Durations,
    firstMs: number,
    options: CallOptions,
    send: (options: CallOptions) => Promise<unknown>,
  ): Promise<unknown> {
    allowance = Math.min(ALLOWANCE_MAX, allowance + ALLOWANCE_OF_CALL)
    const endsAt = clock() + (options.timeoutMs ?? CALL_MS)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const underWay = new Set<number>()
    let attempts = 0
    let isOver = false
    let isRefused = false
    let timer: NodeJS.Timeout | undefined

    function end(settle: () => void): void {
      isOver = true
      clearTimeout(timer)
      settle()
    }

    function attempt(): void {
      const number = attempts
      const startedAt = clock()
      attempts += 1
      underWay.add(number)
      send({ ...options, timeoutMs: Math.max(1, endsAt - startedAt) }).then(
        (answer) => {
          underWay.delete(number)
          note(own, clock() - startedAt)
          if (isOver) return
          if (number > 0 && underWay.has(0)) allowance += 1
          end(() => resolve(answer))
        },
        (error: unknown) => {
          underWay.delete(number)
          if (isOver) return
          isRefused ||= !isServerFault(error)
          // Another attempt may be answered. A command that is refused must not be done by an attempt that nobody waits for.
          if (underWay.size > 0 && (isCommand || !isRefused)) return
          end(() => reject(error))
        },
      )
    }

    function repeatAfter(waitMs: number): void {
      if (isOver || attempts >= ATTEMPTS_MAX || clock() + waitMs >= endsAt) return
      timer = setTimeout(() => {
        if (isRefused) return
        if (allowance >= 1) {
          allowance -= 1
          metrics.repeatedCalls.inc({ action })
          attempt()
        }
        repeatAfter(2 * waitMs)
      }, waitMs)
    }

    attempt()
    repeatAfter(firstMs)
    return promise
  }
}

// The bound is the time that 99 of 100 calls stayed below.
function note(own: Durations, ms: number): void {
  own.times[own.next % KEPT] = ms
  own.next += 1
  if (own.next % SAMPLE !== 0) return
  const sorted = own.times.toSorted((a, b) => a - b)
  const p99 = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? BOUND_MS_FIRST
  own.boundMs = Math.min(BOUND_MS_MAX, Math.max(BOUND_MS_MIN, p99))
}
