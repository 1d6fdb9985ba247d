// Decides which deliveries this worker sends next (docs/spec/webhooks.md#concurrency). The protocol is described in worker.ts.
//
// The shop schedule makes the claim fair: the shop that has been due longest comes first, and a shop with a million deliveries
// gets one claim like every other. Shops locked by another worker are skipped, and so are shops that hold all the places of this
// process that they may hold (places.ts). The limits are exact because attempts under way are counted under the lock of the shop.
import { randomUUID } from 'node:crypto'
import type { Database, Sql } from '#postgres/connect'
import type { AttemptResponse } from '#webhook-request/post'
import {
  advanceDrain,
  type ClaimedDelivery,
  claimDrain,
  claimDue,
  type DueShop,
  listDraining,
  listExpired,
  listTargets,
  lockDueShops,
  scheduleNext,
} from './claim-queries.ts'
import type { DeliveryConfig } from './delivery-config.ts'
import type { Places } from './places.ts'
import { recordResults } from './record-results.ts'
import type { Verdict } from './retry.ts'
import type { LeasedDelivery, Target } from '../tables.ts'

const SHOPS_PER_CLAIM = 4

export type Claimed = {
  deliveries: ClaimedDelivery[]
  /** By `keyInShop`. */
  targets: Map<string, Target>
  /** The database's clock, read after the claim. */
  nowMs: number
  /** Whether another shop may be due now. */
  isMore: boolean
  /** For each shop that was served: how many seconds it had been due. */
  waitsS: number[]
}

/** Leases as many deliveries as have places; the caller takes the places. */
export function claim(
  db: Database,
  config: DeliveryConfig,
  places: Pick<Places, 'free' | 'ofShop' | 'fullShops' | 'ofFailed'>,
): Promise<Claimed> {
  return db.transaction(async (tx) => {
    const shops = await lockDueShops(tx, SHOPS_PER_CLAIM, places.fullShops())
    const shopIds = shops.map(({ shop_id }) => shop_id)
    await recordExpired(tx, await listExpired(tx, shopsWith(shops, 'has_expired')), config)
    const draining = await listDraining(tx, shopsWith(shops, 'is_draining'))
    const deliveries: ClaimedDelivery[] = []
    const waitsS: number[] = []
    let isMore = shops.length === SHOPS_PER_CLAIM
    for (const { shop_id: shopId, waited_s } of shops) {
      const most = Math.min(places.free() - deliveries.length, places.ofShop(shopId))
      if (most <= 0) break // The other shops stay due.
      waitsS.push(waited_s)
      const isFailedIncluded = deliveries.filter(({ has_failed }) => has_failed).length < places.ofFailed()
      const endpointIds = draining.filter(({ shop_id }) => shop_id === shopId).map(({ id }) => id)
      const claimed = await claimShop(tx, shopId, endpointIds, config, { most, isFailedIncluded })
      deliveries.push(...claimed.deliveries)
      isMore ||= claimed.isDue && claimed.deliveries.length > 0
    }
    if (deliveries.length === 0) return { deliveries, targets: new Map(), nowMs: 0, isMore, waitsS }
    const endpointIds = [...new Set(deliveries.map(({ endpoint_id }) => endpoint_id))]
    return { deliveries, ...(await listTargets(tx, shopIds, endpointIds)), isMore, waitsS }
  })
}

async function claimShop(
  tx: Sql,
  shopId: string,
  draining: string[],
  config: DeliveryConfig,
  { most, isFailedIncluded }: { most: number; isFailedIncluded: boolean },
): Promise<{ deliveries: ClaimedDelivery[]; isDue: boolean }> {
  const deliveries = await claimDue(tx, shopId, config, randomUUID(), most, isFailedIncluded)
  for (const endpointId of draining) {
    const drained = await claimDrain(tx, shopId, endpointId, config, randomUUID(), most - deliveries.length)
    await advanceDrain(tx, shopId, endpointId, drained, config)
    deliveries.push(...drained)
  }
  return {
    deliveries,
    isDue: await scheduleNext(tx, shopId, config, { isMore: deliveries.length >= most, isFailedIncluded }),
  }
}

function shopsWith(shops: DueShop[], flag: 'has_expired' | 'is_draining'): string[] {
  return shops.filter((shop) => shop[flag]).map(({ shop_id }) => shop_id)
}

async function recordExpired(tx: Sql, expired: LeasedDelivery[], config: DeliveryConfig): Promise<void> {
  for (const [shopId, deliveries] of Map.groupBy(expired, ({ shop_id }) => shop_id)) {
    const verdict: Verdict = { kind: 'interrupted' }
    const results = deliveries.map((delivery) => ({ delivery, response: interrupted, verdict, chance: Math.random() }))
    await recordResults(tx, shopId, results, config)
  }
}

const interrupted: AttemptResponse = {
  status: null,
  error: 'interrupted',
  retryAfter: null,
  date: null,
  excerpt: '',
  durationMs: 0,
}
