// Owns a schema that has nothing but events: for tests of the outbox without any service.
import { randomUUID } from 'node:crypto'
import type { QueryRunner } from 'typeorm'
import type { HappenedEvent } from '#outbox/record-event'
import { dropEventTable, eventTable } from '#outbox/event-table'
import type { Storage } from '#postgres/connect'

class CreateEvents1763600000000 {
  name = 'CreateEvents1763600000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(eventTable)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropEventTable)
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

/** Waits until the question is answered with yes; fails after half a minute. */
export async function until(question: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + 30_000
  while (!(await question())) {
    if (Date.now() > end) throw new Error('It did not come to that within half a minute.')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
