// Reserving stock: it is taken once, never falls below zero, and is returned when no order was written.
// docs/spec/order-states.md#reservation, docs/spec/order-states.md#stock-levels
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ActionInput } from '#contracts/actions'
import type { Call, RequestInfo } from '#runtime/service'
import { limits } from '#contracts/limits'
import type { Product } from '#contracts/objects/product'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { pageIn } from '#testing/lists'
import { makeCaller, openService } from '#testing/product/one-service'
import { until } from '#testing/until'
import { catalog } from '../service.ts'
import { claimOverdue, deleteEndedReservations } from './queries.ts'
import { reservationActions } from './reserve.ts'
import { returnOverdue, returnReservation } from './settle.ts'

const caller = makeCaller()
const written = new Set<string>()
// Without its work in the background, which would take overdue reservations from under the tests.
const service = duringTests(() =>
  openService({ ...catalog, schema: (context) => ({ ...catalog.schema(context), started: async () => undefined }) }),
)
let calls = 0

beforeEach(() => {
  written.clear()
  calls = 0
})

type Item = { product_id: string; variant_id: string | null; quantity: number }
type Answer = { items: { title: string; unit_price_cents: number; variant_label: string | null }[] }

const parse = (body: unknown) => (JSON.parse(String(body)) as { data: Product }).data
const create = async (facts: object) => {
  const product = { title: 'Mug', price: { cents: 1999 }, ...facts }
  return parse(await service.call('products.create', { product }, { caller }))
}
const tracked = (stock: number, facts: object = {}) => create({ trackInventory: true, stock, ...facts })
const get = async (id: string) => parse(await service.call('products.get', { id }, { caller }))
const stockOf = async ({ id }: Product) => (await get(id)).stock
const change = (id: string, product: object) => service.call('products.change', { id, product }, { caller })
const reserve = (items: Item[], reservation_id = randomUUID(), who = caller) =>
  service.call('products.reserve', { reservation_id, items }, { caller: who }) as Promise<Answer>
const settle = (...orderIds: string[]) => {
  const [first, ...others] = orderIds.map((order_id) => {
    return { id: randomUUID(), kind: 'order.placed' as const, shop_id: caller.shopId, body: { order_id } }
  })
  if (first === undefined) throw new Error('A call has a message.')
  return service.call('products.settle', others.length === 0 ? first : { messages: [first, ...others] })
}
const some = ({ id }: Product, quantity = 1): Item => ({ product_id: id, variant_id: null, quantity })
const ofVariant = ({ id, variants }: Product, index: number, quantity = 1): Item => {
  return { product_id: id, variant_id: variants[index]?.id ?? '', quantity }
}
const refusal = (type: string, message: string) => expect.objectContaining({ type, message })

/** Answers orders.known as the orders service would: it knows the orders in `written`. */
const orders: Call = async (_name, params) => {
  calls += 1
  return { known: (params as ActionInput<'orders.known'>).orders.filter(({ id }) => written.has(id)) }
}
const setAge = (id: string, seconds: number) =>
  service.db.rows('update reservations set created_at = now() - make_interval(secs => $2) where reservation_id = $1', [
    id,
    seconds,
  ])

// The locks are those of the server, on which other test files have databases.
const waitingHere =
  'select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()'

/** Locks the product until `release`; `isAwaited` resolves when so many transactions wait, one for the other. */
async function lockProduct({ id }: Product) {
  const client = await openClient(service.url)
  const watcher = await openClient(service.url) // In a transaction pg_stat_activity stays as it was first read.
  await client.query('begin')
  await client.query('select 1 from catalog.products where id = $1 for update', [id])
  return {
    isAwaited: (transactions: number) =>
      until(async () => (await watcher.query(waitingHere)).rows.length >= transactions),
    async release() {
      await client.query('commit')
      await Promise.all([client.close(), watcher.close()])
    },
  }
}

/** A reservation of `age` seconds. */
async function reserveAged(items: Item[], age = 121) {
  const id = randomUUID()
  await reserve(items, id)
  await setAge(id, age)
  return id
}

