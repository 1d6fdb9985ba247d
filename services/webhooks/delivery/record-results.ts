// Records attempt results, one transaction per shop: deliveries, attempts, the next events of their objects, the health of
// endpoints, notices to the owner (docs/spec/webhooks.md#verdict, #retries, #endpoint-health). Results that arrive while a
// transaction of their shop runs are written together in the next one: the schedule of the shop is a lock, and a worker must
// not use several connections to wait for itself.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Sql } from '#postgres/connect'
import { scheduleNext } from './claim-queries.ts'
import type { DeliveryConfig } from './delivery-config.ts'
import { logAttempts } from './queries.ts'
import {
  deleteLeased,
  listStillSingle,
  lockSchedules,
  promoteHeads,
  releaseLease,
  rescheduleLeased,
} from './queue-queries.ts'
import { type Next, nextOf, type Verdict } from './retry.ts'
import { type CountedAttempt, countAttempts } from '../endpoints/health.ts'
import { disableEndpoint, recordFailure, recordSuccess } from '../endpoints/queries.ts'
import { insertNotice } from '../notices/queries.ts'
import type { Attempted } from '../request/attempt.ts'
import type { AttemptRow, LeasedDelivery } from '../tables.ts'

/** `chance` in [0, 1) sets the jitter. */
export type AttemptResult = { delivery: LeasedDelivery; response: Attempted; verdict: Verdict; chance: number }
type Release = { delivery: LeasedDelivery }

/**
 * Both methods resolve with whether the shop has a delivery due now, once the change is committed or the lease has ended
 * without a commit; then another attempt is made.
 */
export type ResultRecorder = {
  record(result: AttemptResult): Promise<boolean>
  /** Ends the lease of a delivery that was not sent. */
  release(delivery: LeasedDelivery): Promise<boolean>
}

const RETRY_MS = 250
const BATCH = 50

type Entry = { change: AttemptResult | Release; untilMs: number; done(isDue: boolean): void }

/** `onError` receives failures of a transaction, which is repeated until the leases have ended. */
export function openResultRecorder(
  db: Database,
  config: DeliveryConfig,
  onError: (error: unknown) => void,
): ResultRecorder {
  const shops = new Map<string, Entry[]>()

  async function drain(shopId: string, entries: Entry[]): Promise<void> {
    while (entries.length > 0) {
      const batch = entries.slice(0, BATCH)
      try {
        const isDue = await write(
          db,
          config,
          shopId,
          batch.map(({ change }) => change),
        )
        entries.splice(0, batch.length)
        for (const { done } of batch) done(isDue)
      } catch (error) {
        onError(error)
        for (const late of entries.filter(({ untilMs }) => performance.now() > untilMs)) {
          entries.splice(entries.indexOf(late), 1)
          late.done(true)
        }
        await sleep(RETRY_MS)
      }
    }
    shops.delete(shopId)
  }

  function add(change: AttemptResult | Release): Promise<boolean> {
    return new Promise((done) => {
      const shopId = change.delivery.shop_id
      const entry = { change, untilMs: performance.now() + config.leaseS * 1_000, done }
      const entries = shops.get(shopId)
      if (entries !== undefined) {
        entries.push(entry)
        return
      }
      const begun = [entry]
      shops.set(shopId, begun)
      void drain(shopId, begun)
    })
  }

  return { record: add, release: (delivery) => add({ delivery }) }
}

async function write(
  db: Database,
  config: DeliveryConfig,
  shopId: string,
  changes: (AttemptResult | Release)[],
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockSchedules(tx, [shopId])
    await recordResults(
      tx,
      shopId,
      changes.filter((change) => 'response' in change),
      config,
    )
    for (const change of changes) if (!('response' in change)) await releaseLease(tx, change.delivery)
    // Computed here instead of making the shop due: after most results nothing is, which saves an empty claim.
    return scheduleNext(tx, shopId, config)
  })
}

type Evaluated = AttemptResult & { next: Next; isSingle: boolean }

/**
 * Writes the results of one shop, whose schedule is locked, in the order of their arrival: one statement for each kind of
 * change. A result whose lease was lost changes nothing.
 */
