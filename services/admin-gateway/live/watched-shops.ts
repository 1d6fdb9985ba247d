// The shops that the streams of this process watch: renews their leases and hands what is seen to the streams of each shop
// (docs/spec/request-log.md#live-stream; the protocol: #live/source). An event is rendered once for all streams that show the same of it.
import type { LiveEvent, SeenInShop } from '#contracts/objects/request'
import { limits } from '#contracts/limits'
import { openRate, type Rate } from '#live/rate'
import { frameOf, type LiveStream } from './stream.ts'

const RENEW_MS = limits.liveLeaseMs / 3
const SKIPPED_MS = 1_000
const HEARTBEAT_MS = 10_000 // Proxies close a connection on which nothing passes for a minute.

/** What a stream shows of an object: all of it, or what the role may see. */
export type Shown = (data: Buffer) => Buffer
type Watcher = { stream: LiveStream; shown: Shown | undefined }
type Shop = { watchers: Set<Watcher>; rate: Rate; skipped: number }

export type WatchedShops = {
  /** Hands what is seen in the shop to the stream; returns a function that ends that. */
  watch(shopId: string, stream: LiveStream, shown: Shown | undefined): () => void
  /** Takes what another process saw. */
  seen(seen: SeenInShop): void
  stop(): void
}

export function openWatchedShops(broadcast: (event: string, payload: object) => void): WatchedShops {
  const shops = new Map<string, Shop>()
  let timers: NodeJS.Timeout[] = []

  const renew = (shopIds: string[]) => broadcast('shops.watched', { shop_ids: shopIds })

  function startTimers(): void {
    if (timers.length > 0) return
    timers = [
      setInterval(() => renew([...shops.keys()]), RENEW_MS),
      setInterval(showSkipped, SKIPPED_MS),
      setInterval(() => forEach((stream) => stream.heartbeat()), HEARTBEAT_MS),
    ]
  }

  function stopTimers(): void {
    for (const timer of timers) clearInterval(timer)
    timers = []
  }

  function forEach(work: (stream: LiveStream) => void): void {
    for (const { watchers } of shops.values()) for (const { stream } of watchers) work(stream)
  }

  function showSkipped(): void {
    for (const shop of shops.values()) {
      const { skipped } = shop
      shop.skipped = 0
      for (const { stream } of shop.watchers) stream.skip(skipped)
    }
  }

  return {
    watch(shopId, stream, shown) {
      const shop = shops.get(shopId) ?? newShop()
      const watcher = { stream, shown }
      shop.watchers.add(watcher)
      shops.set(shopId, shop)
      startTimers()
      if (shop.watchers.size === 1) renew([shopId])
      return () => {
        shop.watchers.delete(watcher)
        if (shop.watchers.size > 0) return
        shops.delete(shopId)
        if (shops.size === 0) stopTimers()
      }
    },
    seen({ shop_id, events, skipped }) {
      const shop = shops.get(shop_id)
      if (shop === undefined) return
      const taken = events.filter(() => shop.rate.take())
      shop.skipped += skipped + events.length - taken.length
      if (taken.length === 0) return
      const rendered = new Map<Shown | undefined, Buffer>()
      for (const { stream, shown } of shop.watchers) {
        const frames = rendered.get(shown) ?? framesOf(taken, shown)
        rendered.set(shown, frames)
        stream.send(frames, taken.length)
      }
    },
    stop: stopTimers,
  }
}

function newShop(): Shop {
  return { watchers: new Set(), rate: openRate(limits.liveEventsPerSecond, () => performance.now()), skipped: 0 }
}

function framesOf(events: readonly LiveEvent[], shown: Shown | undefined): Buffer {
  const dataOf = ({ data }: LiveEvent) =>
    shown === undefined ? data : (JSON.parse(String(shown(Buffer.from(JSON.stringify(data))))) as object)
  return Buffer.concat(events.map((event) => frameOf(event.name, dataOf(event))))
}
