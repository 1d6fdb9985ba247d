// The published product, for what its bytes show only; its values: services/rest-gateway/get-products.test.ts, products/products.test.ts.
// docs/spec/objects.md#product, docs/spec/objects.md#variant
import { expect, test } from '@jest/globals'
import { product as productSchema } from '#contracts/objects/product'
import { documentsOf, toProduct } from './shape.ts'
import type { StoredProduct, VariantRow } from './tables.ts'

const bareProduct: StoredProduct['product'] = {
  id: '11111111-1111-4111-8111-111111111111',
  shop_id: '22222222-2222-4222-8222-222222222222',
  currency: 'EUR',
  title: 'Mug',
  slug: 'mug',
  description: null,
  kind: 'physical',
  tags: [],
  sku: null,
  price_cents: 1999,
  compare_at_cents: null,
  track_inventory: false,
  stock: null,
  continue_selling: false,
  sold_out: false,
  is_published: false,
  is_featured: false,
  booking_duration_minutes: null,
  booking_service_mode: null,
  booking_lead_hours: null,
  event_starts_at: null,
  membership_interval: null,
  membership_trial_days: null,
  created_at: new Date('2026-01-02T03:04:05.678Z'),
  updated_at: new Date('2026-01-02T03:04:05.678Z'),
}
const bareVariant: VariantRow = {
  id: '33333333-3333-4333-8333-333333333333',
  shop_id: bareProduct.shop_id,
  product_id: bareProduct.id,
  place: 0,
  sku: null,
  options: {},
  options_digest: '',
  price_cents: null,
  stock: null,
  continue_selling: false,
  sold_out: false,
}
const bare: StoredProduct = { product: bareProduct, variants: [] }
const full: StoredProduct = {
  product: {
    ...bareProduct,
    description: 'Holds tea.',
    tags: ['kitchen'],
    compare_at_cents: 2500,
    track_inventory: true,
    is_published: true,
    is_featured: true,
  },
  variants: [
    { ...bareVariant, sku: 'MUG-R', options: { Size: 'L', Colour: 'Red' }, price_cents: 2100, stock: 3 },
    { ...bareVariant, id: '44444444-4444-4444-8444-444444444444', place: 1, options: { Colour: 'Blue' }, stock: 0 },
  ],
}
const kinds = ['physical', 'digital', 'service', 'event', 'membership'] as const

test('a product has the same fields in the same order whatever its values, and so have its variants', () => {
  expect(Object.keys(toProduct(bare))).toEqual(Object.keys(toProduct(full)))
  expect(Object.keys(toProduct(bare))).toEqual(Object.keys(productSchema.shape))
  const [red, blue] = toProduct(full).variants
  expect(Object.keys(red ?? {})).toEqual(Object.keys(blue ?? {}))
})

test.each(kinds)('a product of kind %s matches the published schema, whatever other columns hold', (kind) => {
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
  const product = toProduct({ ...full, product: filled })
  expect(productSchema.strict().parse(product)).toEqual(product)
  const own = { service: product.booking, event: product.event, membership: product.membership }
  expect(Object.entries(own).flatMap(([of, object]) => (object === null ? [] : [of]))).toEqual(
    kind in own ? [kind] : [],
  )
})

test('the document of the list has the fields of the detail in their order, with variants []', () => {
  const { document, list_document } = documentsOf(full)
  expect(list_document).toBe(JSON.stringify({ ...JSON.parse(document), variants: [] }))
})

test('options keep the order in which they were sent', () => {
  expect(documentsOf(full).document).toContain('"options":{"Size":"L","Colour":"Red"}')
})
