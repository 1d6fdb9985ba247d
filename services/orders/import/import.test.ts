// Imports of orders and refunds: once for each key, whole or not at all, and one bad object stops no other.
// docs/spec/imports.md#identity-and-re-import, docs/spec/imports.md#retail-transactions
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Caller } from '#contracts/caller'
import type { ImportResult } from '#contracts/actions/import-result'
import type { Order } from '#contracts/objects/order'
import { duringTests } from '#testing/during-tests'
import { pageIn } from '#testing/lists'
import { makeCaller, openService } from '#testing/product/one-service'
import { orders } from '../service.ts'

const service = duringTests(() => openService(orders))

const product = '11111111-1111-4111-8111-111111111111'
const contact = '44444444-4444-4444-8444-444444444444'
const line = {
  product_id: product,
  variant_id: null,
  title: 'WHITE LANTERN',
  variant_label: null,
  sku: '85123A',
  kind: 'physical',
  quantity: 6,
  unit_price_cents: 255,
}
const at = '2010-12-01T08:26:00.000Z'
const imported = {
  client_id: contact,
  status: 'completed',
  payment_status: 'paid',
  payment_method: 'bank_transfer',
  customer: { name: 'Customer 17850', email: null, phone: null },
  address: { line1: null, line2: null, city: null, region: null, postal_code: null, country: 'GB' },
  delivery: { method: 'shipping', label: 'Standard' },
  coupon_code: null,
  note: null,
  discount_cents: 30,
  delivery_fee_cents: 500,
  tax_cents: 0,
  refunded_cents: 0,
  shipped_at: null,
  created_at: at,
  updated_at: at,
  lines: [line],
}

type Options = { source?: string; batch?: string; dry_run?: boolean }
type Refund = { client_id: string | null; sku: string; amount_cents: number; at: string }

async function importAll(caller: Caller, orders: Record<string, object>, options: Options = {}) {
  const items = Object.entries(orders).map(([key, order]) => ({ key, order }))
  const params = { source: 'retail', orders: items, ...options }
  return ((await service.call('orders.import', params, { caller })) as { results: ImportResult[] }).results
}

async function refundAll(caller: Caller, items: Record<string, Refund & object>, options: Options = {}) {
  const refunds = Object.entries(items).map(([key, refund]) => ({ key, ...refund }))
  const params = { source: 'retail', refunds, ...options }
  return ((await service.call('orders.import_refunds', params, { caller })) as { results: ImportResult[] }).results
}

const outcomesOf = (results: ImportResult[]) => results.map(({ outcome }) => outcome)

async function get(caller: Caller, id: string | null | undefined): Promise<Order> {
  return JSON.parse(((await service.call('orders.get', { id: id ?? '' }, { caller })) as Buffer).toString()).data
}

async function rowsOf(caller: Caller) {
  const [row] = await service.db.rows<{ orders: number; lines: number; owed: number }>(
    `select (select count(*)::int from orders where shop_id = $1) as orders,
       (select count(*)::int from order_lines where shop_id = $1) as lines,
       (select count(*)::int from outbox where shop_id = $1) as owed`,
    [caller.shopId],
  )
  return row
}

