// Proves that stock is taken once, never below zero, and comes back when no order was written.
// Back office: POST /shops/{shop}/orders ("stock goes down where it is tracked; not enough stock: 409").
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Call } from '#runtime/service'
import { limits } from '#contracts/limits'
import type { Product } from '#contracts/objects/product'
import { makeCaller, type OneService, openService } from '#testing/one-service'
import { claimOverdue } from './queries.ts'
import { giveBack } from './reserve.ts'
import { catalog } from '../service.ts'
import { sweep } from './sweep.ts'

const caller = makeCaller()
const now = new Date()
const written = new Set<string>()
let house: OneService
let asked = 0

beforeAll(async () => {
  house = await openService(catalog)
})
afterAll(() => house.close())
beforeEach(() => {
  written.clear()
  asked = 0
})

type Item = { product_id: string; variant_id: string | null; quantity: number }
type Answer = { items: { title: string; unit_price_cents: number; variant_label: string | null }[] }

const opened = (body: unknown) => (JSON.parse(String(body)) as { data: Product }).data
const create = async (product: object) =>
  opened(
    await house.call('products.create', { product: { title: 'Mug', price: { cents: 1999 }, ...product } }, { caller }),
  )
const get = async (id: string) => opened(await house.call('products.get', { id }, { caller }))
const change = (id: string, product: object) => house.call('products.change', { id, product }, { caller })
const reserve = (items: Item[], reservation_id = randomUUID(), who = caller) =>
  house.call('products.reserve', { reservation_id, items }, { caller: who }) as Promise<Answer>
const settle = (order_id: string) =>
  house.call('products.settle', { id: randomUUID(), kind: 'order.placed', shop_id: caller.shopId, body: { order_id } })
const one = ({ id }: Product, quantity = 1): Item => ({ product_id: id, variant_id: null, quantity })
const refusal = (type: string, message: string) => expect.objectContaining({ type, message })

/** The orders service outside: it knows the orders that a test has written. */
const orders: Call = async (_name, params) => {
  asked += 1
  return { known: (params as { ids: string[] }).ids.filter((id) => written.has(id)) }
}
const age = (id: string, seconds: number) =>
  house.db.rows('update reservations set created_at = now() - make_interval(secs => $2) where reservation_id = $1', [
    id,
    seconds,
  ])

