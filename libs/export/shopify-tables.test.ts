// The CSV tables of an export: formula guard, quoting, and that the importer reads them. docs/spec/imports.md#export
import { describe, expect, test } from '@jest/globals'
import { importText } from '#testing/files/import-text'
import type { Contact } from '#contracts/objects/contact'
import type { Order } from '#contracts/objects/order'
import type { Product } from '#contracts/objects/product'
import { csvLine, guarded } from './csv.ts'
import { cellsOf, shopifyTables } from './shopify-tables.ts'

const money = (cents: number) => ({ cents, amount: (cents / 100).toFixed(2), currency: 'GBP' })
const at = '2026-03-01T09:00:00.000Z'
const nowhere = { line1: null, line2: null, city: null, region: null, postalCode: null, country: null }

describe('a cell', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+447700900123', "'+447700900123"],
    ['-5', "'-5"],
    ['@home', "'@home"],
    ['\tx', "'\tx"],
    ['mug', 'mug'],
    ['a=b', 'a=b'],
    ['', ''],
  ])('%j is written %j', (text, written) => {
    expect(guarded(text)).toBe(written)
  })

  test('is quoted where CSV requires it', () => {
    expect(csvLine(['a', 'b,c', 'say "x"', 'two\nlines', ' edge', null, 0, true])).toBe(
      'a,"b,c","say ""x""","two\nlines"," edge",,0,true\r\n',
    )
  })
})

describe('an exported table is imported again', () => {
  test('with products, their variants and HTML descriptions', async () => {
    const product: Product = {
      id: 'p',
      object: 'product',
      title: 'Mug',
      slug: 'mug',
      description: 'a < b & c\nnext',
      kind: 'physical',
      tags: ['hot', 'cold'],
      price: money(1_000),
      compareAt: money(1_200),
      trackInventory: true,
      stock: 3,
      inStock: true,
      isPublished: true,
      isFeatured: false,
      booking: null,
      event: null,
      membership: null,
      variants: [
        { id: 'a', sku: '=1', options: { Size: 'S "x"' }, price: money(1_000), stock: 3, isAvailable: true },
        { id: 'b', sku: null, options: { Size: 'L' }, price: money(1_100), stock: 0, isAvailable: true },
      ],
      createdAt: at,
      updatedAt: at,
    }
    const lines = [[...shopifyTables.products.columns], ...cellsOf(shopifyTables.products, product)].map(csvLine)
    const { products, report, file } = await importText(lines.join(''))
    expect([file.format.format, report.problems]).toEqual(['shopify-products', []])
    expect(products[0]?.product).toMatchObject({
      slug: 'mug',
      title: 'Mug',
      description: 'a < b & c\nnext',
      kind: 'physical',
      tags: ['hot', 'cold'],
      price_cents: 1_000,
      compare_at_cents: 1_200,
      track_inventory: true,
      stock: 3,
      is_published: true,
      variants: [
        { sku: '=1', options: [['Size', 'S "x"']], price_cents: 1_000, stock: 3, continue_selling: false },
        { sku: null, options: [['Size', 'L']], price_cents: 1_100, stock: 0, continue_selling: true },
      ],
    })
  })

  test('with orders, their lines and amounts', async () => {
    const line = { id: 'l', productId: null, variantId: null, sku: "07'1", kind: 'physical' }
    const order: Order = {
      id: '0f8b',
      object: 'order',
      status: 'shipped',
      paymentStatus: 'paid',
      paymentMethod: 'cod',
      currency: 'GBP',
      subtotal: money(2_500),
      discount: money(500),
      deliveryFee: money(300),
      tax: money(400),
      total: money(2_700),
      refunded: money(100),
      itemCount: 3,
      booking: null,
      coupon: { code: 'SPRING' },
      affiliate: null,
      note: '-5 "x"',
      customer: { clientId: null, name: 'Ada', email: 'ada@example.com', phone: '+442079460958' },
      address: { ...nowhere, line1: '1 Sea Street', city: 'Bath', country: 'GB' },
      delivery: {
        method: 'shipping',
        label: 'Standard',
        pickupLocation: null,
        trackingCarrier: null,
        trackingNumber: null,
        trackingUrl: null,
        shippedAt: '2026-03-02T09:00:00.000Z',
      },
      items: [
        { ...line, title: 'Mug', variantLabel: 'Blue', quantity: 2, unitPrice: money(1_000), subtotal: money(2_000) },
        { ...line, title: 'Card', variantLabel: null, quantity: 1, unitPrice: money(500), subtotal: money(500) },
      ],
      createdAt: at,
      updatedAt: '2026-03-02T09:00:00.000Z',
    }
    const lines = [[...shopifyTables.orders.columns], ...cellsOf(shopifyTables.orders, order)].map(csvLine)
    const { orders, report, file } = await importText(lines.join(''))
    expect([file.format.format, report.problems]).toEqual(['shopify-orders', []])
    expect(orders[0]?.key).toBe('0f8b')
    expect(orders[0]?.order).toMatchObject({
      status: 'shipped',
      payment_status: 'paid',
      payment_method: 'cod',
      coupon_code: 'SPRING',
      customer: { name: 'Ada', email: 'ada@example.com', phone: '+442079460958' },
      discount_cents: 500,
      delivery_fee_cents: 300,
      tax_cents: 400,
      refunded_cents: 100,
      created_at: at,
      lines: [
        { title: 'Mug - Blue', sku: "07'1", quantity: 2, unit_price_cents: 1_000 },
        { title: 'Card', quantity: 1, unit_price_cents: 500 },
      ],
    })
  })

  test('with contacts', async () => {
    const contact: Contact = {
      id: '0f8c',
      object: 'contact',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      phone: '+442079460958',
      tags: ['vip'],
      source: 'api',
      marketingConsentAt: null,
      address: { ...nowhere, country: 'GB' },
      createdAt: at,
      updatedAt: at,
    }
    const lines = [[...shopifyTables.contacts.columns], ...cellsOf(shopifyTables.contacts, contact)].map(csvLine)
    const { contacts, report, file } = await importText(lines.join(''))
    expect([file.format.format, report.problems]).toEqual(['shopify-customers', []])
    expect(contacts[0]).toMatchObject({
      key: '0f8c',
      contact: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+442079460958', tags: ['vip'] },
    })
  })
})
