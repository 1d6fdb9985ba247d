// The list of orders: its order, every filter, pages beside inserts, and every combination is an index scan in the order of the
// list. docs/spec/rest-api.md#list-orders, docs/spec/rest-api.md#paging
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ActionInput } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import type { Order } from '#contracts/objects/order'
import { pageIn, pagesOf, timesOf, walkPages } from '#testing/lists'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { firstOf, planModes, planOf } from '#testing/plan'
import { type ListFilter, listOrders } from './queries.ts'
import { orders } from './service.ts'

const caller = makeCaller()
const rowsOfShop = 20_000
const buyer7 = 'b97272d1-f876-55b7-655c-0c78d99be018'
const service = duringTests(() => openService(orders))

beforeAll(async () => {
  await fill(caller, rowsOfShop)
  for (let shop = 0; shop < 4; shop += 1) await fill(makeCaller(), 3_000)
  await service.db.rows('vacuum analyze orders')
})

// A thousand orders share each instant. Two of three are completed, three of four paid; a buyer has ten orders.
async function fill({ shopId }: Caller, count: number): Promise<void> {
  await service.db.rows(
    `insert into orders (id, shop_id, status, payment_status, payment_method, currency, subtotal_cents, discount_cents,
       delivery_fee_cents, tax_cents, total_cents, refunded_cents, item_count, client_id, customer_email, email_key,
       has_booking, document, created_at, updated_at)
     select id, $1, status, payment_status, 'cod', 'GBP', 1, 0, 0, 0, 1, 0, 1, md5(email)::uuid, email, lower(email), false,
       json_build_object('id', id, 'status', status, 'paymentStatus', payment_status, 'text', repeat('x', 900)), t,
       t + make_interval(mins => n % 7)
     from (select n, gen_random_uuid() as id, timestamptz '2026-01-01' + make_interval(hours => n / 1000) as t,
         case when n % 3 = 0 then 'new' else 'completed' end as status,
         case when n % 4 = 0 then 'unpaid' else 'paid' end as payment_status,
         'Buyer' || n / 10 || '@Example.com' as email
       from generate_series(1, $2::int) n) x`,
    [shopId, count],
  )
}

async function list(params: ActionInput<'orders.list'>, who = caller) {
  return pageIn<Order>(await service.call('orders.list', params, { caller: who }))
}

async function walk(filter: ActionInput<'orders.list'>, who = caller): Promise<string[]> {
  return (await walkPages((cursor) => list({ limit: 100, ...filter, cursor }, who))).map(({ id }) => id)
}

