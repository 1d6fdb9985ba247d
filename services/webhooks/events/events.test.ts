// Tests the event log: an event is stored once, byte for byte, and listed newest first, by index. docs/spec/webhooks.md#retention
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { ActionInput } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import { eventKinds } from '#contracts/objects/webhook-event'
import { openPage } from '#paging/page'
import { pageIn, walkPages } from '#testing/lists'
import { duringTests } from '#testing/during-tests'
import { makeIncoming } from '#testing/event-schema'
import { makeCaller, openService } from '#testing/product/one-service'
import { planModes, planOf } from '#testing/plan'
import { type EventListFilter, listEvents } from './queries.ts'
import { applyRetention } from './store.ts'
import { webhooks } from '../service.ts'

type IncomingEvent = ActionInput<'webhooks.ingest'>['events'][number]

const service = duringTests(() => openService(webhooks))

const ingest = (...events: IncomingEvent[]) => service.call('webhooks.ingest', { events })

async function list(caller: Caller, params: ActionInput<'events.list'> = {}) {
  const page = (await service.call('events.list', params, { caller })) as Buffer
  return page.toString()
}
const idsOf = (page: string) => (JSON.parse(page).data as { id: string }[]).map(({ id }) => id)

describe('storing', () => {
  test('an event that arrives again keeps it once, as it was first', async () => {
    const caller = makeCaller()
    const event = makeIncoming(caller.shopId)
    await Promise.all([ingest(event), ingest(event), ingest(event, event)])
    await ingest({ ...event, body: '{"other":true}' })
    expect(await list(caller)).toBe(`{"data":[${event.body}],"has_more":false,"next_cursor":null}`)
  })

  test('an event that is weeks old, or from a clock that is ahead, creates its partition', async () => {
    const caller = makeCaller()
    const old = makeIncoming(caller.shopId, { now: new Date(Date.now() - 45 * 86_400_000) })
    const ahead = makeIncoming(caller.shopId, { now: new Date(Date.now() + 45 * 86_400_000) })
    await ingest(old, ahead)
    expect(idsOf(await list(caller))).toEqual([ahead.id, old.id])
  })

  test('an event of an unknown kind succeeds', async () => {
    const caller = makeCaller()
    const event = { ...makeIncoming(caller.shopId), type: 'order.praised' }
    await ingest(event)
    expect(idsOf(await list(caller))).toEqual([event.id])
  })

  test('several events stores all of them or none', async () => {
    const caller = makeCaller()
    await expect(
      ingest(makeIncoming(caller.shopId), { ...makeIncoming(caller.shopId), sequence: 0 }),
    ).rejects.toMatchObject({
      type: 'invalid_request',
    })
    expect(idsOf(await list(caller))).toEqual([])
  })

  test('a body in pieces completes with the last piece, and is refused while a piece is missing', async () => {
    const caller = makeCaller()
    const event = makeIncoming(caller.shopId, { document: '"abcdefghij"' })
    const cut = event.body.length - 4
    const pieces = [event.body.slice(0, cut), event.body.slice(cut)]
    const piece = (index: number) => ({ ...event, body: pieces[index] ?? '', piece: { index, count: 2 } })
    await expect(ingest(piece(1))).rejects.toMatchObject({ type: 'unavailable' })
    await ingest(piece(0))
    expect(idsOf(await list(caller))).toEqual([])
    await ingest(piece(0))
    await ingest(piece(1))
    expect(await list(caller)).toContain(`[${event.body}]`)
  })

  test('days past 30 go, with what was left in pieces', async () => {
    const caller = makeCaller()
    const now = Date.now()
    const days = [29, 31, 32].map((age) => makeIncoming(caller.shopId, { now: new Date(now - age * 86_400_000) }))
    await ingest(...days)
    await ingest({ ...makeIncoming(caller.shopId), piece: { index: 0, count: 2 } })
    await applyRetention(service.db, new Date(now))
    expect(idsOf(await list(caller))).toEqual([days[0]?.id])
    expect(await service.db.rows('select 1 from event_pieces')).toHaveLength(1)
    await applyRetention(service.db, new Date(now + 2 * 86_400_000))
    expect(idsOf(await list(caller))).toEqual([])
    expect(await service.db.rows('select 1 from event_pieces')).toEqual([])
  })
})

