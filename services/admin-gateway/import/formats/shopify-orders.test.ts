// The Shopify orders export (docs/spec/imports.md#shopify-orders, docs/spec/imports.md#required-cases).
import { describe, expect, test } from '@jest/globals'
import { importPath, importText, londonShop } from '#testing/files/import-text'
import type { ImportContext } from '../reader/fields.ts'

const usual: Record<string, string> = {
  Name: '#1001',
  Id: '5000000000001',
  Email: 'ada@example.com',
  'Financial Status': 'paid',
  'Fulfillment Status': 'fulfilled',
  'Fulfilled at': '2026-03-02 09:00:00 +0100',
  'Paid at': '2026-03-01 10:05:00 +0100',
  'Created at': '2026-03-01 10:00:00 +0100',
  Currency: 'GBP',
  Subtotal: '20.00',
  Shipping: '5.00',
  Taxes: '4.00',
  Total: '29.00',
  'Shipping Method': 'Standard',
  'Payment Method': 'Shopify Payments',
  'Lineitem name': 'Mug - Blue',
  'Lineitem quantity': '2',
  'Lineitem price': '10.00',
}

/** Rows of a table: `in = out; in = out`. */
const pairs = (text: string) => text.split('; ').map((pair) => pair.split(' = ') as [string, string])
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

/** A file of orders; each list is the records of one order, given as what differs from the usual one. */
function fileOf(orders: Record<string, string>[][]): string {
  const full = orders.flatMap(([first = {}, ...more]) => [{ ...usual, ...first }, ...more])
  const columns = [...new Set(full.flatMap((row) => Object.keys(row)))]
  return [columns, ...full.map((row: Record<string, string>) => columns.map((column) => row[column] ?? ''))]
    .map((cells) => `${cells.map(quoted).join(',')}\n`)
    .join('')
}

async function orderOf(first: Record<string, string>, more: Record<string, string>[] = [], context = londonShop) {
  const { items, orders, contacts, report } = await importText(fileOf([[first, ...more]]), context)
  const codes = report.problems.map(({ code }) => code)
  return { order: orders[0]?.order, item: orders[0], items, contacts, codes, problems: report.problems, report }
}

const shop = (facts: Partial<ImportContext>): ImportContext => ({ ...londonShop, ...facts })