describe('a reservation', () => {
  test('answers the fields that an order line copies, in the order of the items', async () => {
    const mug = await create({ title: 'Mug' })
    const large = { options: { Size: 'L', Colour: 'Red' }, sku: 'S-L-R', price: { cents: 2100 } }
    const shirt = await create({ title: 'Shirt', variants: [large, { options: { Size: 'M' } }] })
    const upper = { ...ofVariant(shirt, 0, 2), product_id: shirt.id.toUpperCase() }
    const line = { sku: null, kind: 'physical', unit_price_cents: 1999 }
    const [red, medium] = shirt.variants
    const ofShirt = { ...line, product_id: shirt.id, title: 'Shirt' }
    expect((await reserve([ofVariant(shirt, 1), some(mug), upper])).items).toEqual([
      { ...ofShirt, variant_id: medium?.id, variant_label: 'M' },
      { ...line, product_id: mug.id, variant_id: null, title: 'Mug', variant_label: null },
      { ...ofShirt, variant_id: red?.id, variant_label: 'L / Red', sku: 'S-L-R', unit_price_cents: 2100 },
    ])
  })

  test('changes the stock and updatedAt of the product at once', async () => {
    const mug = await tracked(3, { createdAt: '2020-01-01T00:00:00Z' })
    await service.db.rows("update products set updated_at = '2021-01-01' where id = $1", [mug.id])
    await reserve([some(mug, 3)])
    const after = await get(mug.id)
    expect(after).toMatchObject({ stock: 0, inStock: false })
    expect(Date.parse(after.updatedAt ?? '')).toBeGreaterThan(Date.parse('2021-01-02'))
    const list = pageIn<Product>(await service.call('products.list', { limit: 100 }, { caller }))
    expect(list.data.find(({ id }: Product) => id === mug.id)).toEqual({ ...after, variants: [] })
  })

  test('takes units of the named variant only', async () => {
    const variants = [
      { options: { Size: 'L' }, stock: 2 },
      { options: { Size: 'M' }, stock: 5 },
    ]
    const shirt = await create({ trackInventory: true, variants })
    await reserve([ofVariant(shirt, 0, 2)])
    const [sold, left] = [
      { stock: 0, isAvailable: false },
      { stock: 5, isAvailable: true },
    ]
    expect(await get(shirt.id)).toMatchObject({ stock: 5, variants: [sold, left] })
  })

  test('of an untracked product has no bound and changes nothing, also of a draft', async () => {
    const mug = await create({ isPublished: false })
    await reserve([some(mug, 1_000_000)])
    expect(await get(mug.id)).toEqual(mug)
  })

  test('takes nothing where selling continues at zero stock', async () => {
    const mug = await tracked(1)
    await service.db.rows('update products set continue_selling = true where id = $1', [mug.id])
    await reserve([some(mug, 5)])
    expect(await stockOf(mug)).toBe(1)
  })

  test('without enough units of one item takes nothing of any', async () => {
    const [mug, cup] = [await tracked(5), await tracked(1, { title: 'Cup' })]
    const refused = refusal('conflict', 'Not enough stock of "Cup": 1 left, 2 wanted.')
    await expect(reserve([some(mug, 5), some(cup, 2)])).rejects.toEqual(refused)
    expect(await stockOf(mug)).toBe(5)
  })

  test('counts two lines of one product together', async () => {
    const mug = await tracked(5, { title: 'Twice' })
    const refused = refusal('conflict', 'Not enough stock of "Twice": 2 left, 3 wanted.')
    await expect(reserve([some(mug, 3), some(mug, 3)])).rejects.toEqual(refused)
    await reserve([some(mug, 3), some(mug, 2)])
    expect(await stockOf(mug)).toBe(0)
  })

  test('refuses unknown products and variants, naming the field', async () => {
    const mug = await create({ title: 'Known' })
    const shirt = await create({ title: 'Shirt', variants: [{ options: { Size: 'L' } }] })
    for (const [item, words] of [
      [{ ...some(mug), product_id: randomUUID() }, 'productId is no product of this shop'],
      [{ ...some(mug), product_id: 'x' }, 'productId is no product of this shop'],
      [some(shirt), 'variantId must name a variant of "Shirt"'],
      [{ ...some(mug), variant_id: randomUUID() }, 'variantId is no variant of "Known"'],
    ] as const) {
      await expect(reserve([some(mug), item])).rejects.toEqual(refusal('invalid_request', `items[1].${words}.`))
    }
    const foreign = refusal('invalid_request', 'items[0].productId is no product of this shop.')
    await expect(reserve([some(mug)], randomUUID(), makeCaller())).rejects.toEqual(foreign)
  })

  test('for an order whose sums are not allowed takes nothing', async () => {
    const mug = await tracked(5)
    const none = { free_cents: 0, discount_cents: 0, delivery_fee_cents: 0, tax_cents: 0 }
    const reserveFor = (amounts: object) =>
      service.call(
        'products.reserve',
        { reservation_id: randomUUID(), items: [some(mug, 5)], amounts: { ...none, ...amounts } },
        { caller },
      )
    const discount = refusal('invalid_request', 'discount must be at most the subtotal, 10000.')
    await expect(reserveFor({ free_cents: 5, discount_cents: 10_001 })).rejects.toEqual(discount)
    await expect(reserveFor({ tax_cents: limits.centsMax })).rejects.toMatchObject({ data: { field: 'total' } })
    expect(await stockOf(mug)).toBe(5)
    await reserveFor({ free_cents: 5, discount_cents: 10_000 })
    expect(await stockOf(mug)).toBe(0)
  })

  test('that is released gives its units back once; one that is settled keeps them', async () => {
    const mug = await tracked(5)
    const [id, placed] = [randomUUID(), randomUUID()]
    const release = (reservation_id: string) => service.call('products.release', { reservation_id }, { caller })
    await reserve([some(mug, 2)], id)
    await reserve([some(mug, 1)], placed)
    await settle(placed)
    for (const reservation of [id, id, placed, randomUUID()]) await release(reservation)
    expect(await stockOf(mug)).toBe(4)
  })

  test('repeated under its id, also at the same time, takes once and answers the same', async () => {
    const mug = await tracked(5)
    const id = randomUUID()
    const answers = await Promise.all(Array.from({ length: 3 }, () => reserve([some(mug, 2)], id)))
    await change(mug.id, { title: 'Renamed' })
    answers.push(await reserve([some(mug, 2)], id))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await stockOf(mug)).toBe(3)
  })
})

