// Tests the public event log: order, cursor and filters, and that no event becomes visible behind a cursor that was handed out.
// docs/spec/rest-api.md#list-events
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { ActionInput } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import { eventKinds } from '#contracts/objects/webhook-event'
import { duringTests } from '#testing/during-tests'
import { pageIn } from '#testing/lists'
import { makeIncoming } from '#testing/event-schema'
import { makeCaller, openService } from '#testing/product/one-service'
import { planModes, planOf } from '#testing/plan'
import { until } from '#testing/until'
import { listAfter, skipPositions, takePositions } from './feed-queries.ts'
import type { EventListFilter } from './queries.ts'
import { webhooks } from '../service.ts'

type Page = { data: { id: string }[]; has_more: boolean; next_cursor: string }

const service = duringTests(() => openService(webhooks))

async function ingest(caller: Caller, ...facts: Parameters<typeof makeIncoming>[1][]): Promise<string[]> {
  const events = facts.map((one) => makeIncoming(caller.shopId, one))
  await service.call('webhooks.ingest', { events })
  return events.map(({ id }) => id)
}
async function feed(caller: Caller, params: ActionInput<'events.feed'> = {}): Promise<Page> {
  return pageIn<{ id: string }>(await service.call('events.feed', params, { caller })) as Page
}
const idsOf = ({ data }: Page) => data.map(({ id }) => id)

describe('the feed', () => {
  test('shows the newest first, then what came after, oldest first; an empty page repeats its cursor', async () => {
    const [caller, stranger] = [makeCaller(), makeCaller()]
    const none = await feed(caller)
    expect(none).toEqual({ data: [], has_more: false, next_cursor: expect.any(String) })
    expect(await feed(caller, { cursor: none.next_cursor })).toEqual(none)
    const now = Date.now()
    const first = await ingest(
      caller,
      { now: new Date(now - 2_000) },
      { now: new Date(now - 1_000) },
      { now: new Date(now) },
    )
    await ingest(stranger, {})
    const newest = await feed(caller, { limit: 2 })
    expect([idsOf(newest), newest.has_more]).toEqual([[first[2], first[1]], false])
    expect(idsOf(await feed(caller, { cursor: none.next_cursor }))).toEqual(first)
    const late = await ingest(caller, { now: new Date(now - 60_000) }) // Of a relay that was away.
    const more = await ingest(caller, {}, {})
    const page = await feed(caller, { cursor: newest.next_cursor, limit: 2 })
    expect([idsOf(page), page.has_more]).toEqual([[late[0], more[0]], true])
    const last = await feed(caller, { cursor: page.next_cursor, limit: 2 })
    expect([idsOf(last), last.has_more]).toEqual([[more[1]], false])
    expect((await feed(caller, { cursor: last.next_cursor })).next_cursor).toBe(last.next_cursor)
    await expect(feed(stranger, { cursor: last.next_cursor })).rejects.toMatchObject({ type: 'invalid_request' })
  })

  test('filters by kind, family, object and time, behind a cursor too; a cursor belongs to its filters', async () => {
    const caller = makeCaller()
    const objectId = randomUUID()
    const old = new Date(Date.now() - 3_600_000)
    const filters: ActionInput<'events.feed'>[] = [
      { type: 'order.paid' },
      { type: 'order.*' },
      { object_id: objectId },
      { created_after: new Date(Date.now() - 60_000).toISOString() },
      { created_before: new Date(Date.now() - 60_000).toISOString() },
    ]
    const cursors: string[] = []
    for (const filter of filters) cursors.push((await feed(caller, filter)).next_cursor)
    const ids = await ingest(
      caller,
      { type: 'order.created', objectId },
      { type: 'order.paid', objectId, sequence: 2 },
      { type: 'booking.confirmed' },
      { type: 'order.paid', now: old },
    )
    const expected = [[1, 3], [0, 1, 3], [0, 1], [0, 1, 2], [3]].map((list) => list.map((index) => ids[index]))
    for (const [index, filter] of filters.entries()) {
      expect(idsOf(await feed(caller, { ...filter, cursor: cursors[index] }))).toEqual(expected[index])
      expect(idsOf(await feed(caller, filter)).toSorted()).toEqual(expected[index]?.toSorted())
    }
    await expect(feed(caller, { cursor: cursors[0] })).rejects.toMatchObject({ type: 'invalid_request' })
  })
})

