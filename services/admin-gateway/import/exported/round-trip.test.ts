// Our own exports come back equal (docs/spec/imports.md#our-own-files): imported into the same shop they change nothing, into another
// shop they make equal objects, whatever the objects went through.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExportList } from '#export/columns'
import { importFile, wholeList } from '#testing/admin-requests'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { comparableExport, exportOf, fileOf, forms, lists } from '#testing/files/exports'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

type Json = Record<string, unknown>

const demo = join(import.meta.dirname, '../../../../deploy/demo')
const hostile = `'=SUM("a";b)\r\n-5, \\ 🎉 'x' `
const address = { line1: '1 High St', line2: "'+2", city: 'Leeds', region: null, postalCode: '07175', country: 'GB' }

const stack = duringTests(() => openStack({ form: 'one-process', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } }))
let shop: string

const exported = (of: string, list: ExportList) => exportOf(stack, of, list)
const comparable = (of: string, list: ExportList) => comparableExport(stack, of, list)

async function post(path: string, body: Json = {}): Promise<Json & { id: string }> {
  return (await stack.admin('POST', `/shops/${shop}${path}`, body)).data as Json & { id: string }
}

/** Objects of every kind that went through everything; one thousand products and orders of files beside them. */
async function fill(): Promise<void> {
  await importFile(stack, shop, readFileSync(join(demo, 'shopify-products.csv')))
  const mug = await post('/products', {
    title: hostile.trim(),
    description: hostile,
    tags: ['a,b', '=sum', 'back\\slash'],
    price: { cents: 1_250 },
    compareAt: { cents: 2_000 },
    trackInventory: true,
    isFeatured: true,
    variants: [
      { sku: '=1', options: { Size: 'L, XL', 'Col=our': "'-Blue" }, stock: 5 },
      { sku: null, options: { Size: 'S' }, price: { cents: 900 }, stock: 50 },
    ],
  })
  await post('/products', {
    title: 'Hour',
    kind: 'service',
    price: { cents: 4_000 },
    isPublished: false,
    booking: { durationMinutes: 30, serviceMode: 'online', leadHours: 0 },
  })
  await post('/products', {
    title: 'Talk',
    kind: 'event',
    price: { cents: 0 },
    event: { startsAt: '2027-02-01T18:00:00Z' },
    trackInventory: true,
    stock: 3,
  })
  await post('/products', { title: 'Bare service', kind: 'service', price: { cents: 1 } })
  const club = await post('/products', {
    title: 'Club',
    kind: 'membership',
    price: { cents: 900 },
    membership: { interval: 'month', trialDays: 7 },
  })
  const gone = await post('/products', { title: 'Gone', price: { cents: 100 } })
  const oldClub = await post('/products', {
    title: 'Old club',
    kind: 'membership',
    price: { cents: 500 },
    membership: { interval: 'year', trialDays: null },
  })

  const ada = await post('/contacts', {
    email: 'Ada@example.com',
    name: 'Ada',
    tags: ['vip', 'a,b'],
    address,
    marketingConsentAt: '2026-01-02T03:04:05.678Z',
    privateNote: hostile,
    source: 'trade_fair',
    createdAt: '2025-05-05T05:05:05Z',
  })
  await post('/contacts', {
    phone: '+447700900123',
    name: hostile.replaceAll(/[\r\n]+/g, ' ').trim(),
    address: { country: 'FR' },
  })
  const stopped = await post('/contacts', { email: 'stop@example.com', marketingConsentAt: '2026-01-02T03:04:05Z' })
  await post('/contacts', { email: 'stop@example.com', marketingConsentAt: null })
  await post('/contacts', { email: 'plain@example.com' })
  const erased = await post('/contacts', { email: 'gone@example.com', name: 'Gone' })
  const database = await openClient(stack.databaseUrl)
  await database.query(
    `update contacts.consents set address = '203.0.113.7', agent = $2, text_version = 'en-1', source = 'opt_in' where contact_id = $1`,
    [ada.id, hostile],
  )
  await database.close()
  expect(stopped.id).toBeDefined()

  const line = { title: 'Mug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 2 }
  const card = (more: Json = {}) =>
    post('/orders', {
      paymentMethod: 'card',
      customer: { email: 'ada@example.com', name: 'Ada' },
      items: [line],
      ...more,
    })
  const moved = async (order: { id: string }, ...moves: [string, Json?][]) => {
    for (const [move, body] of moves) await post(`/orders/${order.id}/${move}`, body ?? {})
  }
  const variants = mug.variants as { id: string }[]
  await moved(
    await card({
      items: [
        { productId: mug.id, variantId: variants[0]?.id, quantity: 2 },
        { productId: gone.id, quantity: 1 },
        { ...line, sku: '=A', variantLabel: hostile },
      ],
      address,
      delivery: { method: 'shipping', label: '+Express', pickupLocation: null },
      coupon: { code: '-10' },
      affiliate: { code: '@friend' },
      note: hostile,
      privateNote: hostile,
      discount: { cents: 101 },
      deliveryFee: { cents: 499 },
      tax: { cents: 333 },
      createdAt: '2026-02-03T04:05:06.789Z',
    }),
    ['confirm'],
    ['ship', { trackingCarrier: 'Post', trackingNumber: '=1', trackingUrl: 'https://post.example/1?a=b' }],
    ['refund', { amount: { cents: 250 } }],
    ['complete'],
  )
  await moved(await card({ delivery: { method: 'collection', pickupLocation: 'Shop' } }), ['cancel', { refund: true }])
  await moved(await card(), ['refund'])
  await moved(await card(), ['confirm'], ['ship'], ['refund'])
  await moved(await card(), ['dispute', { reason: 'stolen', amount: { cents: 500 } }])
  await moved(await card(), ['dispute', { reason: 'stolen' }], ['resolve-dispute', { outcome: 'lost' }])
  await moved(await card(), ['dispute', {}], ['resolve-dispute', { outcome: 'won' }])
  await moved(await post('/orders', { paymentMethod: 'bank_transfer', items: [line] }), ['payment-pending'])
  await moved(await post('/orders', { paymentMethod: 'cod', items: [line], customer: { phone: '+447700900123' } }), [
    'cancel',
    { refund: false },
  ])
  const hour = { title: 'Hour', kind: 'service', unitPrice: { cents: 4_000 }, quantity: 1 }
  const booking = { scheduledFor: '2027-03-01T10:00:00Z', serviceMode: 'in_person', serviceLocation: hostile }
  await moved(
    await card({ items: [hour], booking }),
    ['confirm'],
    ['reschedule', { scheduledFor: '2027-03-02T10:00:00Z' }],
  )
  await card({ items: [hour], booking: { scheduledFor: null, serviceMode: null, serviceLocation: null } })
  await card({ customer: { email: 'gone@example.com', name: 'Gone', phone: '+447700900999' }, note: 'mine' })

  const member = async (more: Json, ...moves: string[]) => {
    const { id } = await post('/subscriptions', {
      productId: club.id,
      clientId: ada.id,
      billingMode: 'processor',
      ...more,
    })
    for (const move of moves) await post(`/subscriptions/${id}/${move}`)
  }
  await member({})
  await member({ trialDays: 0, createdAt: '2026-10-31T10:00:00Z' }, 'renew')
  await member({ trialDays: 0, firstPayment: 'open' })
  await member({ trialDays: 0 }, 'payment-failed')
  await member({ trialDays: 0 }, 'cancel')
  await member({ trialDays: 0 }, 'end')
  await member({ trialDays: 0, billingMode: 'manual', paymentMethod: 'cod' })
  await member({ trialDays: 0, productId: oldClub.id, clientId: erased.id })
  await stack.admin('PATCH', `/shops/${shop}/subscription-settings`, { unrecovered: 'unpaid' })
  const last = await post('/subscriptions', {
    productId: club.id,
    clientId: ada.id,
    billingMode: 'processor',
    trialDays: 0,
  })
  await post(`/subscriptions/${last.id}/payment-failed`, { lastAttempt: true })

  await stack.admin('DELETE', `/shops/${shop}/products/${gone.id}`)
  await stack.admin('DELETE', `/shops/${shop}/products/${oldClub.id}`)
  await post(`/contacts/${erased.id}/erase`)
  await until(async () => {
    const orders = await exported(shop, 'orders')
    const texts = JSON.stringify(orders)
    return !texts.includes('gone@example.com') && !texts.includes(gone.id)
  })
}

beforeAll(async () => {
  shop = (await stack.makeShop({ country: 'GB' })).handle
  await fill()
})

describe.each(forms)('as %s', (form) => {
  test.each(lists)('%s imported into the same shop are unchanged, all of them', async (list) => {
    const before = await exported(shop, list)
    const report = await importFile(stack, shop, fileOf(list, form, before))
    expect(report).toMatchObject({
      status: 'completed',
      format: `storefront-${list}`,
      created: 0,
      updated: 0,
      failed: 0,
      errors: [],
      ignoredColumns: [],
    })
    expect(report.unchanged).toBe(before.length)
    expect(before.length).toBeGreaterThan(3)
    expect(await exported(shop, list)).toEqual(before)
  })

  test('everything imported into another shop makes equal objects, once, and fires no event', async () => {
    const other = (await stack.makeShop({ country: 'GB' })).handle
    const before = new Date(Date.now() - 60_000)
    for (const list of lists) {
      const objects = await exported(shop, list)
      const file = fileOf(list, form, objects)
      const dry = await importFile(stack, other, file, '?dry_run=true')
      const report = await importFile(stack, other, file)
      const told = list === 'subscriptions' ? ['unknown_product'] : []
      expect({ list, ...report }).toMatchObject({
        list,
        status: 'completed',
        created: objects.length,
        failed: 0,
        unchanged: 0,
      })
      expect(dry).toMatchObject({ status: 'completed', created: objects.length, failed: 0, unchanged: 0 })
      expect(report.errors.map(({ code }) => code)).toEqual(told)
      expect(await comparable(other, list)).toEqual(await comparable(shop, list))
      const again = await importFile(stack, other, file)
      expect(again).toMatchObject({ status: 'completed', created: 0, updated: 0, unchanged: objects.length, failed: 0 })
      const ids = new Set(objects.map(({ id }) => id))
      const made = await exported(other, list)
      expect(made.filter(({ id }) => ids.has(id))).toEqual([])
      expect(made.every(({ updatedAt }) => String(updatedAt) > before.toISOString())).toBe(true)
    }
    expect(await wholeList(stack, other, 'events')).toEqual([])
  })

  test('an export of an imported shop comes back to the first shop as other objects do, and to its own unchanged', async () => {
    const other = (await stack.makeShop({ country: 'GB' })).handle
    await importFile(stack, other, fileOf('products', form, await exported(shop, 'products')))
    const copied = await exported(other, 'products')
    const report = await importFile(stack, other, fileOf('products', form, copied))
    expect(report).toMatchObject({ created: 0, updated: 0, unchanged: copied.length, failed: 0 })
  })
})

describe('a changed file', () => {
  test('changes what it names and nothing else, and empties what it empties', async () => {
    const other = (await stack.makeShop({ country: 'GB' })).handle
    const [order] = (await exported(shop, 'orders')).filter(({ privateNote }) => privateNote !== null)
    await importFile(stack, other, fileOf('orders', 'ndjson', [order as Json]))
    const [before] = await exported(other, 'orders')
    const text = `id,note,address.line1,delivery.trackingNumber,status\n${String(before?.id)},,2 Low St,'=2,completed\n`
    expect(await importFile(stack, other, text, '?format=storefront-orders')).toMatchObject({ updated: 1, failed: 0 })
    const [after] = await exported(other, 'orders')
    expect({ ...after, updatedAt: null }).toEqual({
      ...before,
      note: null,
      address: { ...(before?.address as Json), line1: '2 Low St' },
      delivery: { ...(before?.delivery as Json), trackingNumber: '=2' },
      status: 'completed',
      updatedAt: null,
    })
    expect(String(after?.updatedAt) > String(before?.updatedAt)).toBe(true)
    expect(await importFile(stack, other, text, '?format=storefront-orders')).toMatchObject({ unchanged: 1 })
  })

  test.each([
    ['amounts that do not add up', 'total', '1.00', 'money_mismatch', /^total is 1\.00, and the other fields come to /],
    [
      'less refunded than before',
      'refunded',
      '0.00',
      'refund_falls',
      /^2\.50 was refunded already; the file says 0\.00/,
    ],
    ['more refunded than the total', 'refunded', '9999999.00', 'refund_exceeds_total', /refunded, 9999999\.00, than/],
    ['a status that is none', 'status', 'gone', 'invalid_request', /^status /],
    ['a phone that is none', 'customer.phone', 'call me', 'bad_phone', /^customer\.phone /],
  ])('with %s fails that order and changes nothing', async (_, column, cell, code, message) => {
    const orders = await exported(shop, 'orders')
    const order = orders.find(({ refunded, total }) => (refunded as Json).cents === 250 && (total as Json).cents !== 0)
    const text = `id,${column}\n${String(order?.id)},${cell}\n`
    const report = await importFile(stack, shop, text, '?format=storefront-orders')
    const problem = { code, line: 2, column, message: expect.stringMatching(message) }
    expect(report).toMatchObject({ failed: 1, updated: 0, errors: [problem] })
    expect(await exported(shop, 'orders')).toEqual(orders)
  })

  test('without ids names the column at fault, and no object, because nobody knows one', async () => {
    const other = (await stack.makeShop({ country: 'GB' })).handle
    const columns = 'paymentMethod,items.title,items.kind,items.quantity,items.unitPrice,total'
    const text = `${columns}\ncard,Mug,physical,1,5.00,9.00\n,Mug,physical,1,5.00,5.00\n`
    const { errors } = await importFile(stack, other, text, '?format=storefront-orders')
    expect(errors.toSorted((one, next) => (one.line ?? 0) - (next.line ?? 0))).toMatchObject([
      { line: 2, key: null, column: 'total', code: 'money_mismatch' },
      { line: 3, key: null, column: 'paymentMethod', code: 'value_required' },
    ])
  })
})
