// Every real file: dry, then imported, then again, with counts and with sums that the test computes from the file
// (docs/spec/imports.md#identity-and-re-import, docs/spec/imports.md#dry-run-and-report). WooCommerce's sample may not be
// distributed; rows made for this test replace it.
import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { ImportRecord } from '#contracts/objects/import-record'
import type { Order } from '#contracts/objects/order'
import type { Product } from '#contracts/objects/product'
import { duringTests } from '#testing/during-tests'
import { importFile, wholeList } from '#testing/admin-requests'
import { openStack } from '#testing/product/stack'

type Row = Record<string, string>
const data = join(import.meta.dirname, '../../../testing/data')
const demo = join(import.meta.dirname, '../../../deploy/demo')
const file = (name: string) => readFileSync(join(data, name))
const rowsOf = (name: string): Row[] => parse(file(name), { columns: true, bom: true })
/** Minor units of a price with two decimals, by its digits. */
const cents = (text = '') => Number(`${text.split('.')[0]}${(text.split('.')[1] ?? '').padEnd(2, '0')}`)
const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)

const stack = duringTests(() => openStack({ form: 'one-process' }))

async function makeShop(currency: string, country = 'US'): Promise<string> {
  return (await stack.makeShop({ currency, country })).handle
}

const run = (shop: string, body: Buffer | string, query?: string) => importFile(stack, shop, body, query)
const walk = <Row>(shop: string, list: string) => wholeList<Row>(stack, shop, list)

async function productsOf(shop: string): Promise<Product[]> {
  const list = await walk<Product>(shop, 'products')
  const whole = list.map(async ({ id }) => (await stack.admin('GET', `/shops/${shop}/products/${id}`)).data as Product)
  return Promise.all(whole)
}