describe('concurrent reservations', () => {
  test('of 200 buyers for 50 units: exactly 50 get one', async () => {
    const mug = await tracked(50)
    const attempts = await Promise.allSettled(Array.from({ length: 200 }, () => reserve([some(mug)])))
    const refused = attempts.filter((attempt) => attempt.status === 'rejected').map(({ reason }) => reason.type)
    expect(refused).toEqual(Array.from({ length: 150 }, () => 'conflict'))
    expect(await get(mug.id)).toMatchObject({ stock: 0, inStock: false })
  })

  test('that wait for each other are each whole or refused by itself, first come first served', async () => {
    const mug = await tracked(6, { title: 'Hot' })
    const ids = Array.from({ length: 5 }, () => randomUUID())
    const lock = await lockProduct(mug)
    const first = reserve([some(mug, 2)])
    await lock.isAwaited(1)
    const unknown = { ...some(mug), variant_id: randomUUID() }
    const baskets = [[some(mug, 3)], [some(mug, 2)], [unknown], [some(mug), some(mug)], [some(mug)]]
    const others = baskets.map((items, index) => reserve(items, ids[index]))
    await lock.release()
    const reserved = await Promise.allSettled([first, ...others])
    expect(reserved.map((one) => (one.status === 'fulfilled' ? 'reserved' : one.reason.message))).toEqual([
      'reserved',
      'reserved',
      'Not enough stock of "Hot": 1 left, 2 wanted.',
      'items[0].variantId is no variant of "Hot".',
      'Not enough stock of "Hot": 0 left, 1 wanted.',
      'reserved',
    ])
    expect(await stockOf(mug)).toBe(0)
    const held = await service.db.rows<{ reservation_id: string }>(
      'select reservation_id from reservations where shop_id = $1 and reservation_id = any($2)',
      [caller.shopId, ids],
    )
    expect(held.map(({ reservation_id }) => reservation_id).toSorted()).toEqual([ids[0], ids[4]].toSorted())
  })

  test('of one id in two replicas at once take once and answer the same', async () => {
    const mug = await tracked(5)
    const params = { reservation_id: randomUUID(), items: [some(mug, 2)] }
    const lock = await lockProduct(mug)
    const replicas = [reservationActions(service.db), reservationActions(service.db)]
    const asked = replicas.map(async (replica) =>
      replica['products.reserve']?.({ params, meta: {}, locals: { caller } as RequestInfo }),
    )
    await lock.isAwaited(2)
    await lock.release()
    const [one, other] = await Promise.all(asked)
    expect(other).toEqual(one)
    expect(await stockOf(mug)).toBe(3)
  })

  test('of the same two products in opposite order do not deadlock', async () => {
    const [mug, cup] = [await tracked(60), await tracked(60)]
    const items = Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? [some(mug), some(cup)] : [some(cup), some(mug)]))
    await Promise.all(items.map((each) => reserve(each)))
    expect([await stockOf(mug), await stockOf(cup)]).toEqual([0, 0])
  })

  test('lose no unit beside changes of the product', async () => {
    const mug = await tracked(40)
    const pairs = Array.from({ length: 40 }, (_, n) => [reserve([some(mug)]), change(mug.id, { title: `Mug ${n}` })])
    await Promise.all(pairs.flat())
    expect(await stockOf(mug)).toBe(0)
  })
})