describe('an order', () => {
  test('is read whole', async () => {
    const { item, codes } = await orderOf({
      'Billing Name': 'Ada Lovelace',
      Phone: "'+44 20 7946 0958",
      'Shipping Address1': '1 Sea Street',
      'Shipping City': 'Bath',
      'Shipping Zip': "'07175",
      'Shipping Province': 'SOM',
      'Shipping Province Name': 'Somerset',
      'Shipping Country': 'GB',
      'Discount Code': 'SPRING',
      Notes: 'Ring twice,\nplease',
      'Lineitem sku': "'0042",
    })
    expect(codes).toEqual([])
    expect(item).toEqual({
      kind: 'order',
      key: '5000000000001',
      object: '#1001',
      record: 1,
      line: 2,
      order: {
        status: 'shipped',
        payment_status: 'paid',
        payment_method: 'card',
        contact_key: null,
        customer: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+442079460958' },
        address: {
          line1: '1 Sea Street',
          line2: null,
          city: 'Bath',
          region: 'Somerset',
          postal_code: '07175',
          country: 'GB',
        },
        delivery: { method: 'shipping', label: 'Standard' },
        coupon_code: 'SPRING',
        note: 'Ring twice,\nplease',
        discount_cents: 0,
        delivery_fee_cents: 500,
        tax_cents: 400,
        refunded_cents: 0,
        shipped_at: '2026-03-02T08:00:00.000Z',
        created_at: '2026-03-01T09:00:00.000Z',
        updated_at: '2026-03-02T08:00:00.000Z',
        lines: [
          {
            product_key: null,
            title: 'Mug - Blue',
            variant_label: null,
            sku: '0042',
            kind: 'physical',
            quantity: 2,
            unit_price_cents: 1_000,
          },
        ],
      },
    })
  })

  test('of several records has a line for each; only the first one has the values of the order', async () => {
    const { order, report } = await orderOf({ Total: '32.00', Subtotal: '23.00' }, [
      { Name: '#1001', 'Lineitem name': 'Card', 'Lineitem quantity': '3', 'Lineitem price': '1.00' },
    ])
    expect(order?.lines.map(({ title, quantity }) => [title, quantity])).toEqual([
      ['Mug - Blue', 2],
      ['Card', 3],
    ])
    expect(report.counts.records).toBe(2)
  })

  test('of 600 lines is one order', async () => {
    const line = { Name: '#1001', 'Lineitem quantity': '1', 'Lineitem price': '0.50' }
    const more = Array.from({ length: 599 }, (_, n) => ({ ...line, 'Lineitem name': `Thing ${n}` }))
    const { order } = await orderOf({ Subtotal: '319.50', Total: '328.50' }, more)
    expect(order?.lines).toHaveLength(600)
    expect(order?.lines.at(-1)?.title).toBe('Thing 598')
  })

  test('of more lines than an order may have fails', async () => {
    const line = { Name: '#1001', 'Lineitem name': 'x', 'Lineitem quantity': '1', 'Lineitem price': '0' }
    const more = Array.from({ length: 1_000 }, () => line)
    expect((await orderOf({}, more)).codes).toContain('too_many_lines')
  })

  test('without an email, and with one that is none, has none', async () => {
    expect((await orderOf({ Email: '' })).order?.customer.email).toBeNull()
    const bad = await orderOf({ Email: 'nobody' })
    expect([bad.order?.customer.email, bad.codes]).toEqual([null, ['bad_email']])
  })

  test('has the first phone that is one, read with the country of the row', async () => {
    const phones = { Phone: '12', 'Shipping Phone': "'030 12345678", 'Billing Phone': '+442079460958' }
    const { order, codes } = await orderOf({ ...phones, 'Shipping Country': 'DE' })
    expect([order?.customer.phone, codes]).toEqual(['+493012345678', []])
    expect((await orderOf({ Phone: '+8800 1712-345678' })).order?.customer.phone).toBe('+8801712345678')
    const none = await orderOf({ Phone: 'none' })
    expect([none.order?.customer.phone, none.codes]).toEqual([null, ['bad_phone']])
  })

  test('in another currency fails', async () => {
    const { order, problems } = await orderOf({ Currency: 'EUR' })
    expect(order).toBeUndefined()
    expect(problems).toMatchObject([{ code: 'currency_mismatch', column: 'Currency', severity: 'error', line: 2 }])
  })

  test.each([
    ['Lineitem quantity', '0', 'bad_number'],
    ['Lineitem quantity', '-1', 'bad_number'],
    ['Lineitem quantity', '1.5', 'bad_number'],
    ['Lineitem quantity', '', 'missing_value'],
    ['Lineitem price', '-1.00', 'money'],
    ['Lineitem price', '1.005', 'money_precision'],
    ['Lineitem name', '', 'missing_value'],
    ['Total', '', 'missing_value'],
    ['Created at', '', 'missing_value'],
    ['Created at', 'yesterday', 'bad_date'],
    ['Lineitem requires shipping', 'maybe', 'bad_boolean'],
  ])('with %s %j fails alone: %s', async (column, value, code) => {
    const { orders, report } = await importText(fileOf([[{ [column]: value }], [{ Name: '#1002', Id: '2' }]]))
    expect(orders.map(({ key }) => key)).toEqual(['2'])
    expect(report.counts.failed).toBe(1)
    expect(report.problems[0]).toMatchObject({ code, column, record: 1, line: 2, severity: 'error' })
  })
})

describe('the key', () => {
  test('is the id, without its apostrophe; the name where the id is missing or has lost digits', async () => {
    expect((await orderOf({ Id: "'5000000000001" })).item?.key).toBe('5000000000001')
    expect((await orderOf({ Id: '' })).item?.key).toBe('#1001')
    const damaged = await orderOf({ Id: '5.00E+12', Name: 'EU-7/x' })
    expect([damaged.item?.key, damaged.codes]).toEqual(['EU-7/x', ['damaged_id']])
  })
})

