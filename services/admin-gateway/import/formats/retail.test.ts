// Retail transactions (docs/spec/imports.md#retail-transactions, docs/spec/imports.md#required-cases).
import { describe, expect, test } from '@jest/globals'
import { emptyAddress, importPath, importText, londonShop, plainProduct } from '#testing/files/import-text'

const header = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country'
const importLines = (...lines: string[]) => importText(`${header}\n${lines.join('\n')}\n`)

describe('eight real days', () => {
  // Counted and summed by another program from the same files.
  test.each([
    ['2010-12-01', 3108, 1336, 95, 127, 3064, 25, 13, 11, 57_626_33, 1_314_26, 297_73],
    ['2010-12-02', 2109, 921, 98, 141, 2061, 44, 3, 3, 47_715_38, 18_00, 1_541_10],
    ['2010-12-03', 2202, 1111, 50, 68, 2140, 14, 35, 33, 44_833_98, 2_105_48, 1_323_25],
    ['2010-12-05', 2725, 1140, 75, 88, 2696, 15, 9, 1, 31_318_99, 414_00, 361_71],
    ['2010-12-06', 3878, 1467, 82, 102, 3805, 28, 38, 14, 51_873_43, 2_901_60, 746_15],
    ['2010-12-07', 2963, 1247, 65, 82, 2851, 22, 81, 22, 81_519_34, 3_632_94, 388_32],
    ['2010-12-08', 2647, 1197, 99, 116, 2558, 72, 13, 10, 44_308_60, 1_041_42, 933_02],
    ['2010-12-09', 2891, 1241, 90, 106, 2758, 72, 45, 43, 50_030_51, 3_540_67, 1_052_05],
  ])('%s: every record is in an order or a refund, or reported as skipped', async (day, ...expected) => {
    const { items, products, contacts, orders, refunds, report } = await importPath(
      `deploy/demo/online-retail/${day}.csv`,
    )
    const lines = orders.flatMap(({ order }) => order.lines)
    const { counts } = report
    expect([
      counts.records,
      products.length,
      contacts.length,
      orders.length,
      lines.length,
      refunds.length,
      counts.skippedRecords,
      counts.skipped,
      lines.reduce((sum, { quantity, unit_price_cents }) => sum + quantity * unit_price_cents, 0),
      orders.reduce((sum, { order }) => sum + order.delivery_fee_cents, 0),
      refunds.reduce((sum, { refund }) => sum + refund.amount_cents, 0),
    ]).toEqual(expected)
    expect(counts).toMatchObject({ failed: 0, errors: 0 })
    expect(new Set(items.map(({ kind, key }) => `${kind} ${key}`)).size).toBe(items.length)
  })

  test('an order comes after the products and the contact that it needs', async () => {
    const { items } = await importPath('deploy/demo/online-retail/2010-12-06.csv')
    const written = new Set<string>()
    const lacking: string[] = []
    for (const item of items) {
      if (item.kind === 'order') {
        const { contact_key, lines } = item.order
        const needed = lines.map(({ product_key }) => `product ${product_key}`)
        if (contact_key !== null) needed.push(`contact ${contact_key}`)
        lacking.push(...needed.filter((name) => !written.has(name)))
      }
      written.add(`${item.kind} ${item.key}`)
    }
    expect(lacking).toEqual([])
  })

  test('an invoice of 675 lines is one order; its postage is not a line', async () => {
    const { orders } = await importPath('deploy/demo/online-retail/2010-12-06.csv')
    const order = orders.find(({ key }) => key === '537434')?.order
    expect(order?.lines).toHaveLength(674)
    expect(order?.delivery_fee_cents).toBe(950_99)
  })
})

