// The actions of shops. docs/spec/back-office.md#shops, docs/spec/rest-api.md#get-the-shop
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { shopInput } from '#contracts/input/shop'
import { duringTests } from '#testing/during-tests'
import { openService } from '#testing/product/one-service'
import { auth } from '../service.ts'
import { newShop } from './shop.ts'

const service = duringTests(() => openService(auth))

const wanted = { name: 'Tea and Sons', currency: 'GBP', timeZone: 'europe/london' }
const handle = () => `shop-${randomUUID().slice(0, 8)}`
const read = (body: unknown) => JSON.parse(String(body)) as { data: Record<string, unknown> }
const create = async (shop: Record<string, unknown>) =>
  read(await service.call('shops.create', { shop: { ...wanted, handle: handle(), ...shop } as never })).data
const change = (shop: string, facts: Record<string, unknown>) =>
  service.call('shops.change', { shop, change: facts as never })

describe('a new shop', () => {
  test('is returned with every field; absent ones are null, the plan is pro', async () => {
    const own = handle()
    const shop = await create({ handle: own, country: ' ', ownerEmail: '' })
    expect(shop).toEqual({
      id: expect.any(String),
      object: 'shop',
      handle: own,
      name: 'Tea and Sons',
      currency: 'GBP',
      timeZone: 'Europe/London',
      country: null,
      ownerEmail: null,
      plan: 'pro',
      mode: 'live',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: shop.createdAt,
    })
  })

  test.each([
    [{ currency: 'XXX' }, 'currency must be an active currency code of ISO 4217, uppercase.'],
    [{ currency: 'gbp' }, 'currency must be an active currency code of ISO 4217, uppercase.'],
    [{ timeZone: 'Mars/X' }, 'timeZone must be a time zone of the IANA database, for example Europe/Berlin.'],
    [{ country: 'UK' }, 'country must be a country code of ISO 3166-1 alpha-2, uppercase.'],
    [{ ownerEmail: 'nobody' }, 'ownerEmail must be an email address.'],
    [{ plan: 'gold' }, 'plan must be one of basic, pro.'],
    [{ mode: 'demo' }, 'mode must be one of live, test.'],
    [{ name: '  ' }, 'name must not be empty.'],
    [{ name: 'a\u0000b' }, 'name must be text without U+0000 or broken characters.'],
    [{ name: undefined }, 'name is required.'],
    [{ colour: 'red' }, 'colour is not a field of this object.'],
  ])('%j is 400 and names the field', async (facts, message) => {
    await expect(create(facts)).rejects.toMatchObject({ type: 'invalid_request', message })
  })

  test.each(['a', 'A-shop', '-tea', 'tea-', 'tea shop', 'té', 'x'.repeat(64), '7f9c24e8-3b12-4fef-91e0-56a2d6f1c3aa'])(
    'the handle %j is 400',
    async (own) => {
      await expect(create({ handle: own })).rejects.toMatchObject({
        type: 'invalid_request',
        data: { field: 'handle' },
      })
    },
  )

  test('with a taken handle is a conflict, also for two at once', async () => {
    const own = handle()
    const both = await Promise.allSettled([create({ handle: own }), create({ handle: own })])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(create({ handle: own })).rejects.toMatchObject({ type: 'conflict' })
  })

  test('a repeated Idempotency-Key returns the first answer for the same body, and is a conflict for another', async () => {
    const shop = { ...wanted, handle: handle() }
    const idempotency = { key: randomUUID(), fingerprint: 'a' }
    const first = await service.call('shops.create', { shop }, { idempotency })
    expect(String(await service.call('shops.create', { shop }, { idempotency }))).toBe(String(first))
    const other = { idempotency: { ...idempotency, fingerprint: 'b' } }
    await expect(service.call('shops.create', { shop }, other)).rejects.toMatchObject({ type: 'conflict' })
  })
})

