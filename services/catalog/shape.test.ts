// The published product. docs/spec/objects.md#product, docs/spec/objects.md#variant, docs/spec/objects.md#money
import { describe, expect, test } from '@jest/globals'
import { product as productSchema } from '#contracts/objects/product'
import { documentsOf, toProduct } from './shape.ts'
import type { StoredProduct, VariantRow } from './tables.ts'

const bareProduct: StoredProduct['product'] = {
  ...{ id: '11111111-1111-4111-8111-111111111111', shop_id: '22222222-2222-4222-8222-222222222222', currency: 'EUR' },
  ...{ title: 'Mug', slug: 'mug', description: null, kind: 'physical', tags: [], sku: null },
  ...{ price_cents: 1999, compare_at_cents: null, track_inventory: false, stock: null, continue_selling: false },
  ...{ sold_out: false, is_published: false, is_featured: false },
  ...{ booking_duration_minutes: null, booking_service_mode: null, booking_lead_hours: null, event_starts_at: null },
  ...{ membership_interval: null, membership_trial_days: null },
  ...{ created_at: new Date('2026-01-02T03:04:05.678Z'), updated_at: new Date('2026-01-02T03:04:05.678Z') },
}
const bareVariant: VariantRow = {
  ...{ id: '33333333-3333-4333-8333-333333333333', shop_id: bareProduct.shop_id, product_id: bareProduct.id, place: 0 },
  ...{ sku: null, options: {}, options_digest: '', price_cents: null, stock: null },
  ...{ continue_selling: false, sold_out: false },
}
const bare: StoredProduct = { product: bareProduct, variants: [] }
const full: StoredProduct = {
  product: {
    ...{ ...bareProduct, description: 'Holds tea.', tags: ['kitchen'], compare_at_cents: 2500 },
    ...{ track_inventory: true, is_published: true, is_featured: true },
  },
  variants: [
    { ...bareVariant, sku: 'MUG-R', options: { Size: 'L', Colour: 'Red' }, price_cents: 2100, stock: 3 },
    { ...bareVariant, id: '44444444-4444-4444-8444-444444444444', place: 1, options: { Colour: 'Blue' }, stock: 0 },
  ],
}
const kinds = ['physical', 'digital', 'service', 'event', 'membership'] as const

describe('product', () => {
  test('has every field, null where there is no value', () => {
    expect(toProduct(bare)).toEqual({
      id: '11111111-1111-4111-8111-111111111111',
      object: 'product',
      title: 'Mug',
      slug: 'mug',
      description: null,
      kind: 'physical',
      tags: [],
      price: { cents: 1999, amount: '19.99', currency: 'EUR' },
      compareAt: null,
      trackInventory: false,
      stock: null,
      inStock: true,
      isPublished: false,
      isFeatured: false,
      booking: null,
      event: null,
      membership: null,
      variants: [],
      createdAt: '2026-01-02T03:04:05.678Z',
      updatedAt: '2026-01-02T03:04:05.678Z',
    })
  })

  test('shows variants, the sum of their stock and inherited prices', () => {
    expect(toProduct(full)).toMatchObject({
      description: 'Holds tea.',
      compareAt: { cents: 2500, amount: '25.00', currency: 'EUR' },
      stock: 3,
      inStock: true,
      variants: [
        {
          id: '33333333-3333-4333-8333-333333333333',
          sku: 'MUG-R',
          options: { Size: 'L', Colour: 'Red' },
          price: { cents: 2100, amount: '21.00', currency: 'EUR' },
          stock: 3,
          isAvailable: true,
        },
        {
          id: '44444444-4444-4444-8444-444444444444',
          sku: null,
          options: { Colour: 'Blue' },
          price: { cents: 1999, amount: '19.99', currency: 'EUR' },
          stock: 0,
          isAvailable: false,
        },
      ],
    })
  })

  test('has the same fields in the same order whatever its values, and so have its variants', () => {
    expect(Object.keys(toProduct(bare))).toEqual(Object.keys(toProduct(full)))
    expect(Object.keys(toProduct(bare))).toEqual(Object.keys(productSchema.shape))
    const [red, blue] = toProduct(full).variants
    expect(Object.keys(red ?? {})).toEqual(Object.keys(blue ?? {}))
  })

  test.each(kinds)('of kind %s has the object of its kind, even when all its fields are null, and no other', (kind) => {
    const { booking, event, membership } = toProduct({ ...bare, product: { ...bareProduct, kind } })
    const nothing = { durationMinutes: null, serviceMode: null, leadHours: null }
    expect(booking).toEqual(kind === 'service' ? nothing : null)
    expect(event).toEqual(kind === 'event' ? { startsAt: null } : null)
    expect(membership).toEqual(kind === 'membership' ? { interval: null, trialDays: null } : null)
  })

  test.each(kinds)('of kind %s matches the published schema', (kind) => {
    const filled = {
      ...full.product,
      kind,
      booking_duration_minutes: 60,
      booking_service_mode: 'online' as const,
      booking_lead_hours: 24,
      event_starts_at: new Date('2027-01-01T00:00:00Z'),
      membership_interval: 'year' as const,
      membership_trial_days: 0,
    }
    expect(productSchema.strict().parse(toProduct({ ...full, product: filled }))).toEqual(
      toProduct({ ...full, product: filled }),
    )
  })

  test.each([1999, 1998, 0])('has no compareAt of %s cents at a price of 1999', (compare_at_cents) => {
    expect(toProduct({ ...bare, product: { ...bareProduct, compare_at_cents } }).compareAt).toBeNull()
  })

  test('has null as stock without tracking, whatever the variants hold', () => {
    const untracked = toProduct({ ...full, product: { ...full.product, track_inventory: false } })
    expect(untracked.stock).toBeNull()
    expect(untracked.variants.map(({ stock, isAvailable }) => ({ stock, isAvailable }))).toEqual([
      { stock: null, isAvailable: true },
      { stock: null, isAvailable: true },
    ])
  })

  test.each([
    ['JPY', '1999'],
    ['JOD', '1.999'],
    ['HUF', '19.99'],
    ['EUR', '19.99'],
  ])('has money with the digits of its currency, %s', (currency, amount) => {
    const [variant] = toProduct({ ...full, product: { ...bareProduct, currency } }).variants.slice(1)
    expect(toProduct({ ...bare, product: { ...bareProduct, currency } }).price).toEqual({
      cents: 1999,
      amount,
      currency,
    })
    expect(variant?.price).toEqual({ cents: 1999, amount, currency })
  })

  test('has the largest price exactly', () => {
    const largest = { ...bareProduct, price_cents: 9007199254740991 }
    expect(toProduct({ product: largest, variants: [] }).price.amount).toBe('90071992547409.91')
  })
})

describe('documents', () => {
  test('of the list have every field of the detail, in its order, with variants []', () => {
    const { document, list_document } = documentsOf(full)
    expect(JSON.parse(document)).toEqual(toProduct(full))
    expect(JSON.parse(list_document)).toEqual({ ...toProduct(full), variants: [] })
    expect(Object.keys(JSON.parse(list_document))).toEqual(Object.keys(JSON.parse(document)))
  })

  test('keep the order of options as they were sent', () => {
    expect(documentsOf(full).document).toContain('"options":{"Size":"L","Colour":"Red"}')
  })
})
