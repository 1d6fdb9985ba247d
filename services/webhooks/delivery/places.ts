// The places of a process for attempts under way, and which attempts may take them (docs/spec/webhooks.md#concurrency). An attempt
// at a receiver that does not answer holds its place until its time limit. So no shop may take all places, nor may all endpoints
// together whose last attempt failed.
import type { DeliveryConfig } from './delivery-config.ts'
import { keyInShop } from '../tables.ts'

export type Places = {
  /** How many more attempts the process may begin. */
  free(): number
  /** How many more attempts the shop may begin: the fewer places are free, the fewer of them it may hold. */
  ofShop(shopId: string): number
  /** The shops that hold as many places as they may. */
  fullShops(): string[]
  /** How many more attempts endpoints may begin whose last attempt failed: half of all places are not for them. */
  ofFailed(): number
  /** Takes a place. */
  take(attempt: PlannedAttempt): Place
}
/** `has_failed`: the last attempt at the endpoint failed. */
export type PlannedAttempt = { shop_id: string; endpoint_id: string; has_failed: boolean }
export type Place = {
  /**
   * Releases the place; returns whether another attempt may have waited for it. `isFailure`: whether the attempt failed, null
   * where it was not made or was interrupted. It counts for the other places of the endpoint too.
   */
  release(isFailure: boolean | null): boolean
}

type Limits = Pick<DeliveryConfig, 'attemptsPerProcess' | 'attemptsPerShop'>
type Endpoint = { held: number; hasFailed: boolean }

export function openPlaces({ attemptsPerProcess, attemptsPerShop }: Limits): Places {
  const heldByShop = new Map<string, number>()
  const endpoints = new Map<string, Endpoint>() // Those that hold places.
  let held = 0
  let heldByFailed = 0

  const free = () => attemptsPerProcess - held
  // All that a shop may have while every place is free, half of it while half are.
  const ofShop = (shopId: string) =>
    Math.ceil((attemptsPerShop * free()) / attemptsPerProcess) - (heldByShop.get(shopId) ?? 0)

  const ofFailed = () => Math.ceil(attemptsPerProcess / 2) - heldByFailed

  function mark(endpoint: Endpoint, hasFailed: boolean): void {
    if (endpoint.hasFailed === hasFailed) return
    endpoint.hasFailed = hasFailed
    heldByFailed += hasFailed ? endpoint.held : -endpoint.held
  }

  function change(shopId: string, endpoint: Endpoint, by: 1 | -1): void {
    held += by
    endpoint.held += by
    if (endpoint.hasFailed) heldByFailed += by
    const now = (heldByShop.get(shopId) ?? 0) + by
    if (now === 0) heldByShop.delete(shopId)
    else heldByShop.set(shopId, now)
  }

  return {
    free,
    ofShop,
    fullShops: () => [...heldByShop.keys()].filter((shopId) => ofShop(shopId) <= 0),
    ofFailed,
    take({ shop_id: shopId, endpoint_id, has_failed }) {
      const key = keyInShop(shopId, endpoint_id)
      const endpoint = endpoints.get(key) ?? { held: 0, hasFailed: false }
      endpoints.set(key, endpoint)
      mark(endpoint, has_failed)
      change(shopId, endpoint, 1)
      return {
        release(isFailure) {
          const wasShort = free() <= 0 || ofShop(shopId) <= 0 || (endpoint.hasFailed && ofFailed() <= 0)
          change(shopId, endpoint, -1)
          if (isFailure !== null) mark(endpoint, isFailure)
          if (endpoint.held === 0) endpoints.delete(key)
          return wasShort
        },
      }
    },
  }
}
