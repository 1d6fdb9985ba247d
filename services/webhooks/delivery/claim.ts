// Decides which deliveries this worker sends next (docs/spec/webhooks.md#concurrency). The protocol is described in worker.ts.
//
// The shop schedule makes the claim fair: the shop that has been due longest comes first, and a shop with a million deliveries
// gets one claim like every other. Shops locked by another worker are skipped. The limits are exact because attempts under way
// are counted under the lock of the shop.
import { randomUUID } from 'node:crypto'
import type { Database, Sql } from '#postgres/connect'
import {
  advanceDrain,
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
import { recordResults } from './record-results.ts'
import type { AttemptResponse } from './retry.ts'
import type { LeasedDelivery, Target } from '../tables.ts'

const SHOPS_PER_CLAIM = 4

export type Claimed = {
  deliveries: LeasedDelivery[]
  targets: Map<string, Target>
  /** The database's clock, read after the claim. */
  nowMs: number
  /** Whether another shop may be due now. */
  isMore: boolean
}

/** Leases at most `most` deliveries. */
export function claim(db: Database, config: DeliveryConfig, most: number): Promise<Claimed> {
  return db.transaction(async (tx) => {
    const shops = await lockDueShops(tx, SHOPS_PER_CLAIM)
    const shopIds = shops.map(({ shop_id }) => shop_id)
    await recordExpired(tx, await listExpired(tx, shopsWith(shops, 'has_expired')), config)
    const draining = await listDraining(tx, shopsWith(shops, 'is_draining'))
    const deliveries: LeasedDelivery[] = []
    let isMore = shops.length === SHOPS_PER_CLAIM
    for (const shopId of shopIds) {
      if (deliveries.length >= most) break // The other shops stay due.
      const endpointIds = draining.filter(({ shop_id }) => shop_id === shopId).map(({ id }) => id)
      const claimed = await claimShop(tx, shopId, endpointIds, config, most - deliveries.length)
      deliveries.push(...claimed.deliveries)
      isMore ||= claimed.isDue && claimed.deliveries.length > 0
    }
    if (deliveries.length === 0) return { deliveries, targets: new Map(), nowMs: 0, isMore }
    const endpointIds = [...new Set(deliveries.map(({ endpoint_id }) => endpoint_id))]
    return { deliveries, ...(await listTargets(tx, shopIds, endpointIds)), isMore }
  })
}

async function claimShop(
  tx: Sql,
  shopId: string,
  draining: string[],
  config: DeliveryConfig,
  most: number,
): Promise<{ deliveries: LeasedDelivery[]; isDue: boolean }> {
  const deliveries = await claimDue(tx, shopId, config, randomUUID(), most)
  for (const endpointId of draining) {
    const drained = await claimDrain(tx, shopId, endpointId, config, randomUUID(), most - deliveries.length)
    await advanceDrain(tx, shopId, endpointId, drained, config)
    deliveries.push(...drained)
  }
  return { deliveries, isDue: await scheduleNext(tx, shopId, config, deliveries.length >= most) }
}

function shopsWith(shops: DueShop[], flag: 'has_expired' | 'is_draining'): string[] {
  return shops.filter((shop) => shop[flag]).map(({ shop_id }) => shop_id)
}

async function recordExpired(tx: Sql, expired: LeasedDelivery[], config: DeliveryConfig): Promise<void> {
  for (const [shopId, deliveries] of Map.groupBy(expired, ({ shop_id }) => shop_id)) {
    const results = deliveries.map((delivery) => ({ delivery, response: interrupted, nowMs: 0, chance: Math.random() }))
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
