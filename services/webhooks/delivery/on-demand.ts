// Attempts that a seller requests and waits for: docs/spec/webhooks.md#retry-now and #test-events.
import { randomUUID } from 'node:crypto'
import { recordDone } from '#audit/command'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import type { EventKind } from '#contracts/objects/webhook-event'
import { findEpoch } from '#outbox/epochs'
import { eventId } from '#outbox/record-event'
import type { Database } from '#postgres/connect'
import type { RequestInfo } from '#runtime/service'
import { claimSingle, listTargets } from './claim-queries.ts'
import type { DeliveryConfig } from './delivery-config.ts'
import { findDelivery, listBodies } from './queries.ts'
import { scheduleNow } from './queue-queries.ts'
import { type ResultRecorder, toAttemptRow } from './record-results.ts'
import { verdictOf } from './retry.ts'
import { requireEndpoint } from '../endpoints/endpoints.ts'
import { countTest, findEndpoint, recordSuccess } from '../endpoints/queries.ts'
import { happenedAtOf } from '#contracts/delivery-id'
import { sampleBody } from '#webhook-request/sample-body'
import type { AbortRegistry } from '../request/abort-registry.ts'
import { attempt, type Sender } from '../request/attempt.ts'
import { type AttemptRow, keyInShop } from '../tables.ts'

/** An attempt with the event that it sent; `body` where the caller has no other way to it. */
export type Made = { attempt: AttemptRow; eventId: string; body: string | null }

export type OnDemand = {
  db: Database
  config: DeliveryConfig
  sender: Sender
  recorder: ResultRecorder
  abortRegistry: AbortRegistry
}

/**
 * Sends a delivery now, whatever its state; returns the attempt. Refuses not_found; conflict where an attempt of the same
 * object or as many as the endpoint may have are under way, or the endpoint was deleted.
 */
export async function retryNow(
  { db, config, sender, recorder, abortRegistry }: OnDemand,
  request: RequestInfo,
  id: string,
): Promise<Made> {
  const { shopId } = request.caller
  const found = isUuid(id) ? await findDelivery(db, shopId, id.toLowerCase(), happenedAtOf(id)) : null
  if (found === null) throw noDelivery()
  const { delivery, target, nowMs } = await db.transaction(async (tx) => {
    await scheduleNow(tx, [shopId])
    const endpoint = await findEndpoint(tx, shopId, found.endpoint_id)
    if (endpoint === null)
      throw refuse('conflict', 'The endpoint of this delivery was deleted; nothing can be sent to it.')
    const current = (await findDelivery(tx, shopId, found.id, found.happened_at)) ?? found
    const delivery = await claimSingle(tx, current, endpoint.queue_id, randomUUID(), config)
    if (delivery === null)
      throw refuse('conflict', 'Other attempts are under way to this endpoint; try again in a moment.')
    await recordDone(tx, request, { before: null, after: null }, { objectId: found.id })
    const { targets, nowMs } = await listTargets(tx, [shopId], [endpoint.id])
    return { delivery, target: targets.get(keyInShop(shopId, endpoint.id)) ?? endpoint, nowMs }
  })
  const readAt = performance.now()
  const { event_id: eventId, attempt: number } = delivery
  const body = (await listBodies(db, [delivery])).get(keyInShop(shopId, eventId)) ?? ''
  const ids = { shopId, deliveryId: delivery.id, eventId }
  const response = await abortRegistry.run(target.id, (signal) =>
    attempt(sender, { ...ids, target, body, attempt: number, reason: 'manual', nowMs, signal }),
  )
  const verdict = verdictOf(response, config, nowMs + performance.now() - readAt)
  await recorder.record({ delivery, response, verdict, chance: Math.random() })
  return { attempt: toAttemptRow(delivery, response), eventId, body: null }
}

export function noDelivery() {
  return refuse('not_found', 'No delivery with that id in this shop.')
}

/**
 * Sends a sample event of that kind to one endpoint; returns the attempt. Refuses not_found; rate_limited after ten tests in a
 * minute.
 */
export async function sendTest(
  { db, config, sender, abortRegistry }: OnDemand,
  request: RequestInfo,
  endpointId: string,
  kind: EventKind,
): Promise<Made> {
  const { shopId, currency } = request.caller
  const endpoint = await requireEndpoint(db, shopId, endpointId)
  const tooMany = await db.transaction(async (tx) => {
    const refused = await countTest(tx, shopId, endpoint.id, limits.webhookTestsPerMinute)
    if (refused === null) await recordDone(tx, request, { before: null, after: null }, { objectId: endpoint.id })
    return refused
  })
  if (tooMany !== null) {
    const message = `An endpoint takes at most ${limits.webhookTestsPerMinute} tests a minute.`
    throw refuse('rate_limited', message, { retry_after_s: tooMany.wait_s })
  }
  const { targets, nowMs } = await listTargets(db, [shopId], [endpoint.id])
  const target = targets.get(keyInShop(shopId, endpoint.id)) ?? endpoint
  const startedAt = new Date(nowMs)
  const id = eventId(startedAt, 0)
  const body = sampleBody(kind, { id, shopId, currency, now: startedAt, epoch: await findEpoch(db, shopId) })
  const ids = { shopId, deliveryId: null, eventId: id }
  const response = await abortRegistry.run(target.id, (signal) =>
    attempt(sender, { ...ids, target, body, attempt: 1, reason: 'test', nowMs, signal }),
  )
  if (verdictOf(response, config, nowMs).kind === 'delivered') {
    await db.transaction(async (tx) => {
      await scheduleNow(tx, [shopId])
      await recordSuccess(tx, shopId, [endpoint.id], config)
    })
  }
  const { status, error, excerpt, durationMs, signed } = response
  const row = {
    delivery_id: id,
    number: 1,
    reason: 'test',
    started_at: startedAt,
    duration_ms: durationMs,
    status,
    error,
    excerpt,
    stamp_s: signed?.stampS ?? null,
    signature: signed?.signature ?? null,
  } as const
  return { attempt: row, eventId: id, body }
}