describe('overdue reservations', () => {
  // They are returned for all shops: those of earlier tests would be counted too.
  beforeEach(() => service.db.rows('delete from reservations'))

  test('of orders that were never written are returned, once', async () => {
    const mug = await tracked(5)
    const shirt = await create({ trackInventory: true, variants: [{ options: { a: '1' }, stock: 3 }] })
    const id = await reserveAged([some(mug, 5), ofVariant(shirt, 0)])
    expect(await returnOverdue(service.db, orders)).toBe(1)
    expect(await get(mug.id)).toMatchObject({ stock: 5, inStock: true })
    expect((await get(shirt.id)).variants[0]?.stock).toBe(3)
    expect(await returnOverdue(service.db, orders)).toBe(0)
    expect(await returnReservation(service.db, caller.shopId, id)).toBe(false)
    expect(await stockOf(mug)).toBe(5)
  })

  test('of existing orders, and young ones, are kept', async () => {
    const mug = await tracked(5)
    written.add(await reserveAged([some(mug, 1)], 500))
    await reserveAged([some(mug, 2)], 60)
    expect(await returnOverdue(service.db, orders)).toBe(0)
    expect(await stockOf(mug)).toBe(2)
    expect(calls).toBe(1)
  })

  test('are those older than two minutes, to the millisecond', async () => {
    const id = await reserveAged([some(await tracked(5))])
    // In one transaction the clock of the database stands still; the column rounds it to the millisecond.
    await service.db.transaction(async (tx) => {
      const set = "update reservations set created_at = now() - $2 * interval '1 ms' where reservation_id = $1"
      await tx.rows(set, [id, 119_999])
      expect(await claimOverdue(tx, limits.reservationS, 10)).toEqual([])
      await tx.rows(set, [id, 120_001])
      expect(await claimOverdue(tx, limits.reservationS, 10)).toEqual([{ shop_id: caller.shopId, reservation_id: id }])
    })
  })

  test('are kept when orders does not answer, and asked about again a minute later', async () => {
    const mug = await tracked(5)
    const id = await reserveAged([some(mug, 1)])
    const unreachable: Call = () => Promise.reject(new Error('unreachable'))
    await expect(returnOverdue(service.db, unreachable)).rejects.toThrow('unreachable')
    expect(await returnOverdue(service.db, orders)).toBe(0)
    expect(await stockOf(mug)).toBe(4)
    await service.db.rows("update reservations set checked_at = now() - interval '61 s' where reservation_id = $1", [
      id,
    ])
    expect(await returnOverdue(service.db, orders)).toBe(1)
    expect(await stockOf(mug)).toBe(5)
  })

  test('are returned once each by ten replicas at once', async () => {
    const mug = await tracked(20)
    for (let n = 0; n < 20; n += 1) await reserveAged([some(mug)])
    const returned = await Promise.all(Array.from({ length: 10 }, () => returnOverdue(service.db, orders)))
    expect(returned.reduce((sum, count) => sum + count)).toBe(20)
    expect(await stockOf(mug)).toBe(20)
  })

  test('return nothing to a deleted product or one that is not tracked any more', async () => {
    const [deleted, untracked] = [await tracked(5), await tracked(5)]
    await reserveAged([some(deleted), some(untracked)])
    await service.db.rows('delete from products where id = $1', [deleted.id])
    await change(untracked.id, { trackInventory: false })
    expect(await returnOverdue(service.db, orders)).toBe(1)
    expect(await stockOf(untracked)).toBeNull()
  })

  test('can be made anew under their ids after they were returned', async () => {
    const mug = await tracked(5)
    const id = await reserveAged([some(mug, 4)])
    await returnOverdue(service.db, orders)
    await reserve([some(mug, 1)], id)
    expect(await stockOf(mug)).toBe(4)
  })

  test('of settled orders are kept without a call, however old they are and however often they were settled', async () => {
    const mug = await tracked(5)
    const id = await reserveAged([some(mug, 2)], 500)
    await settle(id)
    await settle(id)
    expect(await returnOverdue(service.db, orders)).toBe(0)
    expect(await stockOf(mug)).toBe(3)
    expect(calls).toBe(0)
  })
})

