// The circuit breakers of a gateway: one for each action, around every call to a service (docs/spec/internals.md#breakers). A breaker
// sees an action, not a replica: while one of two replicas hangs, half of the calls fail, so it opens well above one half.
import CircuitBreaker from 'opossum'
import { refusalCode, refuse } from '#contracts/errors'
import type { Call } from '#runtime/service'
import type { Metrics } from '#telemetry/metrics'

type Work = Parameters<Call>

/** Wraps a call: refusals pass, outages are counted, an open breaker rejects at once. */
export function guarded(call: Call, metrics: Metrics): Call {
  const breakers = new Map<string, CircuitBreaker<Work, unknown>>()
  const breakerOf = (action: string) => {
    let breaker = breakers.get(action)
    if (breaker === undefined) {
      breaker = makeBreaker(call, action, metrics)
      breakers.set(action, breaker)
    }
    return breaker
  }
  return async (name, params, meta) => {
    const breaker = breakerOf(name)
    try {
      return await breaker.fire(name, params, meta)
    } catch (error) {
      if (CircuitBreaker.isOurError(error as Error)) {
        throw refuse('unavailable', 'This part of the service is not available right now.', { retry_after_s: 2 })
      }
      throw error
    }
  }
}

function makeBreaker(call: Call, action: string, metrics: Metrics): CircuitBreaker<Work, unknown> {
  const breaker = new CircuitBreaker<Work, unknown>((...work: Work) => call(...work), {
    name: action,
    timeout: false, // The one timer is the call's own.
    errorThresholdPercentage: 75,
    volumeThreshold: 20,
    resetTimeout: 1_500,
    rollingCountTimeout: 10_000,
    rollingCountBuckets: 5,
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
    errorFilter: (error: Error) => {
      const code = refusalCode(error)
      return code !== null && code !== 'unavailable' && code !== 'server_error'
    },
  })
  metrics.breakers.set({ action }, 0)
  breaker.on('open', () => metrics.breakers.set({ action }, 1))
  breaker.on('halfOpen', () => metrics.breakers.set({ action }, 0.5))
  breaker.on('close', () => metrics.breakers.set({ action }, 0))
  const count = (event: string) => metrics.breakerEvents.inc({ action, event })
  breaker.on('success', () => count('success'))
  breaker.on('failure', () => count('failure'))
  breaker.on('reject', () => count('reject'))
  breaker.on('open', () => count('open'))
  breaker.on('close', () => count('close'))
  return breaker
}