describe('reserving', () => {
  test('answers what an order line copies, in the order of the items', async () => {
    const mug = await create({ title: 'Mug' })
    const shirt = await create({
      title: 'Shirt',
      kind: 'physical',
      variants: [
        { options: { Size: 'L', Colour: 'Red' }, sku: 'S-L-R', price: { cents: 2100 } },
        { options: { Size: 'M' } },
      ],
    })
    const [large, medium] = shirt.variants
    const answer = await reserve([
      { product_id: shirt.id, variant_id: medium?.id ?? '', quantity: 1 },
      one(mug),
      { product_id: shirt.id.toUpperCase(), variant_id: large?.id ?? '', quantity: 2 },
    ])
    expect(answer).toEqual({
      items: [
        {
          product_id: shirt.id,
          variant_id: medium?.id,
          title: 'Shirt',
          variant_label: 'M',
          sku: null,
          kind: 'physical',
          unit_price_cents: 1999,
        },
        {
          product_id: mug.id,
          variant_id: null,
          title: 'Mug',
          variant_label: null,
          sku: null,
          kind: 'physical',
          unit_price_cents: 1999,
        },
        {
          product_id: shirt.id,
          variant_id: large?.id,
          title: 'Shirt',
          variant_label: 'L / Red',
          sku: 'S-L-R',
          kind: 'physical',
          unit_price_cents: 2100,
        },
      ],
    })
  })

  test('the product shows the stock that is left at once, and was changed', async () => {
    const mug = await create({ trackInventory: true, stock: 3, createdAt: '2020-01-01T00:00:00Z' })
    await house.db.rows("update products set updated_at = '2021-01-01' where id = $1", [mug.id])
    await reserve([one(mug, 3)])
    const after = await get(mug.id)
    expect(after).toMatchObject({ stock: 0, inStock: false })
    expect(Date.parse(after.updatedAt ?? '')).toBeGreaterThan(Date.parse('2021-01-02'))
    const list = JSON.parse(String(await house.call('products.list', { limit: 100 }, { caller }))) as {
      data: Product[]
    }
    expect(list.data.find(({ id }) => id === mug.id)).toEqual({ ...after, variants: [] })
  })

  test('the stock of the variant that is meant goes down, others stay', async () => {
    const shirt = await create({
      trackInventory: true,
      variants: [
        { options: { Size: 'L' }, stock: 2 },
        { options: { Size: 'M' }, stock: 5 },
      ],
    })
    await reserve([{ product_id: shirt.id, variant_id: shirt.variants[0]?.id ?? '', quantity: 2 }])
    expect(await get(shirt.id)).toMatchObject({
      stock: 5,
      variants: [
        { stock: 0, isAvailable: false },
        { stock: 5, isAvailable: true },
      ],
    })
  })

  test('what is not counted has no bound and does not change; a draft can be sold by the back office', async () => {
    const mug = await create({ isPublished: false })
    await reserve([one(mug, 1_000_000)])
    expect(await get(mug.id)).toEqual(mug)
  })

  test('what is sold on at zero stock is not taken', async () => {
    const mug = await create({ trackInventory: true, stock: 1 })
    await house.db.rows('update products set continue_selling = true where id = $1', [mug.id])
    await reserve([one(mug, 5)])
    expect((await get(mug.id)).stock).toBe(1)
  })

  test('not enough of one item takes nothing of any', async () => {
    const mug = await create({ title: 'Mug', trackInventory: true, stock: 5 })
    const cup = await create({ title: 'Cup', trackInventory: true, stock: 1 })
    const words = refusal('conflict', 'Not enough stock of "Cup": 1 left, 2 wanted.')
    await expect(reserve([one(mug, 5), one(cup, 2)])).rejects.toEqual(words)
    expect((await get(mug.id)).stock).toBe(5)
  })

  test('two lines of one product are counted together', async () => {
    const mug = await create({ title: 'Twice', trackInventory: true, stock: 5 })
    await expect(reserve([one(mug, 3), one(mug, 3)])).rejects.toEqual(
      refusal('conflict', 'Not enough stock of "Twice": 2 left, 3 wanted.'),
    )
    await reserve([one(mug, 3), one(mug, 2)])
    expect((await get(mug.id)).stock).toBe(0)
  })

  test('unknown products and variants are refused and named', async () => {
    const mug = await create({ title: 'Known' })
    const shirt = await create({ title: 'Shirt', variants: [{ options: { Size: 'L' } }] })
    const no = (field: string, words: string) => refusal('invalid_request', `items[1].${field} ${words}.`)
    const second = (item: Item) => reserve([one(mug), item])
    await expect(second({ ...one(mug), product_id: randomUUID() })).rejects.toEqual(
      no('productId', 'is no product of this shop'),
    )
    await expect(second({ ...one(mug), product_id: 'x' })).rejects.toEqual(
      no('productId', 'is no product of this shop'),
    )
    await expect(reserve([one(mug)], randomUUID(), makeCaller())).rejects.toEqual(
      refusal('invalid_request', 'items[0].productId is no product of this shop.'),
    )
    await expect(second(one(shirt))).rejects.toEqual(no('variantId', 'must name a variant of "Shirt"'))
    await expect(second({ ...one(mug), variant_id: randomUUID() })).rejects.toEqual(
      no('variantId', 'is no variant of "Known"'),
    )
  })

  test('the same reservation again, also at the same moment, takes once and answers the same', async () => {
    const mug = await create({ trackInventory: true, stock: 5 })
    const id = randomUUID()
    const answers = await Promise.all([
      reserve([one(mug, 2)], id),
      reserve([one(mug, 2)], id),
      reserve([one(mug, 2)], id),
    ])
    await change(mug.id, { title: 'Renamed' })
    answers.push(await reserve([one(mug, 2)], id))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect((await get(mug.id)).stock).toBe(3)
  })
})

describe('in parallel', () => {
  test('200 buyers of 50 units: exactly 50 get one', async () => {
    const mug = await create({ trackInventory: true, stock: 50 })
    const attempts = await Promise.allSettled(Array.from({ length: 200 }, () => reserve([one(mug)])))
    const refused = attempts.filter((attempt) => attempt.status === 'rejected').map(({ reason }) => reason.type)
    expect(refused).toEqual(Array.from({ length: 150 }, () => 'conflict'))
    expect(await get(mug.id)).toMatchObject({ stock: 0, inStock: false })
  })

  test('buyers of the same two products in opposite order do not wait for each other for ever', async () => {
    const mug = await create({ trackInventory: true, stock: 60 })
    const cup = await create({ trackInventory: true, stock: 60 })
    const orders = Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? [one(mug), one(cup)] : [one(cup), one(mug)]))
    await Promise.all(orders.map((items) => reserve(items)))
    expect([(await get(mug.id)).stock, (await get(cup.id)).stock]).toEqual([0, 0])
  })

  test('changes of the product beside it lose no unit', async () => {
    const mug = await create({ trackInventory: true, stock: 40 })
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => [reserve([one(mug)]), change(mug.id, { title: `Mug ${n}` })]).flat(),
    )
    expect((await get(mug.id)).stock).toBe(0)
  })
})