describe('the balance', () => {
  const lineDiscount = { 'Lineitem discount': '3.00', Subtotal: '17.00' }
  const cases: [string, Record<string, string>, [discount: number, tax: number] | null][] = [
    ['tax on top', {}, [0, 400]],
    ['tax included', { Taxes: '3.33', Total: '25.00' }, [0, 0]],
    ['duties on top', { Duties: '1.50', Total: '30.50' }, [0, 550]],
    ['a discount', { 'Discount Amount': '2.00', Subtotal: '18.00', Total: '27.00' }, [200, 400]],
    ['line discounts, tax on top', { ...lineDiscount, Total: '26.00' }, [300, 400]],
    ['line discounts, tax included', { ...lineDiscount, Total: '22.00' }, [300, 0]],
    ['line discounts within the discount', { ...lineDiscount, 'Discount Amount': '3.00', Total: '26.00' }, [300, 400]],
    ['a cent too much', { Total: '29.01' }, null],
    ['a cent too little', { Total: '28.99' }, null],
  ]
  test.each(cases)('%s', async (_what, cells, wanted) => {
    const { order, codes } = await orderOf(cells)
    if (wanted === null) expect([order, codes]).toEqual([undefined, ['money_mismatch']])
    else expect([order?.discount_cents, order?.tax_cents]).toEqual(wanted)
  })

  test('that does not come out is reported with both sides', async () => {
    const { problems } = await orderOf({ Total: '30.00' })
    expect(problems[0]).toMatchObject({
      column: 'Total',
      message:
        "lines 20.00 - discount 0.00 + shipping 5.00 + taxes 4.00 = 29.00, line discounts 0.00; the file's total is 30.00.",
    })
  })

  test('of a currency without decimals and of one with three', async () => {
    const amounts = async (currency: string, cells: Record<string, string>) => {
      const { order, codes } = await orderOf({ Currency: currency, Taxes: '', ...cells }, [], shop({ currency }))
      return order === undefined ? codes : [order.lines[0]?.unit_price_cents, order.delivery_fee_cents]
    }
    const yen = { 'Lineitem price': '1500', Subtotal: '3000', Shipping: '66.000', Total: '3066' }
    const dinar = { 'Lineitem price': '1.234', Subtotal: '2.468', Shipping: '0.5', Total: '2.968' }
    expect(await amounts('JPY', yen)).toEqual([1_500, 66])
    expect(await amounts('JOD', dinar)).toEqual([1_234, 500])
    expect(await amounts('JPY', { ...yen, Total: '3066.5' })).toEqual(['money_precision'])
  })

  test('with another subtotal is reported, not changed', async () => {
    const { order, codes } = await orderOf({ Subtotal: '19.00' })
    expect([order?.tax_cents, codes]).toEqual([400, ['subtotal_differs']])
  })
})

describe('what was refunded', () => {
  test('in part and whole is kept; more than the total fails', async () => {
    const part = await orderOf({ 'Financial Status': 'partially_refunded', 'Refunded Amount': '9.00' })
    expect([part.order?.payment_status, part.order?.refunded_cents]).toEqual(['paid', 900])
    const whole = await orderOf({ 'Financial Status': 'refunded', 'Refunded Amount': '29.00' })
    expect([whole.order?.payment_status, whole.order?.refunded_cents]).toEqual(['refunded', 2_900])
    expect((await orderOf({ 'Refunded Amount': '29.01' })).codes).toEqual(['refund_exceeds_total'])
  })
})

describe('statuses', () => {
  const financial = 'paid = paid; Authorized = pending; partially_paid = pending; pending = unpaid; voided = unpaid'
  test.each([...pairs(financial), ['expired', 'unpaid'], ['', 'unpaid']])(
    'the financial status %j is %s',
    async (word, status) => {
      const { order, codes } = await orderOf({ 'Financial Status': word })
      expect([order?.payment_status, codes]).toEqual([status, []])
    },
  )

  test('an unknown financial status is unpaid, with a warning; disputed never comes from a file', async () => {
    const { order, codes } = await orderOf({ 'Financial Status': 'disputed' })
    expect([order?.payment_status, codes]).toEqual(['unpaid', ['unknown_status']])
  })

  test.each([
    ['fulfilled', {}, 'shipped', []],
    ['fulfilled', { 'Lineitem requires shipping': 'false' }, 'completed', []],
    ['partial', {}, 'confirmed', []],
    ['unfulfilled', {}, 'new', []],
    ['', {}, 'new', []],
    ['restocked', {}, 'new', ['unknown_status']],
    ['fulfilled', { 'Cancelled at': '2026-03-03 00:00:00 +0000' }, 'cancelled', []],
  ])('the fulfilment status %j with %j is %s', async (word, cells, status, codes) => {
    const read = await orderOf({ 'Fulfillment Status': word, ...cells })
    expect([read.order?.status, read.codes]).toEqual([status, codes])
  })

  test('a cancelled order changed last when it was cancelled, and was not shipped', async () => {
    const { order } = await orderOf({ 'Cancelled at': '2026-03-03 00:00:00 +0000' })
    expect([order?.updated_at, order?.shipped_at]).toEqual(['2026-03-03T00:00:00.000Z', null])
  })

  test('a fulfilled order without its time was shipped when it changed last', async () => {
    const { order, codes } = await orderOf({ 'Fulfilled at': '' })
    expect([order?.shipped_at, codes]).toEqual(['2026-03-01T09:05:00.000Z', ['no_fulfilled_at']])
  })
})

