// GET /orders/{id} (docs/spec/rest-api.md#get-an-order, docs/spec/objects.md#order).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { forms } from '#testing/product/deployment-forms'
import { openStack, type Stack } from '#testing/product/stack'

describe.each(forms)('GET /orders/{id}, %s', (form) => {
  let stack: Stack
  let shopId: string
  let key: string

  beforeAll(async () => {
    stack = await openStack({ form })
    shopId = (await stack.makeShop({ country: 'GB' })).id
    key = (await stack.makeKey(shopId)).secret
  })
  afterAll(() => stack.stop())

  async function read(id: string) {
    const { status, body } = await stack.get(`/api/v1/orders/${id}`, { key })
    expect(status).toBe(200)
    return (body as { data: Record<string, unknown> }).data
  }

  const pounds = (cents: number, amount: string) => ({ cents, amount, currency: 'GBP' })

  test('an order with everything', async () => {
    const contact = await stack.makeContact(shopId, { email: 'ada@example.com', name: 'Ada' })
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
    const order = await read(made.id)
    expect(order).toEqual({
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
      customer: { clientId: contact.id, name: 'Ada L.', email: 'ADA@example.com', phone: '+442079460018' },
      address: { line1: '1 Square', line2: null, city: 'London', region: null, postalCode: 'SW1', country: 'GB' },
      delivery: {
        method: 'shipping',
        label: 'Royal Mail',
        pickupLocation: null,
        trackingCarrier: null,
        trackingNumber: null,
        trackingUrl: null,
        shippedAt: null,
      },
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
    const order = await read(id)
    expect(order).toMatchObject({
      status: 'new',
      paymentStatus: 'paid',
      discount: pounds(0, '0.00'),
      customer: { clientId: null, name: null, email: null, phone: null },
      address: { line1: null, line2: null, city: null, region: null, postalCode: null, country: null },
      delivery: {
        method: null,
        label: null,
        pickupLocation: null,
        trackingCarrier: null,
        trackingNumber: null,
        trackingUrl: null,
        shippedAt: null,
      },
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
    expect((await read(id)).items).toMatchObject([{ productId: product.id, title: 'Gone' }])
    await stack.admin('DELETE', `/shops/${shopId}/products/${product.id}`)
    expect((await stack.get(`/api/v1/products/${product.id}`, { key })).status).toBe(404)
    const until = Date.now() + 10_000
    let items = (await read(id)).items as { productId: string | null }[]
    while (items[0]?.productId !== null && Date.now() < until) items = (await read(id)).items as typeof items
    expect(items).toMatchObject([
      { productId: null, title: 'Gone', quantity: 2, unitPrice: pounds(700, '7.00'), subtotal: pounds(1400, '14.00') },
    ])
  })
})
