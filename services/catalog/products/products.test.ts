// The commands of the back office on products. docs/spec/back-office.md#products, docs/spec/objects.md#product
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { type Product, product as productSchema } from '#contracts/objects/product'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { makeCaller, openService } from '#testing/product/one-service'
import { catalog } from '../service.ts'

const caller = makeCaller()
const messages: unknown[] = []
const service = duringTests(() =>
  openService(catalog, {
    'orders.forget_product': async ({ params: message }) => {
      messages.push(message)
      return {}
    },
  }),
)

const refusal = (type: string, message: string) => expect.objectContaining({ type, message })
const parse = (body: unknown) => (JSON.parse(String(body)) as { data: Product }).data
const create = async (product: object, who = caller) =>
  parse(
    await service.call(
      'products.create',
      { product: { title: 'Mug', price: { cents: 1999 }, ...product } },
      { caller: who },
    ),
  )
const change = async (id: string, product: object) =>
  parse(await service.call('products.change', { id, product }, { caller }))
const get = async (id: string, who = caller) => parse(await service.call('products.get', { id }, { caller: who }))

describe('creating', () => {
  test('needs a title and a price only; the rest has defaults', async () => {
    const made = await create({ title: 'Least' })
    expect(productSchema.strict().parse(made)).toEqual({
      id: expect.any(String),
      object: 'product',
      title: 'Least',
      slug: 'least',
      description: null,
      kind: 'physical',
      tags: [],
      price: { cents: 1999, amount: '19.99', currency: 'GBP' },
      compareAt: null,
      trackInventory: false,
      stock: null,
      inStock: true,
      isPublished: true,
      isFeatured: false,
      booking: null,
      event: null,
      membership: null,
      variants: [],
      createdAt: expect.any(String),
      updatedAt: made.createdAt,
    })
    expect(await get(made.id)).toEqual(made)
  })

  test('takes a product as it was read, to create another and to change nothing', async () => {
    const made = await create({
      title: 'Round trip',
      kind: 'service',
      description: 'Text',
      tags: [' VIP '],
      compareAt: { cents: 2500, currency: 'GBP' },
      trackInventory: true,
      booking: { durationMinutes: 60, serviceMode: 'online', leadHours: null },
      variants: [
        { options: { Size: 'L', 2: 'x' }, stock: 3 },
        { options: {}, sku: 'S', price: { cents: 5 } },
      ],
      createdAt: '2020-01-01T00:00:00Z',
    })
    expect(made).toMatchObject({ createdAt: '2020-01-01T00:00:00.000Z', stock: 3, tags: ['vip'], slug: 'round-trip' })
    expect(await change(made.id, made)).toEqual(made)
    const twin = await create({ ...made, slug: 'round-trip-twin' })
    expect(twin).toMatchObject({ variants: [{ options: { Size: 'L', 2: 'x' } }, { sku: 'S' }], booking: made.booking })
    expect(twin.id).not.toBe(made.id)
    expect(twin.variants[0]?.id).not.toBe(made.variants[0]?.id)
  })

  test('numbers a taken slug that was made from the title and refuses a taken slug that was sent', async () => {
    expect((await create({ title: 'Teapot!' })).slug).toBe('teapot')
    expect((await create({ title: 'Teapot' })).slug).toBe('teapot-2')
    expect((await create({ title: 'teapot', slug: ' ' })).slug).toBe('teapot-3')
    const taken = refusal('conflict', 'slug "teapot" is taken by another product of the shop.')
    await expect(create({ slug: 'teapot' })).rejects.toEqual(taken)
    expect((await create({ title: 'Teapot' }, makeCaller())).slug).toBe('teapot')
  })

  test('numbers up to a thousand products of one slug; the next is refused', async () => {
    const who = makeCaller()
    await create({ title: 'Pot' }, who)
    await service.db.rows(
      `insert into products select (jsonb_populate_record(product, jsonb_build_object('id', gen_random_uuid(), 'slug', 'pot-' || n))).*
       from products as product, generate_series(2, 999) as n where shop_id = $1 and slug = 'pot'`,
      [who.shopId],
    )
    expect((await create({ title: 'Pot' }, who)).slug).toBe('pot-1000')
    const taken = refusal('conflict', 'slug "pot" is taken by another product of the shop.')
    await expect(create({ title: 'Pot' }, who)).rejects.toEqual(taken)
  })

  test('fifty products of one title at once makes fifty slugs', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => create({ title: 'Crowd' })))
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(50)
    expect(made.map(({ slug }) => slug)).toContain('crowd-50')
  })

  test.each<[object, string]>([
    [{ price: { cents: 1, currency: 'EUR' } }, 'price.currency must be GBP, the currency of the shop.'],
    [{ compareAt: { cents: 1, currency: 'gbp' } }, 'compareAt.currency must be GBP, the currency of the shop.'],
    [
      { variants: [{ options: { a: 'b' }, price: { cents: 1, currency: 'EUR' } }] },
      'variants[0].price.currency must be GBP, the currency of the shop.',
    ],
    [{ stock: 5 }, 'stock must be null unless trackInventory is true.'],
    [
      { variants: [{ options: { a: 'b' }, stock: 5 }] },
      'variants[0].stock must be null unless trackInventory is true.',
    ],
    [{ variants: [{ sku: 'x' }] }, 'variants[0].options is required.'],
    [
      { variants: [{ options: { a: '1', b: '2' } }, { options: { b: '2', a: '1' } }] },
      'variants[1].options are the same as those of variants[0].',
    ],
    [{ booking: { leadHours: 1 } }, 'booking must be null unless kind is service.'],
    [{ kind: 'service', event: { startsAt: null } }, 'event must be null unless kind is event.'],
    [{ kind: 'event', membership: {} }, 'membership must be null unless kind is membership.'],
    [{ createdAt: '2999-01-01T00:00:00Z' }, 'createdAt must not lie in the future.'],
  ])('%j is refused', async (product, message) => {
    await expect(create({ title: 'Refused', ...product })).rejects.toEqual(refusal('invalid_request', message))
  })

  test('stores nothing when it is refused', async () => {
    const rows = await service.db.rows("select 1 from products where title = 'Refused'")
    expect(rows).toEqual([])
  })

  test('under one Idempotency-Key creates one product; another body is refused', async () => {
    const idempotency = { key: randomUUID(), fingerprint: 'a' }
    const call = (meta = idempotency) =>
      service.call(
        'products.create',
        { product: { title: 'Once', price: { cents: 1 } } },
        { caller, idempotency: meta },
      )
    const [one, two] = await Promise.all([call(), call()])
    expect(parse(two)).toEqual(parse(one))
    expect(parse(await call())).toEqual(parse(one))
    await expect(call({ ...idempotency, fingerprint: 'b' })).rejects.toEqual(
      expect.objectContaining({ type: 'conflict' }),
    )
    expect(await service.db.rows("select 1 from products where title = 'Once'")).toHaveLength(1)
  })
})