describe('the list', () => {
  test('holds every order once, newest first, although a thousand share an instant', async () => {
    const rows = await service.db.rows<{ id: string }>(
      'select id from orders where shop_id = $1 order by created_at desc, id desc',
      [caller.shopId],
    )
    expect(await walk({})).toEqual(rows.map(({ id }) => id))
  })

  test('3,000 orders of one millisecond are listed once each while more are inserted at the same instant', async () => {
    const busy = makeCaller()
    const insert = (count: number) =>
      service.db.rows(
        `insert into orders (id, shop_id, status, payment_status, payment_method, currency, subtotal_cents,
           discount_cents, delivery_fee_cents, tax_cents, total_cents, refunded_cents, item_count, has_booking, document,
           created_at, updated_at)
         select id, $1, 'new', 'unpaid', 'cod', 'GBP', 1, 0, 0, 0, 1, 0, 1, false, json_build_object('id', id), t, t
         from (select gen_random_uuid() as id, timestamptz '2026-05-05 05:05:05.555Z' as t
           from generate_series(1, $2::int)) x returning id`,
        [busy.shopId, count],
      ) as Promise<{ id: string }[]>
    const before = (await insert(3_000)).map(({ id }) => id)
    const rows = await walkPages(async (cursor) => {
      const page = await list({ limit: 7, cursor }, busy)
      await insert(3)
      return page
    })
    const walked = rows.map(({ id }) => id)
    expect(new Set(walked).size).toBe(walked.length)
    const seen = new Set(walked)
    expect(before.filter((id) => !seen.has(id))).toEqual([])
    expect(walked).toEqual([...walked].sort().reverse())
  })

  test.each<[string, ActionInput<'orders.list'>, number]>([
    ['status', { status: 'new' }, 6_666],
    ['payment status', { payment_status: 'unpaid' }, 5_000],
    ['both', { status: 'new', payment_status: 'unpaid' }, 1_666],
    ['a status that none has', { status: 'shipped' }, 0],
    ['several statuses', { status: 'shipped,completed,new' }, rowsOfShop],
    ['several of both', { status: 'new,shipped', payment_status: 'unpaid,disputed' }, 1_666],
    [
      'several statuses of an email',
      { email: 'buyer7@example.com', status: 'new,completed', payment_status: 'paid' },
      8,
    ],
    ['several statuses and a change', { status: 'new,completed', updated_after: '2026-01-01T20:00:01Z' }, 1],
    ['an email in any case', { email: 'BUYER7@example.COM' }, 10],
    ['an email and both', { email: 'buyer7@example.com', status: 'new', payment_status: 'paid' }, 2],
    ['a contact', { client_id: buyer7.toUpperCase() }, 10],
    ['a contact and a status', { client_id: buyer7, payment_status: 'unpaid' }, 2],
    ['a contact and a time', { client_id: buyer7, created_after: '2026-01-02T00:00:00Z' }, 0],
    ['an email that none has', { email: 'nobody@example.com' }, 0],
    ['created from on', { created_after: '2026-01-01T20:00:00Z' }, 1],
    ['created before', { created_before: '2026-01-01T01:00:00Z' }, 999],
    ['changed in between', { updated_after: '2026-01-01T01:01:00Z', updated_before: '2026-01-01T01:02:00Z' }, 143],
    ['a status and a time', { status: 'completed', created_before: '2026-01-01T01:00:00Z' }, 666],
  ])('%s', async (_what, filter, count) => {
    expect(await walk(filter)).toHaveLength(count)
  })

  // Few orders have changed since the late instants, many since the early ones; 501 is one more than few.
  test.each([
    ...['2026-01-01T20:00:01Z', '2026-01-01T20:00:00Z', '2026-01-01T19:04:00Z', '2026-01-01T19:03:00Z'],
    ...['2026-01-01T19:00:00Z', '2026-01-01T03:00:00Z'],
  ])('orders changed since %s come in the order of the list', async (updated_after) => {
    const rows = await service.db.rows<{ id: string }>(
      `select id from orders where shop_id = $1 and updated_at >= $2 and status = 'new' order by created_at desc, id desc`,
      [caller.shopId, updated_after],
    )
    expect(await walk({ updated_after, status: 'new', limit: 7 })).toEqual(rows.map(({ id }) => id))
    expect(await walk({ updated_after, status: 'shipped,new', limit: 7 })).toEqual(rows.map(({ id }) => id))
  })

  test('of 500 and of 501 changes none is missing', async () => {
    for (const [count, instant] of [
      [500, '2026-02-01T00:00:00.000Z'],
      [501, '2026-03-01T00:00:00.000Z'],
    ] as const) {
      const busy = makeCaller()
      await fill(busy, 1_000)
      const changed = await service.db.rows<{ id: string }>(
        `update orders set updated_at = $2 where id in (select id from orders where shop_id = $1 order by id limit $3)
         returning id`,
        [busy.shopId, instant, count],
      )
      expect((await walk({ updated_after: instant }, busy)).sort()).toEqual(changed.map(({ id }) => id).sort())
    }
  })

  test('several values come in the order of the list, and a cursor serves them in any order', async () => {
    const rows = await service.db.rows<{ id: string }>(
      `select id from orders where shop_id = $1 and status in ('new', 'completed') order by created_at desc, id desc limit 6`,
      [caller.shopId],
    )
    const first = await list({ status: 'new,completed', limit: 3 })
    const cursor = first.next_cursor ?? ''
    const second = await list({ status: ' completed, new,new', limit: 3, cursor })
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    await expect(list({ status: 'new', cursor })).rejects.toMatchObject({ type: 'invalid_request' })
  })

  test.each([
    ['new,', ''],
    [',', ''],
    ['new;shipped', 'new;shipped'],
    ['new,lost', 'lost'],
    ['', ''],
  ])('the status %j is refused for the value %j', async (status, wrong) => {
    const message = `status must be one of new, confirmed, shipped, completed, cancelled, refunded, not "${wrong}".`
    await expect(list({ status })).rejects.toMatchObject({ type: 'invalid_request', message })
  })

  test('a limit above 100 is read as 100, none as 25', async () => {
    expect((await list({ limit: 5_000 })).data).toHaveLength(100)
    expect((await list({})).data).toHaveLength(25)
  })

  test.each<[string, ActionInput<'orders.list'>, Caller]>([
    ['other filters', { status: 'new' }, caller],
    ['another shop', {}, makeCaller()],
  ])('a cursor is refused for %s', async (_what, filter, who) => {
    const { next_cursor } = await list({})
    const page = list({ ...filter, cursor: next_cursor ?? '' }, who)
    await expect(page).rejects.toEqual(expect.objectContaining({ type: 'invalid_request' }))
  })
})

