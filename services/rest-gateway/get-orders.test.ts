// GET /orders and GET /orders/{id} (docs/spec/rest-api.md#list-orders, docs/spec/rest-api.md#get-an-order,
// docs/spec/rest-api.md#paging, docs/spec/objects.md#order).
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Order } from '#contracts/objects/order'
import { duringTests } from '#testing/during-tests'
import type { Made } from '#testing/product/back-office'
import { forms } from '#testing/product/deployment-forms'
import { dataOf } from '#testing/product/http'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

const pounds = (cents: number, amount: string) => ({ cents, amount, currency: 'GBP' })
const unsent = { trackingCarrier: null, trackingNumber: null, trackingUrl: null, shippedAt: null }

describe.each(forms)('GET /orders and /orders/{id}, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let shopId: string
  let key: string
  let ada: Made
  let first: Made
  let second: Made
  let third: Made

  beforeAll(async () => {
    shopId = (await stack.makeShop({ country: 'GB' })).id
    key = (await stack.makeKey(shopId)).secret
    ada = await stack.makeContact(shopId, { email: 'ada@example.com' })
    const line = { title: 'Mug', kind: 'physical', unitPrice: { cents: 1250 }, quantity: 2 }
    const order = (paymentMethod: string, email: string, day: string) =>
      stack.makeOrder(shopId, {
        paymentMethod,
        customer: { email },
        items: [line],
        createdAt: `2026-04-${day}T00:00:00.000Z`,
      })
    first = await order('card', 'Ada@Example.com', '01')
    second = await order('bank_transfer', 'bob@example.com', '02')
    third = await order('card', 'ada@example.com', '03')
  })

  const read = async <Data = Order>(path: string) => dataOf<Data>(await stack.get(`/api/v1/orders${path}`, { key }))
  const ids = async (query: string) => (await read<Order[]>(query)).map(({ id }) => id)

  test('newest first, items always there, each row the object of the detail', async () => {
    const { body } = await stack.get('/api/v1/orders', { key })
    const data = [third.id, second.id, first.id].map((id) =>
      expect.objectContaining({ id, items: [expect.anything()] }),
    )
    expect(body).toEqual({ data, has_more: false, next_cursor: null })
    for (const row of (body as { data: Order[] }).data) expect(await read(`/${row.id}`)).toEqual(row)
  })

  test('status and payment_status combine', async () => {
    expect(await ids('?payment_status=paid')).toEqual([third.id, first.id])
    expect(await ids('?payment_status=unpaid')).toEqual([second.id])
    expect(await ids('?status=new&payment_status=unpaid')).toEqual([second.id])
    expect(await ids('?status=shipped')).toEqual([])
    expect(await ids('?status=shipped,new&payment_status=paid,unpaid')).toEqual([third.id, second.id, first.id])
    expect(await ids('?status=new%2Cshipped&payment_status=unpaid,disputed')).toEqual([second.id])
    expect(await ids('?status=shipped,cancelled')).toEqual([])
  })

  test('email is that of the order, whatever its case', async () => {
    expect(await ids('?email=ADA%40EXAMPLE.com')).toEqual([third.id, first.id])
    expect(await ids('?email=nobody%40example.com')).toEqual([])
  })

  test('client_id gathers the orders of one person', async () => {
    expect(await ids(`?client_id=${ada.id}`)).toEqual([third.id, first.id])
    expect(await ids(`?client_id=${first.id}`)).toEqual([])
  })

  test('times are half-open', async () => {
    expect(await ids('?created_after=2026-04-02T00:00:00Z')).toEqual([third.id, second.id])
    expect(await ids('?created_before=2026-04-02T00:00:00Z')).toEqual([first.id])
    expect(await ids('?updated_before=2020-01-01T00:00:00Z')).toEqual([])
  })

  test.each([
    ['status=paid', 'status must be one of new, confirmed, shipped, completed, cancelled, refunded, not "paid".'],
    ['status=', 'status must be one of new, confirmed, shipped, completed, cancelled, refunded, not "".'],
    ['status=New', 'status must be one of new, confirmed, shipped, completed, cancelled, refunded, not "New".'],
    ['status=new,lost', 'status must be one of new, confirmed, shipped, completed, cancelled, refunded, not "lost".'],
    ['payment_status=new', 'payment_status must be one of unpaid, pending, paid, refunded, disputed, not "new".'],
    ['client_id=1001', 'client_id must be a UUID.'],
    ['created_after=yesterday', 'created_after must be an instant in RFC 3339 form, for example 2026-08-12T09:30:00Z.'],
    [
      'updated_before=2026-01-01',
      'updated_before must be an instant in RFC 3339 form, for example 2026-08-12T09:30:00Z.',
    ],
    ['email=%00', 'email must be text without U+0000 or broken characters.'],
  ])('%s is 400 and says what is allowed', async (query, message) => {
    const { status, body } = await stack.get(`/api/v1/orders?${query}`, { key })
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.objectContaining({ code: 'invalid_request', message }) })
  })

  test('an order with everything', async () => {
    const mug = await stack.makeProduct(shopId, {
      title: 'Mug',
      price: { cents: 1250 },
      trackInventory: true,
      variants: [{ sku: 'MUG-B', options: { Colour: 'Blue' }, stock: 9 }],
    })
    const [variant] = mug.variants as { id: string }[]
    const made = await stack.makeOrder(shopId, {
      paymentMethod: 'bank_transfer',
      customer: { name: 'Ada L.', email: 'ADA@example.com', phone: '020 7946 0018' },
      address: { line1: '1 Square', line2: '', city: 'London', region: null, postalCode: 'SW1', country: 'GB' },
      delivery: { method: 'shipping', label: 'Royal Mail', pickupLocation: null },
      booking: { scheduledFor: '2026-12-24T18:00:00.000Z', serviceMode: 'online', serviceLocation: 'Call me' },
      coupon: { code: 'SPRING' },
      affiliate: { code: 'BLOG' },
      note: 'Ring twice',
      privateNote: 'nobody may read this',
      discount: { cents: 500 },
      deliveryFee: { cents: 395 },
      tax: { cents: 200 },
      items: [
        { productId: mug.id, variantId: variant?.id, quantity: 3 },
        { title: 'Gift wrap', kind: 'service', unitPrice: { cents: 150 }, quantity: 1 },
      ],
      createdAt: '2026-05-01T12:00:00.000Z',
    })
    expect(await read(`/${made.id}`)).toEqual({
      id: made.id,
      object: 'order',
      status: 'new',
      paymentStatus: 'unpaid',
      paymentMethod: 'bank_transfer',
      currency: 'GBP',
      subtotal: pounds(3900, '39.00'),
      discount: pounds(500, '5.00'),
      deliveryFee: pounds(395, '3.95'),
      tax: pounds(200, '2.00'),
      total: pounds(3995, '39.95'),
      refunded: pounds(0, '0.00'),
      itemCount: 4,
      customer: { clientId: ada.id, name: 'Ada L.', email: 'ADA@example.com', phone: '+442079460018' },
      address: { line1: '1 Square', line2: null, city: 'London', region: null, postalCode: 'SW1', country: 'GB' },
      delivery: { method: 'shipping', label: 'Royal Mail', pickupLocation: null, ...unsent },
      booking: { scheduledFor: '2026-12-24T18:00:00.000Z', serviceMode: 'online', serviceLocation: 'Call me' },
      coupon: { code: 'SPRING' },
      affiliate: { code: 'BLOG' },
      note: 'Ring twice',
      items: [
        {
          id: expect.any(String),
          productId: mug.id,
          variantId: variant?.id,
          title: 'Mug',
          variantLabel: 'Blue',
          sku: 'MUG-B',
          kind: 'physical',
          quantity: 3,
          unitPrice: pounds(1250, '12.50'),
          subtotal: pounds(3750, '37.50'),
        },
        {
          id: expect.any(String),
          productId: null,
          variantId: null,
          title: 'Gift wrap',
          variantLabel: null,
          sku: null,
          kind: 'service',
          quantity: 1,
          unitPrice: pounds(150, '1.50'),
          subtotal: pounds(150, '1.50'),
        },
      ],
      createdAt: '2026-05-01T12:00:00.000Z',
      updatedAt: made.updatedAt,
    })
  })

  test('an order with nothing has the same fields, its objects present or null as the specification says', async () => {
    const items = [{ title: 'Song', kind: 'digital', unitPrice: { cents: 100 }, quantity: 1 }]
    const { id } = await stack.makeOrder(shopId, { paymentMethod: 'card', items })
    expect(await read(`/${id}`)).toMatchObject({
      status: 'new',
      paymentStatus: 'paid',
      discount: pounds(0, '0.00'),
      customer: { clientId: null, name: null, email: null, phone: null },
      address: { line1: null, line2: null, city: null, region: null, postalCode: null, country: null },
      delivery: { method: null, label: null, pickupLocation: null, ...unsent },
      booking: null,
      coupon: null,
      affiliate: null,
      note: null,
    })
  })

  test('a deleted product leaves its line with title, sku and price, and productId null', async () => {
    const product = await stack.makeProduct(shopId, { title: 'Gone', price: { cents: 700 } })
    const { id } = await stack.makeOrder(shopId, {
      paymentMethod: 'card',
      items: [{ productId: product.id, quantity: 2 }],
    })
    expect((await read(`/${id}`)).items).toMatchObject([{ productId: product.id, title: 'Gone' }])
    await stack.admin('DELETE', `/shops/${shopId}/products/${product.id}`)
    expect((await stack.get(`/api/v1/products/${product.id}`, { key })).status).toBe(404)
    const gone = await until(async () => {
      const [line] = (await read(`/${id}`)).items
      return line?.productId === null && line
    })
    expect(gone).toMatchObject({
      title: 'Gone',
      quantity: 2,
      unitPrice: pounds(700, '7.00'),
      subtotal: pounds(1400, '14.00'),
    })
  })
})
