// Owns attempts that somebody asks for and waits for: Retry now and Send test. states-and-events.md 6.1 and 6.3.
import { randomUUID } from 'node:crypto'
import type { Caller } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import type { EventKind } from '#contracts/objects/webhook-event'
import { limits } from '#contracts/limits'
import { isUuid } from '#contracts/actions/params'
import { eventId } from '#outbox/record-event'
import type { Database } from '#postgres/connect'
import { attempt, type Sender } from '../request/attempt.ts'
import type { Cuts } from '../request/abort-registry.ts'
import { listTargets } from './claim-queries.ts'
import { happenedAtOf } from './delivery-id.ts'
import { claimSingle, findDelivery, listBodies } from './queries.ts'
import { findEndpoint, noteSuccess, noteTest } from '../endpoints/queries.ts'
import type { Lander } from './record-results.ts'
import type { Pace } from './delivery-config.ts'
import { callTurns } from './queue-queries.ts'
import { verdictOf } from './retry.ts'
import { sampleBody } from '../events/sample.ts'
import { attemptOf } from './settle.ts'
import type { AttemptRow } from '../tables.ts'

export type Singles = { db: Database; pace: Pace; sender: Sender; lander: Lander; cuts: Cuts }

/**
 * Sends a delivery now, whatever its state; gives the attempt. Refuses not_found; conflict where an attempt of the same
 * object or as many as the endpoint may have are under way, or the endpoint was deleted.
 */
export async function retryNow(
  { db, pace, sender, lander, cuts }: Singles,
  shopId: string,
  id: string,
): Promise<AttemptRow> {
  const delivery = isUuid(id) ? await findDelivery(db, shopId, id.toLowerCase(), happenedAtOf(id)) : null
  if (delivery === null) throw refuse('not_found', 'No delivery with that id in this shop.')
  const { flight, target, nowMs } = await db.transaction(async (tx) => {
    await callTurns(tx, [shopId])
    const endpoint = await findEndpoint(tx, shopId, delivery.endpoint_id)
    if (endpoint === null)
      throw refuse('conflict', 'The endpoint of this delivery was deleted; nothing can be sent to it.')
    const current = (await findDelivery(tx, shopId, delivery.id, delivery.happened_at)) ?? delivery
    const flight = await claimSingle(tx, current, endpoint.line_id, randomUUID(), pace)
    if (flight === null)
      throw refuse('conflict', 'Other attempts are under way to this endpoint; try again in a moment.')
    const { targets, nowMs } = await listTargets(tx, [shopId], [endpoint.id])
    return { flight, target: targets.get(endpoint.id) ?? endpoint, nowMs }
  })
  const readAt = performance.now()
  const bodies = await listBodies(db, [shopId], [flight])
  const sent = { target, eventId: flight.event_id, body: bodies.get(flight.event_id) ?? '', attempt: flight.attempt }
  const send = (signal: AbortSignal) => attempt(sender, { ...sent, reason: 'manual', nowMs, signal })
  const answer = await cuts.with(target.id, send)
  await lander.land({ flight, answer, nowMs: nowMs + performance.now() - readAt, chance: Math.random() })
  return attemptOf(flight, answer)
}

/** Sends a made-up event of that kind to one endpoint; gives the attempt. Refuses not_found; rate_limited after ten a minute. */
export async function sendTest(
  { db, pace, sender, cuts }: Singles,
  caller: Caller,
  endpointId: string,
  kind: EventKind,
): Promise<AttemptRow> {
  const { shopId } = caller
  const endpoint = isUuid(endpointId) ? await findEndpoint(db, shopId, endpointId) : null
  if (endpoint === null) throw refuse('not_found', 'No webhook endpoint with that id in this shop.')
  const tooMany = await db.transaction((tx) => noteTest(tx, shopId, endpoint.id, limits.webhookTestsPerMinute))
  if (tooMany !== null) {
    const words = `An endpoint takes at most ${limits.webhookTestsPerMinute} tests a minute.`
    throw refuse('rate_limited', words, { retry_after_s: tooMany.wait_s })
  }
  const { targets, nowMs } = await listTargets(db, [shopId], [endpoint.id])
  const startedAt = new Date(nowMs)
  const id = eventId(startedAt, 0)
  const body = sampleBody(kind, { id, shopId, currency: caller.currency, now: startedAt })
  const target = targets.get(endpoint.id) ?? endpoint
  const sent = { target, eventId: id, body, attempt: 1, reason: 'test' as const, nowMs }
  const answer = await cuts.with(target.id, (signal) => attempt(sender, { ...sent, signal }))
  // A receiver that takes a test lives again: what waits for it need not wait longer.
  if (verdictOf(answer, pace, nowMs).kind === 'delivered') await noteTestTaken(db, pace, shopId, endpoint.id)
  const { status, error, excerpt, durationMs } = answer
  return {
    ...{ delivery_id: id, number: 1, reason: 'test', started_at: startedAt, duration_ms: durationMs },
    ...{ status, error, excerpt },
  }
}

async function noteTestTaken(db: Database, pace: Pace, shopId: string, endpointId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await callTurns(tx, [shopId])
    await noteSuccess(tx, shopId, [endpointId], pace)
  })
}