const lists = ['products', 'contacts', 'orders']
const all = async (shop: string) => Promise.all(lists.map((list) => walk<{ id: string }>(shop, list)))
const counts = ({ status, created, updated, unchanged, skipped, failed }: ImportRecord) => {
  return { status, created, updated, unchanged, skipped, failed }
}
const completed = { status: 'completed', created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
const words = ({ errors }: ImportRecord) => errors.map(({ record, code }) => [record, code])

/** A dry run, the run, and the run again: the first has the counts of the second, the third changes nothing. */
async function thrice(shop: string, body: Buffer | string, created: number, query = '') {
  const before = await all(shop)
  const dry = await run(shop, body, `?dry_run=true${query}`)
  expect(await all(shop)).toEqual(before)
  const real = await run(shop, body, `?dry_run=false${query}`)
  expect(counts(real)).toEqual({ ...completed, created, skipped: real.skipped })
  expect([counts(dry), words(dry)]).toEqual([counts(real), words(real)])
  const after = await all(shop)
  const again = await run(shop, body, `?dry_run=false${query}`)
  expect(counts(again)).toEqual({ ...completed, unchanged: created, skipped: real.skipped })
  expect(await all(shop)).toEqual(after)
  expect(words(again)).toEqual(words(real))
  return real
}

describe('the Shopify orders of one day', () => {
  const name = 'shopify-orders-full.derived.csv'
  const rows = rowsOf(name)
  const firsts = rows.filter(({ Id }) => Id !== '')

  test('come to the totals of the file, line by line', async () => {
    const shop = await makeShop('GBP', 'GB')
    const done = await thrice(shop, file(name), 88)
    expect([done.records, done.errors]).toEqual([2_703, []])
    const orders = await walk<Order>(shop, 'orders')
    expect(orders).toHaveLength(88)
    expect(sum(orders.map(({ total }) => total.cents))).toBe(sum(firsts.map((row) => cents(row.Total))))
    expect(sum(orders.map(({ total }) => total.cents))).toBe(3_177_495)
    expect(sum(orders.map(({ subtotal }) => subtotal.cents))).toBe(sum(firsts.map((row) => cents(row.Subtotal))))
    expect(sum(orders.map(({ deliveryFee }) => deliveryFee.cents))).toBe(41_400)
    expect(sum(orders.map(({ items }) => items.length))).toBe(2_703)
    expect(sum(orders.map(({ itemCount }) => itemCount))).toBe(sum(rows.map((row) => Number(row['Lineitem quantity']))))
    for (const { subtotal, discount, deliveryFee, tax, total } of orders) {
      expect(subtotal.cents - discount.cents + deliveryFee.cents + tax.cents).toBe(total.cents)
    }
    expect(orders.every(({ customer }) => customer.clientId === null)).toBe(true)
    const [first] = orders.map(({ createdAt }) => createdAt).toSorted()
    expect(first).toBe('2010-12-05T10:03:00.000Z')
    expect((await stack.admin('GET', `/shops/${shop}/events`)).data).toEqual([])
  })

  test('make contacts of the 75 buyers on request, but not of the guest', async () => {
    const shop = await makeShop('GBP', 'GB')
    const emails = new Set(firsts.map(({ Email }) => Email).filter((email) => email !== ''))
    await thrice(shop, file(name), 88 + emails.size, '&create_contacts=true')
    expect(emails.size).toBe(75)
    const orders = await walk<Order>(shop, 'orders')
    expect(orders.filter(({ customer }) => customer.clientId === null)).toHaveLength(1)
    expect(await walk(shop, 'contacts')).toHaveLength(75)
  })

  test('are linked to products and contacts of the shop', async () => {
    const shop = await makeShop('GBP', 'GB')
    const [first] = firsts
    const contact = await stack.makeContact(shop, { email: String(first?.Email).toUpperCase() })
    const lines = rows.filter(({ Name }) => Name === first?.Name)
    const title = String(lines[0]?.['Lineitem name'])
    const product = await stack.makeProduct(shop, { title, price: { cents: 1 }, kind: 'digital' })
    await run(shop, file(name))
    const order = (await walk<Order>(shop, 'orders')).find(({ customer }) => customer.clientId === contact.id)
    expect(order?.items.map(({ productId, kind }) => [productId, kind])[0]).toEqual([product.id, 'digital'])
  })

  test('without line prices they fail with the name of the column, and nothing is written', async () => {
    const shop = await makeShop('USD')
    const done = await run(shop, file('shopify-orders-partial.csv'))
    expect(done).toMatchObject({ status: 'failed', format: null, processed: 0, created: 0 })
    expect(done.errors).toMatchObject([{ code: 'missing_column', message: 'The file has no column lineitem price.' }])
  })

  test('one changed row changes exactly its order', async () => {
    const shop = await makeShop('GBP', 'GB')
    await run(shop, file(name))
    const before = await walk<Order>(shop, 'orders')
    const changed = file(name).toString().replace('RETROSPOT HEART HOT WATER BOTTLE', 'A HOT WATER BOTTLE')
    expect(counts(await run(shop, changed, '?dry_run=true'))).toEqual({ ...completed, updated: 1, unchanged: 87 })
    expect(counts(await run(shop, changed))).toEqual({ ...completed, updated: 1, unchanged: 87 })
    const after = await walk<Order>(shop, 'orders')
    const different = after.filter((order, index) => JSON.stringify(order) !== JSON.stringify(before[index]))
    expect(different.map(({ items }) => items[1]?.title)).toEqual(['A HOT WATER BOTTLE'])
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  })
})

describe('the Shopify products', () => {
  test('have the prices and the stock of the file', async () => {
    const file = readFileSync(join(demo, 'shopify-products.csv'))
    const rows: Row[] = parse(file, { columns: true, bom: true })
    const shop = await makeShop('GBP', 'GB')
    const done = await thrice(shop, file, 20)
    expect([done.records, done.errors]).toEqual([21, []])
    const products = await productsOf(shop)
    const sold = products.flatMap(({ variants, price, stock }) => (variants.length > 0 ? variants : [{ price, stock }]))
    const prices = sum(sold.map(({ price }) => price.cents))
    expect([sold.length, prices]).toEqual([21, sum(rows.map((row) => cents(row['Variant Price'])))])
    expect(prices).toBe(234_584)
    const counted = rows.filter((row) => row['Variant Inventory Tracker'] !== '')
    expect(sum(sold.map(({ stock }) => stock ?? 0))).toBe(
      sum(counted.map((row) => Number(row['Variant Inventory Qty']))),
    )
  })
})

describe('days of retail in one shop', () => {
  const days = ['01', '06'].map((day) => `2010-12-${day}`)
  const read = (day: string) => readFileSync(join(demo, 'online-retail', `${day}.csv`))
  /** What the lines that count come to, and the orders that have one. */
  const salesOf = (day: string) => {
    const rows: Row[] = parse(read(day), { columns: true, bom: true })
    const isCharge = ({ StockCode = '' }: Row) => ['POST', 'DOT', 'C2'].includes(StockCode.toUpperCase())
    const services = ['M', 'BANK CHARGES', 'AMAZONFEE', 'CRUK', 'B', 'S']
    const counted = rows.filter((row) => {
      const isGone = String(row.InvoiceNo).startsWith('C') || services.includes(String(row.StockCode).toUpperCase())
      return !isGone && (row.Description !== '' || isCharge(row)) && Number(row.UnitPrice) > 0
    })
    const lines = counted.filter((row) => Number(row.Quantity) > 0 || row.StockCode === 'D')
    const goods = lines.filter((row) => !isCharge(row) && row.StockCode !== 'D')
    const orders = new Set(goods.map((row) => row.InvoiceNo))
    const amounts = lines.filter((row) => orders.has(row.InvoiceNo)).map(amountOf)
    return { orders: orders.size, lines: goods.length, total: sum(amounts) }
  }
  const amountOf = (row: Row) =>
    (row.StockCode === 'D' ? -Math.abs(Number(row.Quantity)) : Number(row.Quantity)) *
    cents(String(row.UnitPrice).replace(/(\.\d\d)0+$/, '$1'))

  test('a dry run of each has its counts, with refunds of other days; again they change nothing; the sums are those of the files', async () => {
    const shop = await makeShop('GBP', 'GB')
    for (const day of days) {
      const dry = await run(shop, read(day), '?dry_run=true')
      const real = await run(shop, read(day))
      expect([day, counts(dry), words(dry)]).toEqual([day, counts(real), words(real)])
      expect([real.status, real.failed]).toEqual(['completed', 0])
    }
    const before = await walk<Order>(shop, 'orders')
    for (const day of days) expect(await run(shop, read(day))).toMatchObject({ created: 0, updated: 0, failed: 0 })
    expect(await walk<Order>(shop, 'orders')).toEqual(before)
    const sales = days.map(salesOf)
    expect(before).toHaveLength(sum(sales.map(({ orders }) => orders)))
    expect(sum(before.map(({ items }) => items.length))).toBe(sum(sales.map(({ lines }) => lines)))
    expect(sum(before.map(({ total }) => total.cents))).toBe(sum(sales.map(({ total }) => total)))
  }, 300_000)
})

describe("Spree's sample", () => {
  test('products: 37 with 87 variants, at the prices of the currency', async () => {
    const rows = rowsOf('spree-products.csv')
    for (const [currency, wanted] of [
      ['USD', 1_706_917],
      ['EUR', 1_591_917],
    ] as const) {
      const shop = await makeShop(currency)
      const done = await thrice(shop, file('spree-products.csv'), 37)
      expect([done.records, done.errors]).toEqual([211, []])
      const products = await productsOf(shop)
      const prices = products.flatMap(({ variants }) => variants.map(({ price }) => price.cents))
      const given = rows.filter((row) => row.currency === currency && row.name === '').map((row) => cents(row.price))
      expect([prices.length, sum(prices)]).toEqual([87, sum(given)])
      expect(sum(prices)).toBe(wanted)
      expect(sum(products.map(({ stock }) => stock ?? 0))).toBe(435_000)
    }
  })

  test('customers: 20 contacts, 15 without a phone', async () => {
    const shop = await makeShop('USD')
    const done = await thrice(shop, file('spree-customers.csv'), 20)
    expect(done.errors.map(({ code }) => code)).toEqual(Array.from({ length: 15 }, () => 'bad_phone'))
    const contacts = await walk<{ email: string; phone: string | null; source: string }>(shop, 'contacts')
    const emails = rowsOf('spree-customers.csv').map(({ email }) => email)
    expect(contacts.map(({ email }) => email).toSorted()).toEqual(emails.toSorted())
    expect(contacts.filter(({ phone }) => phone !== null)).toHaveLength(5)
    expect(contacts.every(({ source }) => source === 'import')).toBe(true)
  })
})

describe('customers of a Shopify shop', () => {
  const header = 'Customer ID,First Name,Last Name,Email,Phone,Tags,Total Orders,Address1,City,Country Code'
  const rows = [
    '1,Ada,Lovelace,ada@example.com,,vip,1,1 Sea Street,Bath,GB',
    '2,Bob,,bob@example.com,+442079460958,,0,,,',
    '3,Robert,,rob@example.com,020 7946 0958,new,0,,,',
    '4,,,,,,0,,,',
  ]

  test('two people with one phone are one contact; a row without email and phone fails; a changed row changes one', async () => {
    const shop = await makeShop('GBP', 'GB')
    const text = `${header}\n${rows.join('\n')}\n`
    const first = await run(shop, text)
    expect(counts(first)).toEqual({ ...completed, created: 2, failed: 1 })
    expect(words(first)).toEqual([
      [4, 'no_identity'],
      [3, 'merged'],
    ])
    expect(counts(await run(shop, text))).toEqual({ ...completed, unchanged: 2, failed: 1 })
    const before = await walk<{ id: string; name: string; tags: string[]; marketingConsentAt: null }>(shop, 'contacts')
    expect(before.map(({ name, tags, marketingConsentAt }) => [name, tags, marketingConsentAt]).toSorted()).toEqual([
      ['Ada Lovelace', ['vip'], null],
      ['Bob', ['new'], null],
    ])
    const changed = text.replace(
      'Ada,Lovelace,ada@example.com,,vip,1,1 Sea',
      'Augusta,King,king@example.com,,old,1,2 Sea',
    )
    expect(counts(await run(shop, changed))).toEqual({ ...completed, updated: 1, unchanged: 1, failed: 1 })
    const after = await walk<{ email: string }>(shop, 'contacts')
    expect(after.find(({ email }) => email === 'king@example.com')).toMatchObject({
      name: 'Ada Lovelace', // Name and address only fill gaps, tags are merged; the email is the file's.
      tags: ['vip', 'old'],
      address: { line1: '1 Sea Street', city: 'Bath', country: 'GB' },
    })
  })
})

describe('a WooCommerce catalogue', () => {
  const header =
    'ID,Type,SKU,Name,Published,In stock?,Stock,Regular price,Sale price,Parent,Attribute 1 name,Attribute 1 value(s)'
  const rows = [
    '21,variation,tee-s,,1,1,5,20,,tee,Size,S',
    '1,simple,mug,Mug,1,0,,9.50,8,,,',
    '2,variable,tee,Tee,1,1,,,,,Size,"S, M, L"',
    '3,grouped,set,Set,1,1,,,,,,',
    '22,variation,tee-any,,1,1,,"22,50",,id:2,Size,',
  ]

  test('yields products whose variations stand anywhere, and their stock', async () => {
    const shop = await makeShop('EUR', 'DE')
    const text = `\ufeff${header}\r\n${rows.join('\r\n')}\r\n`
    const done = await thrice(shop, text, 2)
    expect([done.skipped, words(done)]).toEqual([1, [[4, 'not_sold_here']]])
    const products = await productsOf(shop)
    expect(products.find(({ title }) => title === 'Mug')).toMatchObject({
      price: { cents: 800 },
      compareAt: { cents: 950 },
      trackInventory: false,
      stock: null,
      inStock: false,
    })
    const tee = products.find(({ title }) => title === 'Tee')
    expect(
      tee?.variants.map(({ options, price, stock, isAvailable }) => [options.Size, price.cents, stock, isAvailable]),
    ).toEqual([
      ['S', 2_000, 5, true],
      ['M', 2_250, 0, true],
      ['L', 2_250, 0, true],
    ])
    const changed = text.replace('20,,tee', '21,,tee')
    expect(counts(await run(shop, changed))).toEqual({ ...completed, updated: 1, unchanged: 1, skipped: 1 })
  })
})