describe('the sweep', () => {
  // A sweep takes what is overdue of all shops: what an earlier test left behind would be counted with it.
  beforeEach(() => house.db.rows('delete from reservations'))

  test('gives back what was taken for an order that was never written, once', async () => {
    const mug = await create({ trackInventory: true, stock: 5 })
    const shirt = await create({ trackInventory: true, variants: [{ options: { a: '1' }, stock: 3 }] })
    const id = randomUUID()
    await reserve([one(mug, 5), { product_id: shirt.id, variant_id: shirt.variants[0]?.id ?? '', quantity: 1 }], id)
    await age(id, 121)
    expect(await sweep(house.db, orders, now)).toBe(1)
    expect(await get(mug.id)).toMatchObject({ stock: 5, inStock: true })
    expect((await get(shirt.id)).variants[0]?.stock).toBe(3)
    expect(await sweep(house.db, orders, now)).toBe(0)
    expect(await giveBack(house.db, caller.shopId, id, now)).toBe(false)
    expect((await get(mug.id)).stock).toBe(5)
  })

  test('leaves what an order has, and what is young', async () => {
    const mug = await create({ trackInventory: true, stock: 5 })
    const [kept, young] = [randomUUID(), randomUUID()]
    await reserve([one(mug, 1)], kept)
    await reserve([one(mug, 2)], young)
    await age(kept, 500)
    await age(young, 60)
    written.add(kept)
    expect(await sweep(house.db, orders, now)).toBe(0)
    expect((await get(mug.id)).stock).toBe(2)
    expect(asked).toBe(1)
  })

  test('asks for what is older than two minutes, to the millisecond', async () => {
    const mug = await create({ trackInventory: true, stock: 5 })
    const id = randomUUID()
    await reserve([one(mug)], id)
    // In one transaction the database's clock stands still; the column rounds it to the millisecond.
    await house.db.transaction(async (tx) => {
      const set = "update reservations set created_at = now() - $2 * interval '1 ms' where reservation_id = $1"
      await tx.rows(set, [id, 119_999])
      expect(await claimOverdue(tx, limits.reservationS, 10)).toEqual([])
      await tx.rows(set, [id, 120_001])
      expect(await claimOverdue(tx, limits.reservationS, 10)).toEqual([{ shop_id: caller.shopId, reservation_id: id }])
    })
  })

  test('gives nothing back when orders does not answer, and asks again a minute later', async () => {
    const mug = await create({ trackInventory: true, stock: 5 })
    const id = randomUUID()
    await reserve([one(mug, 1)], id)
    await age(id, 121)
    const silent: Call = async () => {
      throw new Error('nobody is there')
    }
    await expect(sweep(house.db, silent, now)).rejects.toThrow('nobody is there')
    expect(await sweep(house.db, orders, now)).toBe(0)
    expect((await get(mug.id)).stock).toBe(4)
    await house.db.rows("update reservations set checked_at = now() - interval '61 s' where reservation_id = $1", [id])
    expect(await sweep(house.db, orders, now)).toBe(1)
    expect((await get(mug.id)).stock).toBe(5)
  })

  test('of ten at once each reservation is given back by one', async () => {
    const mug = await create({ trackInventory: true, stock: 20 })
    for (let n = 0; n < 20; n += 1) {
      const id = randomUUID()
      await reserve([one(mug)], id)
      await age(id, 121)
    }
    const returned = await Promise.all(Array.from({ length: 10 }, () => sweep(house.db, orders, now)))
    expect(returned.reduce((sum, count) => sum + count)).toBe(20)
    expect((await get(mug.id)).stock).toBe(20)
  })

  test('a product that is gone or not counted any more gets nothing back', async () => {
    const gone = await create({ trackInventory: true, stock: 5 })
    const uncounted = await create({ trackInventory: true, stock: 5 })
    const id = randomUUID()
    await reserve([one(gone), one(uncounted)], id)
    await house.db.rows('delete from products where id = $1', [gone.id])
    await change(uncounted.id, { trackInventory: false })
    await age(id, 121)
    expect(await sweep(house.db, orders, now)).toBe(1)
    expect((await get(uncounted.id)).stock).toBeNull()
  })
})

describe('settling', () => {
  test('keeps the stock taken, however old the reservation is and however often it is said', async () => {
    const mug = await create({ trackInventory: true, stock: 5 })
    const id = randomUUID()
    await reserve([one(mug, 2)], id)
    await settle(id)
    await settle(id)
    await age(id, 500)
    expect(await sweep(house.db, orders, now)).toBe(0)
    expect((await get(mug.id)).stock).toBe(3)
    expect(asked).toBe(0)
  })

  test('of an unknown order changes nothing', async () => {
    await expect(settle(randomUUID())).resolves.toEqual({})
  })

  test('of an order that came after its stock went back takes what is still there, never below zero', async () => {
    const mug = await create({ trackInventory: true, stock: 5 })
    const id = randomUUID()
    await reserve([one(mug, 4)], id)
    await age(id, 121)
    await sweep(house.db, orders, now)
    await reserve([one(mug, 3)])
    await settle(id)
    expect((await get(mug.id)).stock).toBe(0)
    await settle(id)
    expect((await get(mug.id)).stock).toBe(0)
  })

  test('a reservation that went back can be made anew under its id', async () => {
    const mug = await create({ trackInventory: true, stock: 5 })
    const id = randomUUID()
    await reserve([one(mug, 4)], id)
    await age(id, 121)
    await sweep(house.db, orders, now)
    await reserve([one(mug, 1)], id)
    expect((await get(mug.id)).stock).toBe(4)
  })
})
