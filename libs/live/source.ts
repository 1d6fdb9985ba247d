// What the live streams of the back office show, as a process sees it: docs/spec/request-log.md#live-stream
//
// Protocol. Messages are events of the bus, hints that may be lost.
//   shops.watched  An admin gateway with streams tells every gateway and webhooks which shops it watches: at once when a first stream of
//                  a shop opens, then every 5 s. It is a lease of 15 s.
//   shops.seen     A process that saw something in a watched shop tells all admin gateways, ten times a second at most: up to 50 events
//                  of a shop and second, the others as a count.
// Crashes. A watcher that dies renews no more, and 15 s later nothing is told. A process that starts learns of the watched shops within 5 s.
// While nobody watches, a request costs the comparison of a size with zero.
import type { LiveEvent, SeenInShop } from '#contracts/objects/request'
import { limits } from '#contracts/limits'
import { openRate, type Rate } from './rate.ts'

const TELL_MS = 100

export type LiveSource = {
  /** Whether somebody watches the shop. */
  isWatched(shopId: string): boolean
  /** Takes an event of a watched shop. */
  tell(shopId: string, event: LiveEvent): void
  /** Renews the leases of these shops. */
  watch(shopIds: readonly string[]): void
  /** Tells what is left. */
  stop(): void
}
type Lease = { until: number; rate: Rate }

export function openLiveSource(
  broadcast: (event: string, payload: object) => void,
  clock: () => number = () => performance.now(),
): LiveSource {
  const leases = new Map<string, Lease>()
  const seen = new Map<string, SeenInShop>()
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    timer = null
    for (const one of seen.values()) broadcast('shops.seen', one)
    seen.clear()
  }

  function dropEnded(): void {
    for (const [shopId, { until }] of leases) if (until <= clock()) leases.delete(shopId)
  }

  return {
    isWatched(shopId) {
      if (leases.size === 0) return false
      const lease = leases.get(shopId)
      return lease !== undefined && lease.until > clock()
    },
    tell(shop_id, event) {
      const lease = leases.get(shop_id)
      if (lease === undefined) return
      const waiting = seen.get(shop_id) ?? { shop_id, events: [], skipped: 0 }
      seen.set(shop_id, waiting)
      if (lease.rate.take()) waiting.events.push(event)
      else waiting.skipped += 1
      timer ??= setTimeout(flush, TELL_MS)
    },
    watch(shopIds) {
      setTimeout(dropEnded, limits.liveLeaseMs).unref()
      const until = clock() + limits.liveLeaseMs
      for (const shopId of shopIds) {
        const rate = leases.get(shopId)?.rate ?? openRate(limits.liveEventsPerSecond, clock)
        leases.set(shopId, { until, rate })
      }
    },
    stop() {
      if (timer !== null) clearTimeout(timer)
      flush()
      leases.clear()
    },
  }
}