describe('an invoice', () => {
  test('becomes a product, a contact and an order', async () => {
    const { items } = await importLines(
      '536365,85123a, WHITE  HEART ,6,2010-07-01 08:26:00,2.55,17850.0,United Kingdom',
      '536365,POST,POSTAGE,2,2010-07-01 08:26:00,18.0,17850.0,United Kingdom',
    )
    const at = '2010-07-01T07:26:00.000Z'
    const address = { ...emptyAddress, country: 'GB' }
    const nobody = { name: 'Customer 17850', email: null, phone: null }
    const sold = { title: 'WHITE  HEART', kind: 'physical', sku: '85123a' }
    const product = { ...plainProduct, ...sold, slug: 'white-heart-85123a', price_cents: 255, created_at: at }
    const order = {
      status: 'completed',
      payment_status: 'paid',
      payment_method: 'bank_transfer',
      contact_key: '17850',
      customer: nobody,
      address,
      delivery: { method: 'shipping', label: 'Postage' },
      coupon_code: null,
      note: null,
      discount_cents: 0,
      delivery_fee_cents: 3600,
      tax_cents: 0,
      refunded_cents: 0,
      shipped_at: null,
      created_at: at,
      updated_at: at,
      lines: [{ ...sold, product_key: '85123A', variant_label: null, quantity: 6, unit_price_cents: 255 }],
    }
    const contact = { ...nobody, tags: [], address, source: 'import', created_at: at }
    const place = { record: 1, line: 2 }
    expect(items).toEqual([
      { ...place, kind: 'product', key: '85123A', only_create: true, product },
      { ...place, kind: 'contact', key: '17850', only_create: true, contact },
      { ...place, kind: 'order', key: '536365', order },
    ])
  })

  test('keeps two lines of one SKU apart, also in two letter cases', async () => {
    const { products, orders } = await importLines(
      '1,85123a,HEART,6,2010-12-01 08:26:00,2.55,,France',
      '1,85123A,RED HEART,1,2010-12-01 08:26:00,2.50,,France',
    )
    expect(products.map(({ key, product }) => [key, product.title])).toEqual([['85123A', 'HEART']])
    expect(orders[0]?.order.lines.map(({ sku, title, product_key }) => [sku, title, product_key])).toEqual([
      ['85123a', 'HEART', '85123A'],
      ['85123A', 'RED HEART', '85123A'],
    ])
  })

  test('without a customer is a guest’s; without a delivery line it goes by Standard', async () => {
    const { contacts, orders } = await importLines('1,A1,HEART,6,2010-12-01 08:26:00,2.55,,France')
    expect(contacts).toEqual([])
    expect(orders[0]?.order).toMatchObject({
      contact_key: null,
      customer: { name: null },
      delivery: { method: 'shipping', label: 'Standard' },
      delivery_fee_cents: 0,
      address: { country: 'FR' },
    })
  })

  test('takes its lines from anywhere in the file', async () => {
    const line = (invoice: string, code: string) => `${invoice},${code},X,1,2010-12-01 08:26:00,1,,France`
    const { orders } = await importLines(line('1', 'A'), line('2', 'B1'), line('1', 'C'))
    expect(orders.map(({ key, order }) => [key, order.lines.map(({ sku }) => sku)])).toEqual([
      ['2', ['B1']],
      ['1', ['A', 'C']],
    ])
  })

  test('discount lines are discount, with either sign', async () => {
    const { orders } = await importLines(
      '1,A1,HEART,6,2010-12-01 08:26:00,2.55,,France',
      '1,D,Discount,-1,2010-12-01 08:26:00,1.50,,France',
      '1,D,,1,2010-12-01 08:26:00,0.25,,France',
    )
    expect(orders[0]?.order).toMatchObject({ discount_cents: 175, lines: [{ sku: 'A1' }] })
  })

  test('lines that do not count are skipped, each with its reason', async () => {
    const { orders, report } = await importLines(
      '1,A1,HEART,6,2010-12-01 08:26:00,2.55,,France',
      '1,M,Manual,1,2010-12-01 08:26:00,1.00,,France',
      '1,BANK CHARGES,Bank Charges,1,2010-12-01 08:26:00,15.0,,France',
      '1,A2,FREE,1,2010-12-01 08:26:00,0.0,,France',
      '1,A3,LOST,-4,2010-12-01 08:26:00,1.00,,France',
      '1,A4,,1,2010-12-01 08:26:00,1.00,,France',
      '1,POST,POSTAGE,0,2010-12-01 08:26:00,18.0,,France',
    )
    expect(orders[0]?.order).toMatchObject({ lines: [{ sku: 'A1' }], delivery_fee_cents: 0 })
    expect(report.counts).toMatchObject({ records: 7, skippedRecords: 6, skipped: 0, errors: 0, warnings: 6 })
    expect(report.problems.map(({ record, code, column }) => [record, code, column])).toEqual([
      [2, 'service_code', 'StockCode'],
      [3, 'service_code', 'StockCode'],
      [4, 'no_price', 'UnitPrice'],
      [5, 'no_quantity', 'Quantity'],
      [6, 'no_description', 'Description'],
      [7, 'no_quantity', 'Quantity'],
    ])
  })

  test('that is left without lines is skipped, and so are its contact and products', async () => {
    const { items, report } = await importLines('1,A2,FREE,1,2010-12-01 08:26:00,0.0,17850.0,France')
    expect(items).toEqual([])
    expect(report.counts).toMatchObject({ skippedRecords: 1, skipped: 1, failed: 0, errors: 0 })
    expect(report.problems.map(({ code }) => code)).toEqual(['no_price', 'no_lines'])
  })

  test.each([
    ['InvoiceDate', 'bad_date', '1,A,X,1,soon,1.00,,France'],
    ['InvoiceDate', 'missing_value', '1,A,X,1,,1.00,,France'],
    ['Quantity', 'bad_number', '1,A,X,1.5,2010-12-01,1.00,,France'],
    ['UnitPrice', 'money', '1,A,X,1,2010-12-01,£1,,France'],
    ['UnitPrice', 'money_precision', '1,A,X,1,2010-12-01,1.005,,France'],
    ['StockCode', 'missing_value', '1,,X,1,2010-12-01,1.00,,France'],
  ])('with a bad %s (%s) fails whole, and the next one goes in', async (column, code, bad) => {
    const good = '2,B1,Y,1,2010-12-01,1.00,,France'
    const { items, report } = await importLines(bad, '1,C,Z,1,2010-12-01,1.00,,France', good)
    expect(items.map(({ kind, key }) => [kind, key])).toEqual([
      ['product', 'B1'],
      ['order', '2'],
    ])
    expect(report.problems).toMatchObject([{ record: 1, line: 2, column, code, severity: 'error' }])
    expect(report.counts).toMatchObject({ failed: 1 })
  })

  test('of 1000 lines goes in, of 1001 it fails', async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, n) => `1,A${n},X,1,2010-12-01,1.00,,France`)
    const whole = await importLines(...lines(1000))
    expect(whole.orders[0]?.order.lines).toHaveLength(1000)
    const over = await importLines(...lines(1001))
    expect(over.items).toEqual([])
    expect(over.report.problems.map(({ code }) => code)).toEqual(['too_many_lines'])
  })

  test('with amounts beyond what JSON carries fails', async () => {
    const { items, report } = await importLines('1,A,X,1000000,2010-12-01,99999999999.99,,France')
    expect(items).toEqual([])
    expect(report.problems.map(({ code }) => code)).toEqual(['money'])
  })

  test('with a damaged customer number is a guest’s, with a warning', async () => {
    const { orders, report } = await importLines('1,A,X,1,2010-12-01,1.00,1.785E+04,France')
    expect(orders[0]?.order.contact_key).toBeNull()
    expect(report.problems).toMatchObject([{ column: 'CustomerID', code: 'damaged_id', severity: 'warning' }])
  })

  test('with an unknown country has none, with a warning', async () => {
    const { orders, report } = await importLines('1,A,X,1,2010-12-01,1.00,,Channel Islands')
    expect(orders[0]?.order.address.country).toBeNull()
    expect(report.problems).toMatchObject([{ column: 'Country', code: 'bad_country', severity: 'warning' }])
  })

  test('with a damaged number fails', async () => {
    const { items, report } = await importLines('5.36E+05,A,X,1,2010-12-01,1.00,,France')
    expect(items).toEqual([])
    expect(report.problems).toMatchObject([{ code: 'no_key', column: 'InvoiceNo', value: '5.36E+05' }])
  })
})

