// The places of a process for attempts under way, and who may take them (docs/spec/webhooks.md#concurrency). An attempt at a receiver
// that does not answer holds its place until its time limit. So no shop may take all places, nor may all endpoints together whose last
// attempt failed.
import type { DeliveryConfig } from './delivery-config.ts'

export type Places = {
  /** How many more attempts the process may begin. */
  free(): number
  /** How many more attempts the shop may begin: the fewer places are free, the fewer of them it may hold. */
  ofShop(shopId: string): number
  /** The shops that hold as many places as they may. */
  fullShops(): string[]
  /** How many more attempts endpoints may begin whose last attempt failed: half of all places are not for them. */
  ofFailed(): number
  /** Takes a place; returns what gives it back, which says whether another attempt may have waited for it. */
  take(attempt: { shop_id: string; has_failed: boolean }): () => boolean
}

type Limits = Pick<DeliveryConfig, 'attemptsPerProcess' | 'attemptsPerShop'>

export function openPlaces({ attemptsPerProcess, attemptsPerShop }: Limits): Places {
  const heldBy = new Map<string, number>()
  let held = 0
  let heldByFailed = 0

  const free = () => attemptsPerProcess - held
  // All that a shop may have while every place is free, half of it while half are.
  const ofShop = (shopId: string) =>
    Math.ceil((attemptsPerShop * free()) / attemptsPerProcess) - (heldBy.get(shopId) ?? 0)

  const ofFailed = () => Math.ceil(attemptsPerProcess / 2) - heldByFailed

  function change(shopId: string, hasFailed: boolean, by: 1 | -1): void {
    held += by
    if (hasFailed) heldByFailed += by
    const now = (heldBy.get(shopId) ?? 0) + by
    if (now === 0) heldBy.delete(shopId)
    else heldBy.set(shopId, now)
  }

  return {
    free,
    ofShop,
    fullShops: () => [...heldBy.keys()].filter((shopId) => ofShop(shopId) <= 0),
    ofFailed,
    take({ shop_id: shopId, has_failed: hasFailed }) {
      change(shopId, hasFailed, 1)
      return () => {
        const wasShort = free() <= 0 || ofShop(shopId) <= 0 || (hasFailed && ofFailed() <= 0)
        change(shopId, hasFailed, -1)
        return wasShort
      }
    },
  }
}
