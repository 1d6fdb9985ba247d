// Owns the guards of one process: a circuit breaker for each endpoint that it has lately sent to. design/speed.md 2.4.
// What an endpoint is like lasts in its row; a guard only keeps a receiver that answers every request of a burst with an
// error from getting hundreds of them until the row says that it is failing. An open guard costs a delivery no step.
import CircuitBreaker from 'opossum'
import type { Pace } from '../delivery/delivery-config.ts'

export type Guards = {
  /** Does the work, or gives null where the guard is open. `isFailure` says what counts. */
  run<Result>(
    endpointId: string,
    work: () => Promise<Result>,
    isFailure: (result: Result) => boolean,
  ): Promise<Result | null>
  size(): number
  close(): void
}

const GUARDS_MAX = 1_000

type Breaker = CircuitBreaker<[() => Promise<void>], void>

/** At most 1,000 of them; the one that was used longest ago goes first. */
export function openGuards(pace: Pace): Guards {
  const breakers = new Map<string, Breaker>()

  function breakerOf(endpointId: string): Breaker {
    const known = breakers.get(endpointId)
    const breaker = known ?? makeBreaker(pace)
    breakers.delete(endpointId)
    breakers.set(endpointId, breaker) // A map keeps the order of insertion: the newest is last.
    for (const [id, oldest] of breakers) {
      if (breakers.size <= GUARDS_MAX) break
      oldest.shutdown()
      breakers.delete(id)
    }
    return breaker
  }

  return {
    async run(endpointId, work, isFailure) {
      const made: Awaited<ReturnType<typeof work>>[] = []
      try {
        await breakerOf(endpointId).fire(async () => {
          const result = await work()
          made.push(result)
          if (isFailure(result)) throw new Error('The attempt failed.')
        })
      } catch (error) {
        // A failed attempt is an answer all the same; without one, the guard is open or the work broke.
        if (made.length === 0 && !CircuitBreaker.isOurError(error as Error)) throw error
      }
      return made[0] ?? null
    },
    size: () => breakers.size,
    close() {
      for (const breaker of breakers.values()) breaker.shutdown()
      breakers.clear()
    },
  }
}

function makeBreaker(pace: Pace): Breaker {
  return new CircuitBreaker((work: () => Promise<void>) => work(), {
    timeout: false, // Every attempt ends by itself.
    errorThresholdPercentage: 95,
    volumeThreshold: pace.guardVolume,
    rollingCountTimeout: 10_000,
    rollingCountBuckets: 5,
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
    resetTimeout: pace.guardOpenMs,
  })
}