describe('changing', () => {
  test('sets the sent fields only, and updatedAt', async () => {
    const made = await create({ title: 'Before', description: 'Text', tags: ['a'] })
    const after = await change(made.id, { title: 'After' })
    expect(after).toEqual({ ...made, title: 'After', updatedAt: after.updatedAt })
    expect(Date.parse(after.updatedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(made.updatedAt ?? ''))
  })

  test('without a visible difference keeps updatedAt', async () => {
    const made = await create({ title: 'Still', tags: ['a'] })
    await service.db.rows("update products set updated_at = updated_at + interval '1 day' where id = $1", [made.id])
    await change(made.id, { isFeatured: true })
    const before = await get(made.id)
    expect(await change(made.id, { title: 'Still', tags: [' A '], isFeatured: true })).toEqual(before)
  })

  test('clears a null, and keeps an absent field of booking', async () => {
    const made = await create({
      title: 'Lesson',
      kind: 'service',
      description: 'Text',
      compareAt: { cents: 9999 },
      booking: { durationMinutes: 30, leadHours: 5 },
    })
    const after = await change(made.id, { description: null, compareAt: null, booking: { leadHours: null } })
    expect(after).toMatchObject({ description: null, compareAt: null })
    expect(after.booking).toEqual({ durationMinutes: 30, serviceMode: null, leadHours: null })
    expect((await change(made.id, { booking: null })).booking).toEqual({
      durationMinutes: null,
      serviceMode: null,
      leadHours: null,
    })
  })

  test('of the kind clears the object of the former kind for good', async () => {
    const made = await create({ title: 'Show', kind: 'event', event: { startsAt: '2027-05-01T18:00:00+02:00' } })
    expect(made.event).toEqual({ startsAt: '2027-05-01T16:00:00.000Z' })
    const member = await change(made.id, { kind: 'membership', membership: { interval: 'month' } })
    expect(member).toMatchObject({ event: null, membership: { interval: 'month', trialDays: null }, booking: null })
    expect((await change(made.id, { kind: 'event' })).event).toEqual({ startsAt: null })
  })

  test('of the price up to compareAt clears compareAt', async () => {
    const made = await create({ title: 'Sale', compareAt: { cents: 2500 } })
    expect(made.compareAt?.cents).toBe(2500)
    expect((await change(made.id, { price: { cents: 2500 } })).compareAt).toBeNull()
  })

  test('of variants replaces the list; known ids keep the fields that are not sent', async () => {
    const made = await create({
      title: 'Shirt',
      trackInventory: true,
      variants: [
        { options: { Size: 'S' }, stock: 1, sku: 'S1' },
        { options: { Size: 'M' }, stock: 2 },
        { options: { Size: 'L' }, stock: 3 },
      ],
    })
    const [small, , large] = made.variants
    const after = await change(made.id, {
      variants: [{ id: large?.id }, { id: small?.id, sku: null, options: { Size: 'XS' } }, { options: { Size: 'S' } }],
    })
    expect(after.variants).toMatchObject([
      { id: large?.id, options: { Size: 'L' }, stock: 3 },
      { id: small?.id, options: { Size: 'XS' }, stock: 1, sku: null },
      { options: { Size: 'S' }, stock: 0 },
    ])
    expect(after.stock).toBe(4)
    const twice = { variants: [{ id: small?.id }, { id: small?.id, options: { Size: 'Z' } }] }
    await expect(change(made.id, twice)).rejects.toEqual(
      refusal('invalid_request', 'variants[1].id is the same as that of variants[0].'),
    )
  })

  test('can swap the options of two variants', async () => {
    const made = await create({ title: 'Swap', variants: [{ options: { a: '1' } }, { options: { a: '2' } }] })
    const [one, two] = made.variants
    const variants = [
      { id: one?.id, options: { a: '2' } },
      { id: two?.id, options: { a: '1' } },
    ]
    expect((await change(made.id, { variants })).variants).toMatchObject(variants)
  })

  test('keeps a price inherited when it is sent back as it was read', async () => {
    const made = await create({
      title: 'Heir',
      variants: [{ options: { a: '1' } }, { options: { a: '2' }, price: { cents: 7 } }],
    })
    await change(made.id, { variants: made.variants })
    const after = await change(made.id, { price: { cents: 3000 } })
    expect(after.variants.map(({ price }) => price.cents)).toEqual([3000, 7])
  })

  test('starts and ends tracking; a stock without tracking is refused', async () => {
    const made = await create({ title: 'Count' })
    await expect(change(made.id, { stock: 1 })).rejects.toEqual(
      refusal('invalid_request', 'stock must be null unless trackInventory is true.'),
    )
    expect(await change(made.id, { trackInventory: true })).toMatchObject({ stock: 0, inStock: false })
    expect(await change(made.id, { stock: 4 })).toMatchObject({ stock: 4, inStock: true })
    expect(await change(made.id, { trackInventory: false })).toMatchObject({ stock: null, inStock: true })
  })

  test('to a taken slug is refused, to the own one it is not', async () => {
    const made = await create({ title: 'Own', slug: 'own' })
    await create({ title: 'Other', slug: 'other' })
    expect((await change(made.id, { slug: 'own' })).slug).toBe('own')
    await expect(change(made.id, { slug: 'other' })).rejects.toEqual(
      refusal('conflict', 'slug "other" is taken by another product of the shop.'),
    )
    expect((await change(made.id, { slug: 'renamed' })).slug).toBe('renamed')
  })
})

describe('deleting', () => {
  test('deletes the product with its variants, and orders gets the message', async () => {
    const { id } = await create({ title: 'Gone', variants: [{ options: { a: '1' } }] })
    const answer = await service.call('products.delete', { id }, { caller })
    expect(JSON.parse(String(answer))).toEqual({ data: { id, object: 'product', deleted: true } })
    await expect(get(id)).rejects.toEqual(refusal('not_found', 'No product with that id in this shop.'))
    expect(await service.db.rows('select 1 from variants where product_id = $1', [id])).toEqual([])
    await expect(service.call('products.delete', { id }, { caller })).rejects.toEqual(
      refusal('not_found', 'No product with that id in this shop.'),
    )
    const received = () => messages.filter((message) => JSON.stringify(message).includes(id))
    await until(() => received().length > 0)
    expect(received()).toEqual([
      { id: expect.any(String), kind: 'product.deleted', shop_id: caller.shopId, body: { product_id: id } },
    ])
  })
})

describe('the database refuses', () => {
  test.each([
    ['stock below zero', 'track_inventory = true, stock = -1'],
    ['stock without tracking', 'track_inventory = false, stock = 1'],
    ['a compare-at price that is the price', 'compare_at_cents = price_cents'],
    ['a negative price', 'price_cents = -1'],
    ['a booking of another kind than service', "kind = 'physical', booking_lead_hours = 1"],
    ['a start of another kind than event', "kind = 'physical', event_starts_at = now()"],
    ['an interval of another kind than membership', "kind = 'physical', membership_interval = 'year'"],
    ['an empty text', "description = ''"],
    ['a change before the creation', "updated_at = created_at - interval '1 ms'"],
  ])('%s', async (what, assignment) => {
    const { id } = await create({ title: what })
    await expect(service.db.rows(`update products set ${assignment} where id = $1`, [id])).rejects.toEqual(
      expect.objectContaining({ code: '23514' }),
    )
  })

  test('a variant with stock below zero, two variants with the same options', async () => {
    const { id } = await create({
      title: 'Rules',
      trackInventory: true,
      variants: [{ options: { a: '1' } }, { options: { a: '2' } }],
    })
    await expect(service.db.rows('update variants set stock = -1 where product_id = $1', [id])).rejects.toEqual(
      expect.objectContaining({ code: '23514' }),
    )
    await expect(
      service.db.rows("update variants set options_digest = 'same' where product_id = $1", [id]),
    ).rejects.toEqual(expect.objectContaining({ code: '23505' }))
  })
})