describe('settling', () => {
  const stateOf = async (id: string) => {
    const [row] = await service.db.rows<{ state: string }>(
      'select state from reservations where shop_id = $1 and reservation_id = $2',
      [caller.shopId, id],
    )
    return row?.state
  }

  test('an unknown order changes nothing', async () => {
    await expect(settle(randomUUID())).resolves.toEqual({})
  })

  test('many orders in one call settles each, whatever the others are, and changes no product', async () => {
    const mug = await tracked(5)
    const [one, other, settled, foreign] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    for (const id of [one, other, settled]) await reserve([some(mug)], id)
    await settle(settled)
    const before = await get(mug.id)
    await settle(one, foreign, settled, other, one)
    expect(await Promise.all([one, other, settled, foreign].map(stateOf))).toEqual([
      'settled',
      'settled',
      'settled',
      undefined,
    ])
    expect(await get(mug.id)).toEqual(before)
  })

  test('an order whose units are being returned takes them again: the message waits for the return', async () => {
    const mug = await tracked(5)
    const [returned, other] = [randomUUID(), randomUUID()]
    await reserve([some(mug, 3)], returned)
    await reserve([some(mug, 1)], other)
    let settling: Promise<unknown> = Promise.resolve()
    await service.db.transaction(async (tx) => {
      await tx.rows("update reservations set state = 'returned' where reservation_id = $1", [returned])
      await tx.rows('update products set stock = stock + 3 where id = $1', [mug.id])
      settling = settle(other, returned)
      const waiting = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'
      await until(async () => (await tx.rows(waiting)).length > 0)
    })
    await settling
    expect([await stateOf(returned), await stateOf(other)]).toEqual(['settled', 'settled'])
    expect(await stockOf(mug)).toBe(1)
  })

  test('an order whose units were returned takes those that are left, never below zero', async () => {
    const mug = await tracked(5)
    const id = await reserveAged([some(mug, 4)])
    await returnOverdue(service.db, orders)
    await reserve([some(mug, 3)])
    await settle(id)
    expect(await stockOf(mug)).toBe(0)
    await settle(id)
    expect(await stockOf(mug)).toBe(0)
  })
})

test('reservations go a day after they were made, unless they are still taken', async () => {
  const reserve = (state: string, hours: number) =>
    service.db.rows(
      `insert into reservations (shop_id, reservation_id, state, items, created_at)
       values ($1, $2, $3, '[]', now() - $4 * interval '1 hour')`,
      [shopOfOld, randomUUID(), state, hours],
    )
  const shopOfOld = randomUUID()
  for (const state of ['settled', 'returned', 'taken']) for (const hours of [23, 25]) await reserve(state, hours)
  await deleteEndedReservations(service.db)
  const left = await service.db.rows<{ state: string }>(
    'select state from reservations where shop_id = $1 order by state',
    [shopOfOld],
  )
  expect(left.map(({ state }) => state)).toEqual(['returned', 'settled', 'taken', 'taken'])
})
