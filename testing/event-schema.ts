// A schema that has only the tables of an event outbox: for tests of the outbox without a service.
import { randomUUID } from 'node:crypto'
import type { QueryRunner } from 'typeorm'
import { eventBody, eventId, type HappenedEvent } from '#outbox/record-event'
import { epochTable } from '#outbox/epochs'
import { eventTable } from '#outbox/event-table'
import { outboxFailureTable } from '#outbox/failures'
import type { RelayLog } from '#outbox/relay'
import type { Storage } from '#postgres/connect'

class CreateEvents1763600000000 {
  name = 'CreateEvents1763600000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(eventTable)
    await runner.query(epochTable)
    await runner.query(outboxFailureTable)
  }
}

export const eventStorage: Storage = { schema: 'happenings', entities: [], migrations: [CreateEvents1763600000000] }

/** An event of an object of its own; `facts` replace. */
export function makeHappened(facts: Partial<HappenedEvent> = {}): HappenedEvent {
  return {
    shopId: randomUUID(),
    objectId: randomUUID(),
    sequence: 1,
    type: 'order.created',
    document: '{"id":"an order"}',
    now: new Date(),
    ...facts,
  }
}

/** A log of a relay that nobody reads. */
export const silentLog: RelayLog = {
  failed: () => undefined,
  recovered: () => undefined,
  stalled: () => undefined,
  flowing: () => undefined,
}

/** The same as `webhooks.ingest` takes it. */
export function makeIncoming(shopId: string, facts: Parameters<typeof makeHappened>[0] = {}) {
  const happened = makeHappened({ shopId, ...facts })
  const id = eventId(happened.now, happened.sequence)
  const { objectId: object_id, sequence, type, now } = happened
  const body = eventBody(id, happened)
  return { id, shop_id: shopId, object_id, sequence, type, body, happened_at: now.toISOString() }
}