describe('payment methods', () => {
  const methods =
    'PayPal Express Checkout = paypal; Venmo = venmo; Cash on Delivery (COD) = cod; Bank Deposit = bank_transfer; ' +
    'Wire = bank_transfer; WhatsApp = whatsapp; Telegram = telegram; Instagram = instagram; Shopify Payments = card; ' +
    'mollie = card; gift_card + PayPal = card'
  test.each(pairs(methods))('%j is %s', async (word, method) => {
    const read = await orderOf({ 'Payment Method': word })
    expect([read.order?.payment_method, read.codes]).toEqual([method, []])
  })

  test('a missing or unknown one is the default, with a warning', async () => {
    const { order, codes } = await orderOf({ 'Payment Method': 'manual' })
    expect([order?.payment_method, codes]).toEqual(['bank_transfer', ['payment_method_guessed']])
    const chosen = await orderOf({ 'Payment Method': '' }, [], shop({ defaultPaymentMethod: 'cod' }))
    expect([chosen.order?.payment_method, chosen.codes]).toEqual(['cod', ['payment_method_guessed']])
  })
})

describe('delivery', () => {
  const street = { 'Shipping Address1': '1 Sea Street' }
  test.each([
    ['Standard', {}, 'shipping'],
    ['Store pickup', {}, 'collection'],
    ['Pick-up at the shop', {}, 'collection'],
    ['pick up', {}, 'collection'],
    ['Click & Collect', {}, 'collection'],
    ['Collection', {}, 'collection'],
    ['Store pickup', street, 'shipping'],
    ['Store pickup', { 'Lineitem requires shipping': 'false' }, null],
  ])('the label %j with %j means %s', async (label, cells, method) => {
    const { order } = await orderOf({ 'Shipping Method': label, ...cells })
    expect(order?.delivery).toEqual({ method, label })
  })

  test('an order that needs none has no address', async () => {
    const { order } = await orderOf({ ...street, 'Shipping Country': 'GB', 'Lineitem requires shipping': 'false' })
    expect(Object.values(order?.address ?? { none: 1 })).toEqual([null, null, null, null, null, null])
    expect(order?.lines[0]?.kind).toBe('digital')
  })

  test('a zip of - is none; a country is a code or an English name', async () => {
    const { order, codes } = await orderOf({ 'Shipping Zip': '-', 'Shipping Country': 'Ireland' })
    expect([order?.address.postal_code, order?.address.country, codes]).toEqual([null, 'IE', []])
    expect((await orderOf({ 'Shipping Country': 'Atlantis' })).codes).toEqual(['bad_country'])
  })
})

test('of several coupons the first is kept, with a warning', async () => {
  const { order, codes } = await orderOf({ 'Discount Code': 'ONE, TWO' })
  expect([order?.coupon_code, codes]).toEqual(['ONE', ['several_coupons']])
})

describe('buyers', () => {
  const making = shop({ createContacts: true })

  test('become contacts when that is asked for, once each, by email or else by phone', async () => {
    const file = fileOf([
      [{ 'Billing Name': 'Ada' }],
      [{ Name: '#2', Id: '2', Email: 'ADA@example.com' }],
      [{ Name: '#3', Id: '3', Email: '', Phone: '+442079460958' }],
      [{ Name: '#4', Id: '4', Email: '' }],
    ])
    const { contacts, orders } = await importText(file, making)
    expect(contacts.map(({ key, only_create, contact }) => [key, only_create, contact.name])).toEqual([
      ['email:ada@example.com', true, 'Ada'],
      ['phone:+442079460958', true, null],
    ])
    const [ada, bob] = contacts.map(({ key }) => key)
    expect(orders.map(({ order }) => order.contact_key)).toEqual([ada, ada, bob, null])
    expect((await importText(file)).contacts).toEqual([])
  })
})

describe('real files', () => {
  test('88 orders of 2703 lines come to the totals of the file, without a problem', async () => {
    const { orders, report } = await importPath('testing/data/shopify-orders-full.derived.csv')
    expect([orders.length, report.counts.records, report.problems]).toEqual([88, 2_703, []])
    const totals = orders.map(({ order }) => {
      const lines = order.lines.reduce((sum, line) => sum + line.quantity * line.unit_price_cents, 0)
      return lines - order.discount_cents + order.delivery_fee_cents + order.tax_cents
    })
    expect(totals.reduce((sum, cents) => sum + cents, 0)).toBe(3_177_495)
    expect(orders.filter(({ order }) => order.customer.email === null)).toHaveLength(1)
    expect(Math.max(...orders.map(({ order }) => order.lines.length))).toBe(169)
  })

  test('a file without line prices is recognised, and refused with the name of the missing column', async () => {
    const partial = importPath('testing/data/shopify-orders-partial.csv')
    await expect(partial).rejects.toMatchObject({
      code: 'missing_column',
      message: 'The file has no column lineitem price.',
    })
  })
})