describe('plans', () => {
  const early = new Date('2026-01-01T03:00:00Z')
  const middle = new Date('2026-01-01T12:00:00Z')
  const times = timesOf(early, middle)
  const filters = [
    { index: 'orders_newest', filter: {} },
    { index: 'orders_status', filter: { status: ['new' as const] } },
    { index: 'orders_payment_status', filter: { payment_status: ['unpaid' as const] } },
    { index: 'orders_both_statuses', filter: { status: ['new' as const], payment_status: ['unpaid' as const] } },
    { index: 'orders_email', filter: { email_key: 'buyer7@example.com' } },
    { index: 'orders_email', filter: { email_key: 'buyer7@example.com', status: ['new' as const] } },
    { index: 'orders_email', filter: { email_key: 'buyer7@example.com', payment_status: ['unpaid' as const] } },
    {
      index: 'orders_email',
      filter: { email_key: 'buyer7@example.com', status: ['new' as const], payment_status: ['unpaid' as const] },
    },
    { index: 'orders_contact', filter: { client_id: buyer7 } },
    {
      index: 'orders_contact',
      filter: { client_id: buyer7, status: ['new' as const], payment_status: ['paid' as const] },
    },
    { index: 'orders_\\w+', filter: { status: ['shipped' as const] } },
    { index: 'orders_\\w+', filter: { status: ['shipped' as const], payment_status: ['disputed' as const] } },
  ]
  const wants = pagesOf('orders', caller.shopId, middle)
  const first = wants[0]!

  test.each(planModes)('every combination is a scan of its own index in the order of the list, %s', async (mode) => {
    for (const want of wants) {
      for (const time of times) {
        for (const { index, filter } of filters) {
          const plan = await planOf(service.db, mode, (sql) =>
            listOrders(sql, caller.shopId, { ...filter, ...time }, want),
          )
          expect(plan).toMatch(new RegExp(`Index Scan using ${index} on orders`))
          expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
        }
      }
    }
  })

  const both = { status: ['new', 'shipped'], payment_status: ['unpaid', 'paid', 'disputed'] } satisfies ListFilter
  test.each<[string, ListFilter]>([
    ['orders_status', { status: both.status }],
    ['orders_payment_status', { payment_status: both.payment_status }],
    ['orders_both_statuses', both],
    ['orders_both_statuses', { ...both, payment_status: ['paid'] }],
    ['orders_email', { ...both, email_key: 'buyer7@example.com' }],
  ])('of several values each combination is read by %s, and a page of each is sorted (%#)', async (index, filter) => {
    for (const mode of planModes) {
      for (const time of times) {
        const plan = await planOf(service.db, mode, (sql) =>
          listOrders(sql, caller.shopId, { ...filter, ...time }, first),
        )
        expect(plan).toMatch(new RegExp(`Index Scan using ${index} on orders \\(actual rows=(\\d|1\\d|2[0-6])[. ]`))
        expect(plan).not.toMatch(/Seq Scan|Bitmap/)
      }
    }
  })

  test.each(planModes)('few changed orders are found by their own index, with any filter, %s', async (mode) => {
    for (const want of wants) {
      for (const { filter } of filters) {
        const changed = { ...filter, updated_after: new Date('2026-01-01T19:05:00Z') }
        const plan = await planOf(service.db, mode, (sql) => listOrders(firstOf(sql), caller.shopId, changed, want))
        expect(plan).toMatch(/Index Scan (Backward )?using orders_changed on orders/)
        expect(plan).not.toMatch(/Seq Scan|Bitmap/)
      }
    }
  })
})