describe('the log', () => {
  test("is the shop's own, newest first, in pages, by kind", async () => {
    const [caller, stranger] = [makeCaller(), makeCaller()]
    const objectId = randomUUID()
    const start = Date.now() - 10_000
    const events = Array.from({ length: 9 }, (_, index) =>
      makeIncoming(caller.shopId, {
        objectId,
        sequence: index + 1,
        type: index % 3 === 0 ? 'order.updated' : 'subscription.renewed',
        now: new Date(start + Math.floor(index / 3)), // Three per instant.
      }),
    )
    await ingest(...events, makeIncoming(stranger.shopId))
    const newest = events.map(({ id }) => id).toReversed()
    const seen = await walkPages(async (cursor) => pageIn<{ id: string }>(await list(caller, { limit: 2, cursor })))
    expect(seen.map(({ id }) => id)).toEqual(newest)
    const updated = events.filter(({ type }) => type === 'order.updated').map(({ id }) => id)
    expect(idsOf(await list(caller, { type: 'order.updated' }))).toEqual(updated.toReversed())
    expect(idsOf(await list(caller, { type: 'order.updated,booking.*' }))).toEqual(updated.toReversed())
    expect(idsOf(await list(caller, { type: 'order.updated,subscription.*' }))).toEqual(newest)
    expect(idsOf(await list(stranger))).toHaveLength(1)
    expect(idsOf(await list(makeCaller()))).toEqual([])
  })

  test('refuses an unknown kind and a cursor of another list', async () => {
    const caller = makeCaller()
    await ingest(makeIncoming(caller.shopId), makeIncoming(caller.shopId))
    await expect(list(caller, { type: 'order.praised' })).rejects.toMatchObject({
      type: 'invalid_request',
      message: `type must be one of ${eventKinds.join(', ')}, order.*, booking.*, subscription.*, not "order.praised".`,
    })
    const cursor: string = JSON.parse(await list(caller, { limit: 1 })).next_cursor
    await expect(list(caller, { type: 'order.paid', cursor })).rejects.toMatchObject({ type: 'invalid_request' })
  })
})

describe('plans over three days of many events', () => {
  const { shopId } = makeCaller()
  const scope = { keys: [], resource: 'events', shopId, filter: '' }
  const first = openPage({}, scope)
  const [morning, noon] = [new Date('2031-05-02T06:00:00Z'), new Date('2031-05-02T12:00:00Z')]
  const later = {
    ...first,
    after: { createdAt: new Date('2031-05-02T12:00:00Z'), id: '80000000-0000-7000-8000-000000000000' },
  }

  beforeAll(async () => {
    await service.db.rows("select drop_days('events', '9999-01-01', 'false')")
    await service.db.rows("select make_days('events', '2031-05-01', 3)")
    await service.db.rows(
      `insert into events (id, shop_id, object_id, sequence, type, body, happened_at, position)
       select gen_random_uuid(), case when n % 3 = 0 then $1::uuid else md5((n % 20)::text)::uuid end, gen_random_uuid(), 1,
         ($2::text[])[1 + n % cardinality($2::text[])], repeat('x', 600),
         timestamptz '2031-05-01' + make_interval(secs => n * 8), n
       from generate_series(1, 30000) n`,
      [shopId, eventKinds.filter((kind) => kind !== 'order.shipped')],
    )
    await service.db.rows('analyze events')
  })

  describe.each(planModes)('%s', (mode) => {
    test.each([
      ['every kind', {}, /using events_\d{8}_shop_id_happened_at_id_idx/],
      ['one kind', { type: ['order.paid'] }, /using events_\d{8}_shop_id_type_happened_at_id_idx/],
      ['some hours', { created_after: morning, created_before: noon }, /using events_\d{8}_shop_id_happened_at_id_idx/],
      ['one object', { object_id: randomUUID() }, /using events_\d{8}_shop_id_object_id_happened_at_id_idx/],
      [
        ...['one kind of one object', { type: ['order.paid'], object_id: randomUUID() }],
        /using events_\d{8}_shop_id_object_id_happened_at_id_idx/,
      ],
    ] as [string, EventListFilter, RegExp][])('%s', async (_what, filter, index) => {
      for (const want of [first, later]) {
        const plan = await planOf(service.db, mode, (sql) => listEvents(sql, shopId, filter, want))
        expect(plan).toMatch(index)
        expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
      }
    })

    test('a kind of none: by an index of the kind, and nothing is sorted', async () => {
      for (const want of [first, later]) {
        const plan = await planOf(service.db, mode, (sql) => listEvents(sql, shopId, { type: ['order.shipped'] }, want))
        expect(plan).toMatch(/using events_\d{8}_shop_id_type_/)
        // For no rows another index of the kind costs PostgreSQL the same, with a sort of nothing.
        expect(plan).not.toMatch(/Seq Scan|Bitmap|Sort \(actual rows=(?!0(\.00)? )/) // PostgreSQL before 18 writes 0.
      }
    })

    test('a family: each of its kinds by the index, and no more than a page of each is sorted', async () => {
      for (const want of [first, later]) {
        const plan = await planOf(service.db, mode, (sql) => listEvents(sql, shopId, { type: ['order.*'] }, want))
        expect(plan).toMatch(/using events_\d{8}_shop_id_type_happened_at_id_idx/)
        expect(plan).not.toMatch(/Seq Scan|Bitmap/)
        for (const [, rows] of plan.matchAll(/Limit \(actual rows=([\d.]+)/g))
          expect(Number(rows)).toBeLessThanOrEqual(26)
      }
    })
  })
})