describe('an event never becomes visible behind a cursor', () => {
  test('of a transaction that commits late: later ones of the shop wait for it, other shops do not', async () => {
    const [caller, other] = [makeCaller(), makeCaller()]
    const { next_cursor: cursor } = await feed(caller)
    const seen: string[] = []
    const [late] = [makeIncoming(caller.shopId)]
    let storing: Promise<string[]> = Promise.resolve([])
    await service.db.transaction(async (tx) => {
      const position = (await takePositions(tx, [caller.shopId], [1])).get(caller.shopId)
      await tx.rows(
        `insert into events (id, shop_id, object_id, sequence, type, body, happened_at, position)
         values ($1, $2, $3, 1, 'order.paid', $4, $5, $6)`,
        [late.id, caller.shopId, late.object_id, late.body, late.happened_at, position],
      )
      storing = ingest(caller, {})
      await ingest(other, {})
      seen.push(...idsOf(await feed(caller, { cursor })))
    })
    const [early] = await storing
    expect(seen).toEqual([])
    expect(idsOf(await feed(caller, { cursor }))).toEqual([late.id, early])
  })

  test('with four writers and a reader that goes on from its last cursor: 0 of 800 are missed', async () => {
    const caller = makeCaller()
    let { next_cursor: cursor } = await feed(caller)
    const written: string[] = []
    const writers = Array.from({ length: 4 }, async () => {
      for (let batch = 0; batch < 100; batch += 1) written.push(...(await ingest(caller, {}, {})))
    })
    const seen: string[] = []
    const read = async () => {
      const page = await feed(caller, { cursor, limit: 100 })
      seen.push(...idsOf(page))
      cursor = page.next_cursor
    }
    const writing = Promise.all(writers)
    let isOver = false
    void writing.then(() => (isOver = true))
    while (!isOver) await read()
    await writing
    await until(async () => (await read(), seen.length >= 800))
    expect(seen.length).toBe(800)
    expect(seen.toSorted()).toEqual(written.toSorted())
  })
})

describe('after the database was restored', () => {
  // As the rows are when a backup of before the last event is restored.
  const loseEvents = async (caller: Caller, count: number) => {
    await service.db.rows(
      'delete from events where shop_id = $1 and position > (select position from feeds where shop_id = $1) - $2',
      [...[caller.shopId, count]],
    )
    await service.db.rows('update feeds set position = position - $2 where shop_id = $1', [caller.shopId, count])
  }

  test('a cursor of the lost time leads to every event after the restore', async () => {
    const caller = makeCaller()
    await ingest(caller, {}, {})
    const before = await feed(caller)
    await ingest(caller, {}, {}, {})
    const lost = await feed(caller, { cursor: before.next_cursor })
    await loseEvents(caller, 3)
    await service.db.transaction((tx) => skipPositions(tx, [caller.shopId], 1_786_528_800))
    const fresh = await ingest(caller, {}, {})
    for (const { next_cursor: cursor } of [before, lost]) expect(idsOf(await feed(caller, { cursor }))).toEqual(fresh)
  })

  test('a cursor that is ahead of the log is refused where no epoch was begun, and not taken for an empty page', async () => {
    const caller = makeCaller()
    await ingest(caller, {}, {}, {})
    const { next_cursor: cursor } = await feed(caller)
    await loseEvents(caller, 2)
    await expect(feed(caller, { cursor })).rejects.toMatchObject({ type: 'invalid_request', data: { field: 'cursor' } })
  })
})

describe('plans behind a cursor', () => {
  const { shopId } = makeCaller()

  beforeAll(async () => {
    await service.db.rows(
      `insert into events (id, shop_id, object_id, sequence, type, body, happened_at, position)
       select gen_random_uuid(), case when n % 3 = 0 then $1::uuid else md5((n % 20)::text)::uuid end, gen_random_uuid(), 1,
         ($2::text[])[1 + n % cardinality($2::text[])], repeat('x', 600), now() - n * interval '2 seconds', n
       from generate_series(1, 30000) n`,
      [shopId, eventKinds.filter((kind) => kind !== 'order.shipped')],
    )
    await service.db.rows('vacuum analyze events')
  })

  describe.each(planModes)('%s', (mode) => {
    test.each([
      ['every kind', {}, /events_feed_\d{8}|shop_id_position_idx/],
      ['one kind', { type: ['order.paid'] }, /events_feed_type|shop_id_type_position_idx/],
      ['a kind of none', { type: ['order.shipped'] }, /events_feed_type|shop_id_type_position_idx/],
      ['a family', { type: ['order.*'] }, /events_feed_type|shop_id_type_position_idx/],
      ['one object', { object_id: randomUUID() }, /events_object|shop_id_object_id_happened_at/],
    ] as [string, EventListFilter, RegExp][])('%s', async (_what, filter, index) => {
      const plan = await planOf(service.db, mode, (sql) => listAfter(sql, shopId, filter, 15_000, 26))
      expect(plan).toMatch(index)
      expect(plan).not.toMatch(/Seq Scan|Bitmap/)
    })
  })
})