describe('finding', () => {
  test('by id and by handle finds the same shop; unknown ones are not found', async () => {
    const shop = await create({ country: 'GB' })
    const facts = { handle: shop.handle, currency: 'GBP', timeZone: 'Europe/London', country: 'GB' }
    for (const name of [shop.id, shop.handle]) {
      expect(read(await service.call('shops.get', { shop: String(name) })).data).toEqual(shop)
      expect(await service.call('shops.find', { shop: String(name) })).toEqual({ shopId: shop.id, ...facts })
    }
    for (const name of [randomUUID(), 'nobody', 'a\u0000b', '']) {
      await expect(service.call('shops.find', { shop: name })).rejects.toMatchObject({ type: 'not_found' })
    }
  })

  test('the list has all shops, newest first, and filters by handle', async () => {
    // Shops of one millisecond are in the order of their ids.
    const place = ({ createdAt, id }: Record<string, unknown>) => `${String(createdAt)} ${String(id)}`
    const shops = [await create({}), await create({}), await create({})]
    const made = shops.toSorted((one, other) => (place(one) > place(other) ? -1 : 1))
    const page = JSON.parse(String(await service.call('shops.list', { limit: 2 })))
    expect(page.data).toEqual(made.slice(0, 2))
    const next = JSON.parse(String(await service.call('shops.list', { limit: 2, cursor: page.next_cursor })))
    expect(next.data[0]).toEqual(made[2])
    const own = JSON.parse(String(await service.call('shops.list', { handle: String(made[1]?.handle) })))
    expect(own).toEqual({ data: [made[1]], has_more: false, next_cursor: null })
    const foreign = { handle: 'other', cursor: page.next_cursor }
    await expect(service.call('shops.list', foreign)).rejects.toMatchObject({ type: 'invalid_request' })
  })
})

describe('a change', () => {
  test('with a shop as it was read changes nothing, not even updatedAt', async () => {
    const shop = await create({ country: 'GB', ownerEmail: 'tea@example.com' })
    expect(read(await change(String(shop.id), shop)).data).toEqual(shop)
  })

  test('sets the fields that are sent; absent ones stay, null empties', async () => {
    const shop = await create({ country: 'GB', ownerEmail: 'tea@example.com' })
    const facts = { name: ' Tea ', timeZone: 'UTC', country: null, plan: 'basic', mode: 'test' }
    const after = read(await change(String(shop.handle), facts)).data
    expect(after).toEqual({ ...shop, ...facts, name: 'Tea', updatedAt: after.updatedAt })
    expect(Date.parse(String(after.updatedAt))).toBeGreaterThanOrEqual(Date.parse(String(shop.updatedAt)))
    expect(read(await service.call('shops.get', { shop: String(shop.id) })).data).toEqual(after)
  })

  test('of currency or handle is refused', async () => {
    const { id } = await create({})
    await expect(change(String(id), { currency: 'EUR' })).rejects.toMatchObject({
      type: 'invalid_request',
      message: "currency never changes; this shop's is GBP.",
    })
    await expect(change(String(id), { handle: 'other' })).rejects.toMatchObject({ type: 'invalid_request' })
    await expect(change(randomUUID(), {})).rejects.toMatchObject({ type: 'not_found' })
  })
})

describe('the time zone', () => {
  const zoneOf = (timeZone: string) =>
    newShop(shopInput.parse({ ...wanted, handle: 'tea', timeZone }), '', new Date()).time_zone

  test.each([
    ['Europe/London', 'Europe/London'],
    ['europe/london', 'Europe/London'],
    ['AMERICA/NEW_YORK', 'America/New_York'],
    ['america/port_of_spain', 'America/Port_of_Spain'],
    ['utc', 'UTC'],
    ['gmt', 'GMT'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['asia/kolkata', 'Asia/Kolkata'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['america/argentina/buenos_aires', 'America/Argentina/Buenos_Aires'],
  ])('%s is %s', (text, zone) => {
    expect(zoneOf(text)).toBe(zone)
  })

  test.each(['', 'Mars/Olympus', '+01:00', '-05', 'Europe', 'Europe/London ', 'Europe/Lond\u0000n', 'localtime'])(
    '%j is refused',
    (text) => {
      expect(() => zoneOf(text)).toThrow('timeZone must be a time zone')
    },
  )
})
