// A dry run has the counts of the real run where objects of a file depend on one another: refunds that share an order, orders
// that the file changes first, buyers with one phone (docs/spec/imports.md#dry-run-and-report).
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ImportRecord } from '#contracts/objects/import-record'
import { duringTests } from '#testing/during-tests'
import { importFile } from '#testing/admin-requests'
import { openStack } from '#testing/product/stack'

const stack = duringTests(() => openStack({ form: 'one-process' }))

async function makeShop(): Promise<string> {
  return (await stack.makeShop({ currency: 'GBP', country: 'GB' })).handle
}

/** Runs dry, then runs; both must report the same. */
async function runTwice(shop: string, body: string, query = ''): Promise<ImportRecord> {
  const dry = await importFile(stack, shop, body, `?dry_run=true${query}`)
  const real = await importFile(stack, shop, body, `?dry_run=false${query}`)
  expect(reportOf(dry)).toEqual(reportOf(real))
  return real
}
const reportOf = ({
  id: _id,
  dryRun: _dry,
  createdAt: _begun,
  updatedAt: _last,
  finishedAt: _end,
  recordsPerSecond: _pace,
  ...rest
}: ImportRecord) => rest

type Line = { invoice: string; day: number; sku: string; customer: number; quantity: number }
const retail = (lines: Line[]) =>
  'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n' +
  lines
    .map(({ invoice, day, sku, customer, quantity }) => {
      return `${invoice},${sku},Mug,${quantity},2010-12-0${day} 09:00:00,1.00,${customer}.0,France\n`
    })
    .join('')
const sale = (invoice: string, day: number, quantity: number, sku = 'A1') => ({
  invoice,
  day,
  sku,
  customer: 1,
  quantity,
})
const back = (invoice: string, day: number, quantity: number, sku = 'A1') => sale(`C${invoice}`, day, -quantity, sku)

test('refunds that fit an order of the shop one by one but not together are made as far as its money goes', async () => {
  const shop = await makeShop()
  await importFile(stack, shop, retail([sale('1', 1, 10)]))
  const real = await runTwice(shop, retail([back('2', 2, 6), back('3', 3, 6), back('4', 4, 4)]))
  expect([real.updated, real.skipped]).toEqual([2, 1])
  expect(real.errors.map(({ record, code }) => [record, code])).toEqual([[2, 'no_order']])
})

test('refunds are split between an order of the file and one of the shop, the latest first', async () => {
  const shop = await makeShop()
  await importFile(stack, shop, retail([sale('1', 1, 10)]))
  const real = await runTwice(
    shop,
    retail([back('9', 4, 10), sale('2', 2, 10), back('8', 4, 10), back('7', 4, 1), back('6', 1, 1)]),
  )
  expect([real.created, real.updated, real.skipped]).toEqual([1, 2, 2])
})

test('an order that the file changes refunds what it has after the change', async () => {
  const shop = await makeShop()
  await importFile(stack, shop, retail([sale('1', 1, 10), sale('2', 2, 10, 'B2')]))
  // The first gets smaller, the second now holds the SKU.
  const real = await runTwice(
    shop,
    retail([sale('1', 1, 4), sale('2', 2, 3), back('3', 3, 5), back('4', 3, 3), back('5', 3, 4)]),
  )
  expect([real.updated, real.skipped]).toEqual([4, 1])
})

test('an order that the file assigns to another customer gets no refund of the first one', async () => {
  const shop = await makeShop()
  await importFile(stack, shop, retail([sale('1', 1, 3)]))
  const real = await runTwice(shop, retail([{ ...sale('1', 1, 3), customer: 2 }, back('2', 2, 3)]))
  expect([real.updated, real.skipped]).toEqual([1, 1])
})

test('for any two files, the dry run of the second reports the same as its run', async () => {
  const line = fc.record({
    invoice: fc.constantFrom('1', '2', '3', '4', 'C5', 'C6', 'C7', 'C8'),
    day: fc.integer({ min: 1, max: 3 }),
    sku: fc.constantFrom('A1', 'a1', 'B2'),
    customer: fc.constantFrom(1, 1, 2),
    quantity: fc.integer({ min: 1, max: 6 }),
  })
  const signed = (lines: Line[]) =>
    retail(lines.map((one) => ({ ...one, quantity: one.invoice.startsWith('C') ? -one.quantity : one.quantity })))
  const file = fc.array(line, { minLength: 1, maxLength: 14 }).map(signed)
  await fc.assert(
    fc.asyncProperty(file, file, async (first, second) => {
      const shop = await makeShop()
      await runTwice(shop, first)
      await runTwice(shop, second)
    }),
    { numRuns: 15 },
  )
}, 120_000)

test('orders of one id in one file are one order', async () => {
  const shop = await makeShop()
  const row = (name: string, id: string) => `${name},${id},2010-12-01 09:00:00 +0000,1.00,1.00,GBP,Mug ${name},1,1.00\n`
  const header = 'Name,Id,Created at,Subtotal,Total,Currency,Lineitem name,Lineitem quantity,Lineitem price\n'
  const real = await runTwice(shop, header + row('#1', '5001') + row('#2', '5001') + row('#3', '5002'))
  expect([real.created, real.updated]).toEqual([2, 1])
})

test('a buyer with the phone of an earlier buyer is the same contact', async () => {
  const shop = await makeShop()
  const order = (name: string, email: string, phone: string) =>
    `${name},${email},2010-12-01 09:00:00 +0000,1.00,1.00,GBP,Mug,1,1.00,${phone}\n`
  const header =
    'Name,Email,Created at,Subtotal,Total,Currency,Lineitem name,Lineitem quantity,Lineitem price,Billing Phone\n'
  const file = [
    order('#1', 'ada@example.com', '+442079460958'),
    order('#2', 'bob@example.com', '+442079460958'),
    order('#3', '', '+442079460958'),
    order('#4', 'eve@example.com', ''),
  ].join('')
  const real = await runTwice(shop, header + file, '&create_contacts=true')
  expect([real.created, real.unchanged]).toEqual([6, 2])
})
