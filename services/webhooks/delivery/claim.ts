// Owns the claim: which deliveries this worker sends next. states-and-events.md 4.4, 4.5 and 8.4.
//
// Shops have turns, and who waited longest comes first; a shop with a million deliveries has one turn like the others, and
// behind it no more than its caps allow. A short transaction locks the turns of a few shops, gives back what a dead worker
// had, leases what is due, and says when each shop comes next. A turn that another worker has is passed over. The caps are
// exact, because they are counted under that lock.
import { randomUUID } from 'node:crypto'
import type { Database, Sql } from '#postgres/connect'
import type { Pace } from './delivery-config.ts'
import {
  claimDue,
  claimRush,
  listExpired,
  listRushing,
  listTargets,
  moveRush,
  setTurn,
  takeTurns,
  type Turn,
} from './claim-queries.ts'
import type { Answer } from './retry.ts'
import { settle } from './settle.ts'
import type { Flight, Target } from '../tables.ts'

const SHOPS_AT_ONCE = 4

/** `nowMs`: the database's clock, read after the claim. `isMore`: another shop may have its turn now. */
export type Claimed = { flights: Flight[]; targets: Map<string, Target>; nowMs: number; isMore: boolean }

/** Leases at most so many deliveries. */
export function claim(db: Database, pace: Pace, most: number): Promise<Claimed> {
  return db.transaction(async (tx) => {
    const turns = await takeTurns(tx, SHOPS_AT_ONCE)
    const shopIds = turns.map(({ shop_id }) => shop_id)
    await settleExpired(tx, await listExpired(tx, shopsWith(turns, 'has_expired')), pace)
    const rushing = await listRushing(tx, shopsWith(turns, 'is_rushing'))
    const flights: Flight[] = []
    let isMore = turns.length === SHOPS_AT_ONCE
    for (const shopId of shopIds) {
      if (flights.length >= most) break // The others keep their place in the line.
      const endpointIds = rushing.filter(({ shop_id }) => shop_id === shopId).map(({ id }) => id)
      const claimed = await claimShop(tx, shopId, endpointIds, pace, most - flights.length)
      flights.push(...claimed.flights)
      isMore ||= claimed.isDue && claimed.flights.length > 0
    }
    if (flights.length === 0) return { flights, targets: new Map(), nowMs: 0, isMore }
    const endpointIds = [...new Set(flights.map(({ endpoint_id }) => endpoint_id))]
    return { flights, ...(await listTargets(tx, shopIds, endpointIds)), isMore }
  })
}

// `isDue`: its turn has come again already.
async function claimShop(
  tx: Sql,
  shopId: string,
  rushing: string[],
  pace: Pace,
  most: number,
): Promise<{ flights: Flight[]; isDue: boolean }> {
  const flights = await claimDue(tx, shopId, pace, randomUUID(), most)
  for (const endpointId of rushing) {
    const early = await claimRush(tx, shopId, endpointId, pace, randomUUID(), most - flights.length)
    await moveRush(tx, shopId, endpointId, early, pace)
    flights.push(...early)
  }
  return { flights, isDue: await setTurn(tx, shopId, pace, flights.length >= most) }
}

function shopsWith(turns: Turn[], what: 'has_expired' | 'is_rushing'): string[] {
  return turns.filter((turn) => turn[what]).map(({ shop_id }) => shop_id)
}

async function settleExpired(tx: Sql, flights: Flight[], pace: Pace): Promise<void> {
  for (const [shopId, own] of Map.groupBy(flights, ({ shop_id }) => shop_id)) {
    const landings = own.map((flight) => ({ flight, answer: interrupted, nowMs: 0, chance: Math.random() }))
    await settle(tx, shopId, landings, pace)
  }
}

const interrupted: Answer = {
  status: null,
  error: 'interrupted',
  retryAfter: null,
  date: null,
  excerpt: '',
  durationMs: 0,
}