describe('orders of a file', () => {
  test('an order is created with its lines, sums and times, without event or message', async () => {
    const caller = makeCaller()
    const [result] = await importAll(caller, { '536365': imported })
    const created = { outcome: 'created', id: expect.any(String), code: null, message: null, left_cents: 2_000 }
    expect(result).toEqual({ key: '536365', ...created })
    const order = await get(caller, result?.id)
    expect([order.subtotal.cents, order.discount.cents, order.total.cents]).toEqual([1_530, 30, 2_000])
    expect([order.status, order.paymentStatus, order.itemCount]).toEqual(['completed', 'paid', 6])
    expect(order.customer).toEqual({ clientId: contact, name: 'Customer 17850', email: null, phone: null })
    expect(order.createdAt).toBe('2010-12-01T08:26:00.000Z')
    expect(Date.parse(order.updatedAt ?? '')).toBeGreaterThan(Date.parse('2026-01-01')) // When it was imported.
    expect([order.address.country, order.delivery.method, order.delivery.label]).toEqual(['GB', 'shipping', 'Standard'])
    expect(await rowsOf(caller)).toEqual({ orders: 1, lines: 1, owed: 0 })
  })

  test('the same batch again changes nothing', async () => {
    const caller = makeCaller()
    const batch = { a: imported, b: { ...imported, lines: [line, line, { ...line, sku: '85123a', title: 'Lantern' }] } }
    const first = await importAll(caller, batch)
    const before = await Promise.all(first.map(({ id }) => get(caller, id)))
    const second = await importAll(caller, batch)
    expect(second.map(({ outcome, id }) => ({ outcome, id }))).toEqual(
      first.map(({ id }) => ({ outcome: 'unchanged', id })),
    )
    expect(await Promise.all(second.map(({ id }) => get(caller, id)))).toEqual(before)
    expect(await rowsOf(caller)).toEqual({ orders: 2, lines: 4, owed: 0 })
  })

  test('a changed order is replaced as a whole under its id; lines at the same place keep theirs; updatedAt moves', async () => {
    const caller = makeCaller()
    const [first] = await importAll(caller, { a: { ...imported, lines: [line, { ...line, title: 'Second' }] } })
    const before = await get(caller, first?.id)
    const changed = { ...imported, status: 'cancelled', note: 'late', lines: [{ ...line, quantity: 1 }] }
    const [second] = await importAll(caller, { a: changed })
    expect(second).toEqual(expect.objectContaining({ outcome: 'updated', id: first?.id }))
    const after = await get(caller, second?.id)
    expect([after.status, after.note, after.itemCount, after.total.cents]).toEqual(['cancelled', 'late', 1, 725])
    expect(after.items.map(({ id }) => id)).toEqual(before.items.slice(0, 1).map(({ id }) => id))
    expect(Date.parse(after.updatedAt ?? '')).toBeGreaterThan(Date.parse('2026-01-01'))
    expect(await rowsOf(caller)).toEqual({ orders: 1, lines: 1, owed: 0 })
  })

  test('a batch that is sent again has the results of the first time', async () => {
    const caller = makeCaller()
    await importAll(caller, { old: imported, same: imported })
    const items = {
      old: { ...imported, note: 'late' },
      same: imported,
      made: imported,
      bad: { ...imported, lines: [] },
    }
    const send = async (batch: string) =>
      (await importAll(caller, items, { batch })).map(({ left_cents: _left, ...rest }) => rest)
    const batch = randomUUID()
    const first = await send(batch)
    expect(outcomesOf(first)).toEqual(['updated', 'unchanged', 'created', 'failed'])
    expect(await send(batch)).toEqual(first)
    expect(outcomesOf(await send(randomUUID()))).toEqual(['unchanged', 'unchanged', 'unchanged', 'failed'])
  })

  test('one batch ten times at once has ten times the same results', async () => {
    const caller = makeCaller()
    const orders = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, imported]))
    const batch = randomUUID()
    const runs = await Promise.all(Array.from({ length: 10 }, () => importAll(caller, orders, { batch })))
    expect(outcomesOf(runs.flat())).toEqual(Array.from({ length: 200 }, () => 'created'))
    expect(await rowsOf(caller)).toEqual({ orders: 20, lines: 20, owed: 0 })
  })

  test('one key of two sources is two orders, one source of two shops as well', async () => {
    const caller = makeCaller()
    const results = [
      ...(await importAll(caller, { a: imported })),
      ...(await importAll(caller, { a: imported }, { source: 'shopify-orders' })),
      ...(await importAll(makeCaller(), { a: imported })),
    ]
    expect(new Set(results.map(({ id }) => id)).size).toBe(3)
  })

  test.each<[string, object, RegExp]>([
    ['too_many_lines', { lines: Array.from({ length: 1_001 }, () => line) }, /at most 1000 lines/],
    ['money_mismatch', { discount_cents: 1_531 }, /^discount /],
    ['money', { lines: [{ ...line, unit_price_cents: 2 ** 53 - 1 }] }, /^items\[0\]\.unitPrice /],
    ['refund_exceeds_total', { refunded_cents: 2_001 }, /20\.01.*20\.00/],
    ['refund_mismatch', { payment_status: 'refunded', refunded_cents: 100 }, /1\.00 of 20\.00/],
    ['no_shipped_at', { status: 'shipped' }, /shipped/],
    ['invalid_request', { lines: [] }, /^lines /],
    ['invalid_request', { lines: [{ ...line, title: 'x'.repeat(256) }] }, /^lines\[0\]\.title /],
    ['invalid_request', { note: 'a\u0000b' }, /^note /],
    ['invalid_request', { payment_status: 'voided' }, /^payment_status /],
    ['invalid_request', { created_at: 'yesterday' }, /^created_at /],
  ])('%s fails its order alone (case %#)', async (code, wrong, words) => {
    const caller = makeCaller()
    const results = await importAll(caller, { a: imported, b: { ...imported, ...wrong }, c: imported })
    expect(outcomesOf(results)).toEqual(['created', 'failed', 'created'])
    const failed = { key: 'b', outcome: 'failed', id: null, code, message: expect.stringMatching(words) }
    expect(results[1]).toMatchObject(failed)
    expect(await rowsOf(caller)).toEqual({ orders: 2, lines: 2, owed: 0 })
  })

  test('a dry run has the results of an import, and changes nothing', async () => {
    const caller = makeCaller()
    await importAll(caller, { a: imported, b: imported })
    const before = await rowsOf(caller)
    const orders = { a: imported, b: { ...imported, note: 'new' }, c: imported, d: { ...imported, lines: [] } }
    const results = await importAll(caller, orders, { dry_run: true })
    expect(outcomesOf(results)).toEqual(['unchanged', 'updated', 'created', 'failed'])
    expect(await rowsOf(caller)).toEqual(before)
    const again = await importAll(caller, { b: { ...imported, note: 'new' }, c: imported })
    expect(outcomesOf(again)).toEqual(['updated', 'created'])
  })

  test('the fingerprint of the file decides what is unchanged, not the ids that replaced its keys', async () => {
    const caller = makeCaller()
    const send = async (order: object) => {
      const params = { source: 'retail', orders: [{ key: 'a', fingerprint: 'of the file', order }] }
      return ((await service.call('orders.import', params, { caller })) as { results: ImportResult[] }).results[0]
        ?.outcome
    }
    expect(await send(imported)).toBe('created')
    expect(await send({ ...imported, client_id: null })).toBe('unchanged')
  })

  test('an order that the database refuses fails alone; the others of its batch are written, also in a dry run', async () => {
    const caller = makeCaller()
    const rule = 'orders_without_this_note'
    await service.db.rows(`alter table orders add constraint ${rule} check (note is distinct from 'refused') not valid`)
    try {
      const some = { a: imported, b: { ...imported, note: 'refused' }, c: imported }
      const expected = ['created', 'failed', 'created']
      expect(outcomesOf(await importAll(caller, some, { dry_run: true }))).toEqual(expected)
      expect(await rowsOf(caller)).toEqual({ orders: 0, lines: 0, owed: 0 })
      const results = await importAll(caller, some)
      expect(outcomesOf(results)).toEqual(expected)
      expect(results[1]).toMatchObject({ code: 'not_storable', id: null })
      expect(await rowsOf(caller)).toEqual({ orders: 2, lines: 2, owed: 0 })
    } finally {
      await service.db.rows(`alter table orders drop constraint ${rule}`)
    }
  })

  test('a key that occurs twice in a batch is written twice, the same in a dry run', async () => {
    const caller = makeCaller()
    const orders = [imported, { ...imported, note: 'later' }, { ...imported, note: 'later' }].map((order) => ({
      key: 'a',
      order,
    }))
    const send = async (dry_run: boolean) => {
      const params = { source: 'retail', batch: randomUUID(), dry_run, orders }
      return ((await service.call('orders.import', params, { caller })) as { results: ImportResult[] }).results
    }
    const expected = ['created', 'updated', 'unchanged']
    expect(outcomesOf(await send(true))).toEqual(expected)
    const results = await send(false)
    expect(outcomesOf(results)).toEqual(expected)
    expect(new Set(results.map(({ id }) => id)).size).toBe(1)
    expect((await get(caller, results[0]?.id)).note).toBe('later')
    expect(await rowsOf(caller)).toEqual({ orders: 1, lines: 1, owed: 0 })
  })

  test('of a batch those are told that are unchanged or were written by it, and no others', async () => {
    const caller = makeCaller()
    const batch = randomUUID()
    const orders = ['a', 'b'].map((key) => ({ key, fingerprint: key, order: imported }))
    await service.call('orders.import', { source: 'retail', batch, orders }, { caller })
    const ask = async (fingerprints: Record<string, string>, own: string) => {
      const asked = Object.entries(fingerprints).map(([key, fingerprint]) => ({ key, fingerprint }))
      const answer = await service.call(
        'orders.import_unchanged',
        { source: 'retail', batch: own, orders: asked },
        { caller },
      )
      return (answer as { results: ImportResult[] }).results.map(({ key, outcome }) => `${key} ${outcome}`)
    }
    expect(await ask({ a: 'a', b: 'other', c: 'c' }, randomUUID())).toEqual(['a unchanged'])
    expect(await ask({ a: 'a', b: 'other', c: 'c' }, batch)).toEqual(['a created', 'b created'])
  })

  test('tables that an import fills are analysed before they are large', async () => {
    const caller = makeCaller()
    const size = async () => {
      const [row] = await service.db.rows<{ rows: number }>(
        "select reltuples::int as rows from pg_class where oid = 'order_lines'::regclass",
      )
      return row?.rows ?? 0
    }
    for (let from = 0; from < 300; from += 100) {
      await importAll(
        caller,
        Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n${from + index}`, imported])),
      )
    }
    expect(await size()).toBeGreaterThanOrEqual(200)
  })

  test('a key that is too long fails its order alone', async () => {
    const results = await importAll(makeCaller(), { a: imported, ['k'.repeat(256)]: imported })
    expect(outcomesOf(results)).toEqual(['created', 'failed'])
  })

  test('an order that is refunded whole is refunded, and ends where it is unshipped; a dispute or a price of 0 stays', async () => {
    const caller = makeCaller()
    const whole = { ...imported, refunded_cents: 2_000 }
    const free = { ...imported, discount_cents: 0, delivery_fee_cents: 0, lines: [{ ...line, unit_price_cents: 0 }] }
    const disputed = { ...whole, payment_status: 'disputed' }
    const results = await importAll(caller, { a: whole, b: { ...whole, status: 'new' }, c: disputed, d: free })
    const found = await Promise.all(results.map(({ id }) => get(caller, id)))
    expect(found.map(({ status, paymentStatus }) => `${status} ${paymentStatus}`)).toEqual([
      ...['completed refunded', 'refunded refunded', 'completed disputed', 'completed paid'],
    ])
  })

  test('ten imports of one batch at once write every order once', async () => {
    const caller = makeCaller()
    const batch = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`k${index}`, imported]))
    const runs = await Promise.all(Array.from({ length: 10 }, () => importAll(caller, batch)))
    expect(runs.flat().filter(({ outcome }) => outcome === 'created')).toHaveLength(10)
    expect(runs.flat().filter(({ outcome }) => outcome === 'unchanged')).toHaveLength(90)
    expect(await rowsOf(caller)).toEqual({ orders: 10, lines: 10, owed: 0 })
  })

  test('an order of 675 lines is imported, changed and listed whole', async () => {
    const caller = makeCaller()
    const lines = Array.from({ length: 675 }, (_, index) => ({ ...line, title: `Line ${index}` }))
    const [first] = await importAll(caller, { a: { ...imported, lines } })
    await importAll(caller, { a: { ...imported, lines: lines.toReversed() } })
    const order = await get(caller, first?.id)
    expect(order.items.map(({ title }) => title)).toEqual(lines.map(({ title }) => title).toReversed())
  })

  test('a page of 100 orders of 675 lines each is complete', async () => {
    const caller = makeCaller()
    const lines = Array.from({ length: 675 }, (_, index) => ({ ...line, title: `Line ${index}` }))
    await importAll(
      caller,
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, { ...imported, lines }])),
    )
    const { data } = pageIn<Order>(await service.call('orders.list', { limit: 100 }, { caller }))
    expect(data.map(({ items }) => items.length)).toEqual(Array.from({ length: 100 }, () => 675))
  })
})

describe('later moves and deletions', () => {
  test('an imported order fires no event; its first move is sequence 1', async () => {
    const caller = makeCaller()
    const [result] = await importAll(caller, { a: { ...imported, payment_status: 'disputed', status: 'confirmed' } })
    const id = result?.id ?? ''
    const eventsOf = () =>
      service.db.rows('select sequence, type from events where object_id = $1 order by sequence', [id])
    expect(await eventsOf()).toEqual([])
    // The file has the dispute without an amount, so the whole order is lost.
    await service.call('orders.resolve_dispute', { id, move: { outcome: 'lost' } }, { caller })
    const order = await get(caller, id)
    expect(order).toMatchObject({ status: 'refunded', paymentStatus: 'refunded', refunded: { cents: 2_000 } })
    expect(await eventsOf()).toEqual([
      { sequence: 1, type: 'order.dispute_closed' },
      { sequence: 2, type: 'order.refunded' },
    ])
  })

  test('an import does not bring a deleted product back', async () => {
    const caller = makeCaller()
    const message = { id: randomUUID(), kind: 'product.deleted' as const, body: { product_id: product } }
    await service.call('orders.forget_product', { ...message, shop_id: caller.shopId })
    const [result] = await importAll(caller, { a: imported })
    expect((await get(caller, result?.id)).items[0]?.productId).toBeNull()
  })
})

describe('refunds of a file', () => {
  const day = (number: number) => `2011-01-0${number}T00:00:00.000Z`
  const on = (number: number, more: object = {}) => ({
    ...imported,
    discount_cents: 0,
    delivery_fee_cents: 0,
    created_at: day(number),
    updated_at: day(number),
    ...more,
  })
  const refund = (more: Partial<Refund> = {}): Refund => ({
    client_id: contact,
    sku: '85123a',
    amount_cents: 255,
    at: day(5),
    ...more,
  })

  test('the latest earlier order that holds the SKU in any case is refunded, once for each key', async () => {
    const caller = makeCaller()
    const placed = await importAll(caller, {
      a: on(1),
      b: on(3),
      c: on(4, { lines: [{ ...line, sku: 'OTHER' }] }),
      d: on(6),
    })
    const [first] = await refundAll(caller, { 'C1:1': refund() })
    expect(first).toEqual({ key: 'C1:1', outcome: 'updated', id: placed[1]?.id, code: null, message: null })
    const [again] = await refundAll(caller, { 'C1:1': refund() })
    expect(again).toEqual({ key: 'C1:1', outcome: 'unchanged', id: placed[1]?.id, code: null, message: null })
    const order = await get(caller, placed[1]?.id)
    expect([order.refunded.cents, order.total.cents, order.paymentStatus]).toEqual([255, 1_530, 'paid'])
    expect(Date.parse(order.updatedAt ?? '')).toBeGreaterThan(Date.parse('2026-01-01'))
    const others = await Promise.all([0, 2, 3].map((index) => get(caller, placed[index]?.id)))
    expect(others.map(({ refunded }) => refunded.cents)).toEqual([0, 0, 0])
  })

  test('an order of the same instant counts as earlier', async () => {
    const caller = makeCaller()
    await importAll(caller, { a: on(5) })
    expect((await refundAll(caller, { r: refund() }))[0]?.outcome).toBe('updated')
  })

  test('of two orders of one instant the one with the later key is refunded, in every shop alike', async () => {
    for (const keys of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const caller = makeCaller()
      const placed = await importAll(caller, Object.fromEntries(keys.map((key) => [key, on(3)])))
      const [result] = await refundAll(caller, { r: refund() })
      expect(result?.id).toBe(placed[keys.indexOf('b')]?.id)
    }
  })

  test('only an order with enough left is refunded: the latest, then an earlier one, then none', async () => {
    const caller = makeCaller()
    const placed = await importAll(caller, { a: on(1), b: on(2) })
    const all = refund({ amount_cents: 1_530 })
    const results = await refundAll(caller, {
      r1: refund({ amount_cents: 530 }),
      r2: all,
      r3: refund({ amount_cents: 1_000 }),
      r4: refund(),
    })
    expect(results.map(({ outcome, id, code }) => [outcome, id, code])).toEqual([
      ['updated', placed[1]?.id, null],
      ['updated', placed[0]?.id, null],
      ['updated', placed[1]?.id, null],
      ['skipped', null, 'no_order'],
    ])
    const after = await Promise.all(placed.map(({ id }) => get(caller, id)))
    expect(after.map((one) => [one.status, one.paymentStatus, one.refunded.cents])).toEqual([
      ['completed', 'refunded', 1_530],
      ['completed', 'refunded', 1_530],
    ])
  })

  test.each<[string, object, Partial<Refund>]>([
    ['of another contact', {}, { client_id: randomUUID() }],
    ['without a contact', {}, { client_id: null }],
    ['before any order', {}, { at: '2010-12-31T23:59:59Z' }],
    ['for a SKU that no order holds', {}, { sku: 'NONE' }],
    ['above the total', {}, { amount_cents: 1_531 }],
    ['on an order that is not paid', { payment_status: 'unpaid' }, {}],
  ])('a refund %s is skipped', async (_what, order, more) => {
    const caller = makeCaller()
    const [placed] = await importAll(caller, { a: on(1, order) })
    const before = await get(caller, placed?.id)
    const [result] = await refundAll(caller, { r: refund(more) })
    expect(result).toEqual(
      expect.objectContaining({ outcome: 'skipped', id: null, message: expect.stringMatching(/\.$/) }),
    )
    expect(await get(caller, placed?.id)).toEqual(before)
  })

  test('an invalid refund fails alone', async () => {
    const caller = makeCaller()
    await importAll(caller, { a: on(1) })
    const results = await refundAll(caller, { r: refund({ amount_cents: 0 }), s: refund() })
    expect(outcomesOf(results)).toEqual(['failed', 'updated'])
  })

  test('each refund gives an order that is dated ahead a later updatedAt', async () => {
    const caller = makeCaller()
    const [placed] = await importAll(caller, { a: on(1) })
    await service.db.rows("update orders set updated_at = '2126-01-01' where id = $1", [placed?.id])
    await refundAll(caller, { r: refund(), s: refund() })
    const order = await get(caller, placed?.id)
    expect([order.refunded.cents, order.updatedAt]).toEqual([510, '2126-01-01T00:00:00.002Z'])
  })

  test('refunds stay when the order of the file changes', async () => {
    const caller = makeCaller()
    const [placed] = await importAll(caller, { a: on(1) })
    await refundAll(caller, { r: refund() })
    expect((await importAll(caller, { a: on(1) }))[0]?.outcome).toBe('unchanged')
    expect((await importAll(caller, { a: on(1, { note: 'late' }) }))[0]?.outcome).toBe('updated')
    expect((await get(caller, placed?.id)).refunded.cents).toBe(255)
    const [tooLittle] = await importAll(caller, { a: on(1, { discount_cents: 1_400 }) })
    expect(tooLittle).toEqual(expect.objectContaining({ outcome: 'failed', code: 'refund_exceeds_total' }))
  })

  test('a batch of refunds that is sent again has the results of the first time', async () => {
    const caller = makeCaller()
    await importAll(caller, { a: on(1) })
    const refunds = { r: refund(), s: refund({ sku: 'NONE' }) }
    const batch = randomUUID()
    const first = await refundAll(caller, refunds, { batch })
    expect(outcomesOf(first)).toEqual(['updated', 'skipped'])
    expect(await refundAll(caller, refunds, { batch })).toEqual(first)
    const other = await refundAll(caller, refunds, { batch: randomUUID() })
    expect(outcomesOf(other)).toEqual(['unchanged', 'skipped'])
  })

  test('a dry run returns the orders that could be refunded, the best first, and changes nothing', async () => {
    const caller = makeCaller()
    const placed = await importAll(caller, { a: on(1), b: on(3), c: on(3), d: on(2) })
    const before = await Promise.all(placed.map(({ id }) => get(caller, id)))
    const refunds = { r: { ...refund(), candidates_max: 3 }, s: refund({ sku: 'NONE' }) }
    const [some, none] = await refundAll(caller, refunds, { dry_run: true })
    expect(some).toMatchObject({ outcome: 'updated', id: placed[2]?.id })
    expect(some?.refundable?.map(({ key, at, left_cents }) => [key, at, left_cents])).toEqual([
      ['c', day(3), 1_530],
      ['b', day(3), 1_530],
      ['d', day(2), 1_530],
    ])
    expect(none).toMatchObject({ outcome: 'skipped', code: 'no_order', refundable: [] })
    expect(await Promise.all(placed.map(({ id }) => get(caller, id)))).toEqual(before)
  })

  test('twenty runs of one file at once refund once', async () => {
    const caller = makeCaller()
    const [placed] = await importAll(caller, { a: on(1) })
    await Promise.all(Array.from({ length: 20 }, () => refundAll(caller, { r: refund() })))
    expect((await get(caller, placed?.id)).refunded.cents).toBe(255)
  })
})