describe('a cancellation', () => {
  test('is one refund per line, whose number is its place in the cancellation', async () => {
    const { items, report } = await importLines(
      'C536391,22556,PLASTERS,-12,2010-12-01 10:24:00,1.65,17548.0,United Kingdom',
      'C536391,D,Discount,-1,2010-12-01 10:24:00,27.5,17548.0,United Kingdom',
      'C536391,21984,TISSUES,-24,2010-12-01 10:24:00,0.29,17548.0,United Kingdom',
    )
    const at = '2010-12-01T10:24:00.000Z'
    const refund = (sku: string, cents: number) => ({
      kind: 'refund',
      refund: { contact_key: '17548', sku, amount_cents: cents, at },
    })
    expect(items).toEqual([
      { ...refund('22556', 1980), key: 'C536391:1', record: 1, line: 2 },
      { ...refund('21984', 696), key: 'C536391:3', record: 3, line: 4 },
    ])
    expect(report.problems.map(({ record, code }) => [record, code])).toEqual([[2, 'service_code']])
  })

  test('without a customer belongs to no order and is skipped', async () => {
    const { items, report } = await importLines('C1,22556,PLASTERS,-12,2010-12-01 10:24:00,1.65,,United Kingdom')
    expect(items).toEqual([])
    expect(report.counts).toMatchObject({ skippedRecords: 1, errors: 0 })
    expect(report.problems.map(({ code }) => code)).toEqual(['no_contact'])
  })
})

test('pounds do not become the currency of another shop', async () => {
  const euros = importText(`${header}\n`, { ...londonShop, currency: 'EUR' })
  await expect(euros).rejects.toMatchObject({ code: 'currency_mismatch' })
})

test('the same file yields the same objects again', async () => {
  const path = 'deploy/demo/online-retail/2010-12-02.csv'
  expect((await importPath(path)).items).toEqual((await importPath(path)).items)
})
