// A circuit breaker per endpoint and process. The lasting health of an endpoint is in its row; a breaker stops a burst of
// requests to a receiver that answers all of them with errors, until the row says that it is failing. An open breaker uses no
// step of a delivery's schedule.
import CircuitBreaker from 'opossum'
import type { DeliveryConfig } from '../delivery/delivery-config.ts'

export type EndpointBreakers = {
  /** Runs the work; null where the breaker is open. `isFailure` says which results count as failures. Throws what the work throws. */
  run<Result>(
    endpointId: string,
    work: () => Promise<Result>,
    isFailure: (result: Result) => boolean,
  ): Promise<Result | null>
  size(): number
  close(): void
}

const BREAKERS_MAX = 1_000

type Breaker = CircuitBreaker<[() => Promise<void>], void>

/** Holds at most 1,000 breakers, the most recently used ones. */
export function openEndpointBreakers(config: DeliveryConfig): EndpointBreakers {
  const breakers = new Map<string, Breaker>()

  function breakerOf(endpointId: string): Breaker {
    const known = breakers.get(endpointId)
    const breaker = known ?? makeBreaker(config)
    breakers.delete(endpointId)
    breakers.set(endpointId, breaker) // A map iterates in the order of insertion, so the oldest is first.
    for (const [id, oldest] of breakers) {
      if (breakers.size <= BREAKERS_MAX) break
      oldest.shutdown()
      breakers.delete(id)
    }
    return breaker
  }

  return {
    async run(endpointId, work, isFailure) {
      const results: Awaited<ReturnType<typeof work>>[] = []
      try {
        await breakerOf(endpointId).fire(async () => {
          const result = await work()
          results.push(result)
          if (isFailure(result)) throw new Error('The attempt failed.')
        })
      } catch (error) {
        // With a result, the attempt failed; without one, the breaker is open or the work threw.
        if (results.length === 0 && !CircuitBreaker.isOurError(error as Error)) throw error
      }
      return results[0] ?? null
    },
    size: () => breakers.size,
    close() {
      for (const breaker of breakers.values()) breaker.shutdown()
      breakers.clear()
    },
  }
}

function makeBreaker(config: DeliveryConfig): Breaker {
  return new CircuitBreaker((work: () => Promise<void>) => work(), {
    timeout: false, // Attempts have their own timeouts.
    errorThresholdPercentage: 95,
    volumeThreshold: config.breakerVolume,
    rollingCountTimeout: 10_000,
    rollingCountBuckets: 5,
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
    resetTimeout: config.breakerOpenMs,
  })
}