export async function recordResults(
  tx: Sql,
  shopId: string,
  results: AttemptResult[],
  config: DeliveryConfig,
): Promise<void> {
  if (results.length === 0) return
  const singles = new Set(await stillSingle(tx, shopId, results))
  const evaluated = results.map((result) => evaluate(result, singles, config))
  const done = evaluated.filter(isDone).map(({ delivery }) => delivery)
  const later = evaluated.filter((one) => !isDone(one)).flatMap(rescheduled)
  const owned = new Set([...(await deleteLeased(tx, shopId, done)), ...(await rescheduleLeased(tx, shopId, later))])
  const written = evaluated.filter(({ delivery }) => owned.has(delivery.id))
  const attempts = written.map((one) => ({
    ...toAttemptRow(one.delivery, one.response),
    happened_at: one.delivery.happened_at,
    state: stateAfter(one),
  }))
  await logAttempts(tx, shopId, attempts)
  await promoteHeads(
    tx,
    written.filter(isDone).map(({ delivery }) => delivery),
  )
  await updateHealth(tx, shopId, written, config)
  await countAttempts(tx, shopId, written.filter(({ verdict }) => verdict.kind !== 'interrupted').map(toCounted))
}

function toCounted({ delivery, response, verdict }: Evaluated): CountedAttempt {
  const { endpoint_id: endpointId, started_at: startedAt } = delivery
  return { endpointId, startedAt, durationMs: response.durationMs, isSuccess: verdict.kind === 'delivered' }
}

/** The attempt as it is logged. */
export function toAttemptRow(delivery: LeasedDelivery, response: Attempted): AttemptRow {
  return {
    delivery_id: delivery.id,
    number: delivery.attempt,
    reason: delivery.attempt_kind === 'manual' ? 'manual' : delivery.reason,
    started_at: delivery.started_at,
    duration_ms: response.durationMs,
    status: response.status,
    error: response.error,
    excerpt: response.excerpt,
    stamp_s: response.signed?.stampS ?? null,
    signature: response.signed?.signature ?? null,
  }
}

// A replay may have queued the delivery again while a single attempt of it was under way.
async function stillSingle(tx: Sql, shopId: string, results: AttemptResult[]): Promise<string[]> {
  const singles = results.map(({ delivery }) => delivery).filter((delivery) => delivery.is_single)
  return singles.length === 0 ? [] : listStillSingle(tx, shopId, singles)
}

function evaluate(result: AttemptResult, singles: Set<string>, config: DeliveryConfig): Evaluated {
  const { delivery, verdict, chance } = result
  return { ...result, next: nextOf(verdict, delivery, config, chance), isSingle: singles.has(delivery.id) }
}

function isDone({ next, isSingle }: Evaluated): boolean {
  return isSingle || next.state !== 'pending'
}

function rescheduled({ delivery, next }: Evaluated) {
  return next.state === 'pending' ? [{ ...next, delivery }] : []
}

// A single attempt changes the state of its delivery only when it succeeds.
function stateAfter({ next, isSingle }: Evaluated) {
  return isSingle && next.state !== 'delivered' ? null : next.state
}

async function updateHealth(tx: Sql, shopId: string, written: Evaluated[], config: DeliveryConfig): Promise<void> {
  const succeeded = new Set<string>() // Written together at the end, but before a later failure of the same endpoint.
  for (const { delivery, response, verdict, next, isSingle } of written) {
    const { endpoint_id, started_at: startedAt } = delivery
    if (verdict.kind === 'interrupted') continue
    if (verdict.kind === 'delivered') {
      succeeded.add(endpoint_id)
      continue
    }
    if (succeeded.delete(endpoint_id)) await recordSuccess(tx, shopId, [endpoint_id], config)
    const { status, error } = response
    const pauseS = verdict.kind === 'failed' ? verdict.pauseS : null
    await recordFailure(tx, shopId, endpoint_id, { startedAt, status, error, pauseS }, config)
    if (verdict.kind === 'gone') {
      const isNew = await disableEndpoint(tx, shopId, endpoint_id, 'gone')
      if (isNew) await insertNotice(tx, shopId, endpoint_id, 'disabled', null, 0)
    } else if (next.state === 'failed' && !isSingle) {
      await insertNotice(tx, shopId, endpoint_id, 'given_up', null, config.digestS)
    }
  }
  if (succeeded.size > 0) await recordSuccess(tx, shopId, [...succeeded], config)
}
