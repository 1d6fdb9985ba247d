// The circuit breakers of a gateway, around every call to a service (docs/spec/internals.md#breakers): one for each action. A breaker
// sees an action, not a replica: while one of two replicas hangs, half of the calls fail, so it opens well above one half.
//
// One shop must not open it for the others. Of each shop only a few calls that are under way or have failed count in the breaker of the
// action, too few to open it; the calls beyond them pass a breaker of that shop and action. An outage concerns all shops, so it still
// opens the breaker of the action.
import { LRUCache } from 'lru-cache'
import CircuitBreaker from 'opossum'
import { isServerFault, refuse } from '#contracts/errors'
import type { Call } from '#runtime/service'
import type { Metrics } from '#telemetry/metrics'

type Work = Parameters<Call>
type Breaker = CircuitBreaker<Work, unknown>
/** What of a shop counts in the breaker of an action. */
type Share = { underWay: number; failures: number; forgottenAt: number }

const VOLUME_MIN = 20 // Calls within the window; with fewer no breaker opens.
const WINDOW_MS = 10_000
const SHARE_MAX = 4 // Twice as many may lie in one window, still less than 75 % of `VOLUME_MIN`.
const SHOP_BREAKERS_MAX = 1_000

/** Wraps a call: refusals pass, outages are counted, an open breaker rejects at once. */
export function guarded(call: Call, metrics: Metrics): Call {
  const ofActions = new Map<string, { breaker: Breaker; shares: Map<string, Share> }>()
  const ofShops = new LRUCache<string, Breaker>({ max: SHOP_BREAKERS_MAX, dispose: (breaker) => breaker.shutdown() })

  function ofAction(action: string) {
    let state = ofActions.get(action)
    if (state === undefined) {
      state = { breaker: makeBreaker(call, action, metrics), shares: new Map<string, Share>() }
      showState(state.breaker, action, metrics)
      ofActions.set(action, state)
    }
    return state
  }

  function ofShop(action: string, shopId: string): Breaker {
    const name = `${action} ${shopId}`
    const known = ofShops.get(name)
    if (known !== undefined) return known
    const breaker = makeBreaker(call, action, metrics)
    ofShops.set(name, breaker)
    return breaker
  }

  async function fire(work: Work): Promise<unknown> {
    const [action, , meta] = work
    const { breaker, shares } = ofAction(action)
    const shopId = meta?.caller?.shopId
    if (shopId === undefined) return breaker.fire(...work)
    const share = shareOf(shares, shopId)
    // An open breaker is asked in any case, because it refuses or tries.
    if (breaker.closed && share.underWay + share.failures >= SHARE_MAX) return ofShop(action, shopId).fire(...work)
    share.underWay += 1
    try {
      return await breaker.fire(...work)
    } catch (error) {
      if (isServerFault(error) && !CircuitBreaker.isOurError(error as Error)) share.failures += 1
      throw error
    } finally {
      share.underWay -= 1
      if (share.underWay + share.failures === 0) shares.delete(shopId)
    }
  }

  return async (...work: Work) => {
    try {
      return await fire(work)
    } catch (error) {
      if (CircuitBreaker.isOurError(error as Error)) {
        throw refuse('unavailable', 'This part of the service is not available right now.', { retry_after_s: 2 })
      }
      throw error
    }
  }
}

function shareOf(shares: Map<string, Share>, shopId: string): Share {
  const now = performance.now()
  for (const [id, share] of shares) {
    if (share.forgottenAt > now) break
    share.failures = 0
    share.forgottenAt = now + WINDOW_MS
    shares.delete(id)
    if (share.underWay > 0) shares.set(id, share)
  }
  const known = shares.get(shopId)
  if (known !== undefined) return known
  const share = { underWay: 0, failures: 0, forgottenAt: now + WINDOW_MS }
  shares.set(shopId, share)
  return share
}

function makeBreaker(call: Call, action: string, metrics: Metrics): Breaker {
  const breaker = new CircuitBreaker<Work, unknown>((...work: Work) => call(...work), {
    name: action,
    timeout: false, // The one timer is the call's own.
    errorThresholdPercentage: 75,
    volumeThreshold: VOLUME_MIN,
    resetTimeout: 1_500,
    rollingCountTimeout: WINDOW_MS,
    rollingCountBuckets: 5,
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
    errorFilter: (error: Error) => !isServerFault(error),
  })
  const count = (event: string) => metrics.breakerEvents.inc({ action, event })
  breaker.on('success', () => count('success'))
  breaker.on('failure', () => count('failure'))
  breaker.on('reject', () => count('reject'))
  breaker.on('open', () => count('open'))
  breaker.on('close', () => count('close'))
  return breaker
}

function showState(breaker: Breaker, action: string, metrics: Metrics): void {
  metrics.breakers.set({ action }, 0)
  breaker.on('open', () => metrics.breakers.set({ action }, 1))
  breaker.on('halfOpen', () => metrics.breakers.set({ action }, 0.5))
  breaker.on('close', () => metrics.breakers.set({ action }, 0))
}
