// The WooCommerce product CSV, on rows made for these tests (docs/spec/imports.md#woocommerce-products).
import { describe, expect, test } from '@jest/globals'
import { importText, londonShop, plainProduct, plainVariant } from '#testing/files/import-text'
import type { ImportContext } from '../reader/fields.ts'

const columns = [
  ...['ID', 'Type', 'SKU', 'Name', 'Published', 'Is featured?', 'Visibility in catalog', 'Short description'],
  ...['Description', 'Date sale price starts', 'Date sale price ends', 'In stock?', 'Stock', 'Backorders allowed?'],
  ...['Sale price', 'Regular price', 'Tags', 'Parent', 'Position', 'Attribute 1 name', 'Attribute 1 value(s)'],
  ...['Attribute 2 name', 'Attribute 2 value(s)', 'Weight (lbs)', 'Meta: _secret'],
]
type Cells = Record<string, string>
const simple: Cells = { ID: '1', Type: 'simple', SKU: 'mug', Name: 'Mug', Published: '1', 'Regular price': '9.50' }
const shirt: Cells = {
  ID: '10',
  Type: 'variable',
  SKU: 'Shirt-X',
  Name: 'Shirt',
  'Attribute 1 name': 'Colour',
  'Attribute 1 value(s)': 'Red, Blue',
  'Attribute 2 name': 'Size',
  'Attribute 2 value(s)': 'S, M, "L\\, long"',
}
const variation = (cells: Cells): Cells => ({ Type: 'variation', Parent: 'Shirt-X', 'Regular price': '20', ...cells })
const coloured = (id: string, colour: string, size: string, more: Cells = {}) =>
  variation({
    ID: id,
    'Attribute 1 name': 'Colour',
    'Attribute 1 value(s)': colour,
    'Attribute 2 name': 'Size',
    'Attribute 2 value(s)': size,
    ...more,
  })

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
async function read(rows: Cells[], facts: Partial<ImportContext> = {}) {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
  const text = `\ufeff${lines.map((cells) => cells.map(quoted).join(',')).join('\r\n')}\r\n`
  const imported = await importText(text, { ...londonShop, ...facts })
  const codes = imported.report.problems.map(({ code }) => code)
  return { ...imported, codes, product: imported.products[0]?.product }
}
const variantsOf = (one: { variants: { options: [string, string][] }[] } | undefined) =>
  one?.variants.map(({ options }) => options.map(([, value]) => value).join('/'))

describe('a simple product', () => {
  test('is read from a file with a byte order mark; nothing of it is unknown', async () => {
    const { file, products, codes } = await read([{ ...simple, Tags: 'Hot, cold', Description: '<p>Two<br>lines</p>' }])
    expect([file.format.format, file.ignoredColumns, codes]).toEqual(['woocommerce-products', [], []])
    expect(products).toEqual([
      {
        kind: 'product',
        key: '1',
        record: 1,
        line: 2,
        only_create: false,
        product: {
          ...plainProduct,
          slug: 'mug',
          title: 'Mug',
          description: 'Two\nlines',
          tags: ['hot', 'cold'],
          sku: 'mug',
          price_cents: 950,
        },
      },
    ])
  })

  test.each<[string, Cells, object]>([
    ['the short description stands in', { 'Short description': 'Short.\\nTwo' }, { description: 'Short.\nTwo' }],
    ['a protected text loses its apostrophe', { Name: "'-5% mug" }, { title: '-5% mug', slug: '5-mug' }],
    ['an apostrophe of the title itself stays', { Name: "'t Hof" }, { title: "'t Hof" }],
    ['featured', { 'Is featured?': '1' }, { is_featured: true }],
    ['private', { Published: '0' }, { is_published: false }],
    ['a draft', { Published: '-1' }, { is_published: false }],
    ['true is published', { Published: 'TRUE' }, { is_published: true }],
    ['hidden is not', { 'Visibility in catalog': 'hidden' }, { is_published: false }],
    ['virtual', { Type: 'simple, Virtual' }, { kind: 'digital' }],
    ['downloadable', { Type: 'simple,downloadable' }, { kind: 'digital' }],
    ['counted', { Stock: '7' }, { track_inventory: true, stock: 7, sold_out: false }],
    ['sold out without a count', { 'In stock?': '0' }, { track_inventory: false, stock: null, sold_out: true }],
    ['on backorder', { 'In stock?': 'backorder', Stock: '0' }, { stock: 0, continue_selling: true, sold_out: false }],
    ['sold on at zero', { Stock: '0', 'Backorders allowed?': 'notify' }, { stock: 0, continue_selling: true }],
    ['without a price', { 'Regular price': '' }, { price_cents: 0, sold_out: true }],
  ])('%s', async (_what, cells, wanted) => {
    expect((await read([{ ...simple, ...cells }])).product).toMatchObject(wanted)
  })

  test.each<[string, string, number | string]>([
    ['19.90', 'GBP', 1_990],
    ['19,90', 'GBP', 1_990],
    ['19,9', 'GBP', 1_990],
    ['1,234', 'GBP', 123_400],
    ['1,234.50', 'GBP', 123_450],
    ['.5', 'GBP', 50],
    ['1,234', 'JOD', 1_234],
    ['1,5', 'JPY', 'money'],
    ['1,234', 'JPY', 1_234],
    ['1.999', 'GBP', 'money_precision'],
    ['-1', 'GBP', 'money'],
    ['£5', 'GBP', 'money'],
  ])('the price %s in %s is %s', async (text, currency, wanted) => {
    const { product, codes } = await read([{ ...simple, 'Regular price': text }], { currency })
    expect(product?.price_cents ?? codes).toEqual(typeof wanted === 'number' ? wanted : [wanted])
  })

  const now = new Date('2026-06-01T12:00:00Z')
  test.each<[string, Cells, [number, number | null]]>([
    ['a sale', { 'Sale price': '8' }, [800, 950]],
    ['a sale that is dearer', { 'Sale price': '10' }, [950, null]],
    ['one that has not begun', { 'Sale price': '8', 'Date sale price starts': '2026-06-02' }, [950, null]],
    ['one on its last day', { 'Sale price': '8', 'Date sale price ends': '2026-06-01' }, [800, 950]],
    [
      'one whose days have hours of one digit',
      {
        'Sale price': '8',
        'Date sale price starts': '2026-05-01 9:00:00',
        'Date sale price ends': '2026-06-30T9:00:00',
      },
      [800, 950],
    ],
    [
      'one whose last day is written as its midnight',
      { 'Sale price': '8', 'Date sale price ends': '2026-06-01 0:00:00' },
      [800, 950],
    ],
    ['one that was over yesterday', { 'Sale price': '8', 'Date sale price ends': '2026-05-31' }, [950, null]],
    ['one that ends at an hour', { 'Sale price': '8', 'Date sale price ends': '2026-06-01 12:59:59' }, [950, null]],
  ])('%s', async (_what, cells, wanted) => {
    const facts = { now, timeZone: 'Europe/London' }
    const { product } = await read([{ ...simple, ...cells }], facts)
    expect([product?.price_cents, product?.compare_at_cents]).toEqual(wanted)
  })

  test.each([
    ['Published', '2'],
    ['In stock?', 'perhaps'],
    ['Backorders allowed?', 'perhaps'],
    ['Is featured?', 'very'],
  ])('%s %j fails it', async (column, value) => {
    const { products, codes, report } = await read([{ ...simple, [column]: value }])
    expect([products, codes, report.counts.failed]).toEqual([[], ['bad_boolean'], 1])
  })

  test('grouped and external ones are skipped with a warning', async () => {
    const { products, codes, report } = await read([
      { ...simple, Type: 'grouped' },
      { ...simple, ID: '2', Type: 'External' },
    ])
    expect([products, codes, report.counts.skipped, report.counts.failed]).toEqual([
      [],
      ['not_sold_here', 'not_sold_here'],
      2,
      0,
    ])
  })

  test('the key is the ID, else the SKU, else the name, which is weak; a damaged ID is none', async () => {
    const rows = [
      { ...simple, ID: "'77" },
      { ...simple, ID: '' },
      { ...simple, ID: '', SKU: '' },
      { ...simple, ID: '1E+9', SKU: 'b' },
    ]
    const { products, codes } = await read(rows)
    expect(products.map(({ key }) => key)).toEqual(['77', 'sku:mug', 'name:Mug', 'sku:b'])
    expect(codes).toEqual(['no_ids', 'weak_key', 'damaged_id'])
  })

  test('a second product of one key is left out and named', async () => {
    const { products, codes } = await read([simple, { ...simple, Name: 'Other' }])
    expect([products.map(({ product }) => product.title), codes]).toEqual([['Mug'], ['duplicate_key']])
  })
})

describe('variations', () => {
  test('stand before their parent or far behind it, and name it by SKU or by ID', async () => {
    const between = { ...simple, ID: '5' }
    const { products, codes } = await read([
      coloured('11', 'Red', 'S'),
      shirt,
      between,
      coloured('12', 'Red', 'M', { Parent: 'id:10' }),
    ])
    expect(codes).toEqual([])
    expect(products.map(({ key, record }) => [key, record])).toEqual([
      ['5', 3],
      ['10', 2],
    ])
    expect(variantsOf(products[1]?.product)).toEqual(['Red/S', 'Red/M'])
    const options = [['Colour', 'Red'] as const, ['Size', 'S'] as const]
    const variant = { ...plainVariant, key: '11', options, price_cents: 2_000 }
    expect(products[1]?.product.variants[0]).toEqual(variant)
  })

  test.each(['shirt-x', 'nobody', 'id:99', ''])(
    'the parent %j is unknown: the variation fails alone',
    async (parent) => {
      const { products, report, codes } = await read([
        shirt,
        coloured('11', 'Red', 'S'),
        coloured('12', 'Red', 'M', { Parent: parent }),
      ])
      expect(variantsOf(products[0]?.product)).toEqual(['Red/S'])
      expect([codes, report.counts.failed]).toEqual([['unknown_parent'], 1])
    },
  )

  test('an empty value means any of the list: one variant for each, with its own key, price and stock shared', async () => {
    const { product } = await read([
      shirt,
      coloured('11', 'Red', '', { Stock: '4' }),
      coloured('12', '', 'S', { 'Regular price': '15' }),
    ])
    expect(variantsOf(product)).toEqual(['Red/S', 'Red/M', 'Red/"L, long"', 'Blue/S'])
    expect(product?.variants.map(({ price_cents, stock }) => [price_cents, stock])).toEqual([
      [2_000, 4],
      [2_000, 4],
      [2_000, 4],
      [1_500, null],
    ])
    expect(new Set(product?.variants.map(({ key }) => key)).size).toBe(4)
    expect(product?.price_cents).toBe(1_500)
  })

  test('twice the same options: the second is left out and named', async () => {
    const { product, codes } = await read([shirt, coloured('11', 'Red', 'S'), coloured('12', 'Red', 'S')])
    expect([variantsOf(product), codes]).toEqual([['Red/S'], ['duplicate_variant']])
  })

  test('more than 100 variants fail the product', async () => {
    const list = Array.from({ length: 11 }, (_, n) => `v${n}`).join(', ')
    const wide = { ...shirt, 'Attribute 1 value(s)': list, 'Attribute 2 value(s)': list }
    const { products, codes } = await read([wide, coloured('11', '', '')])
    expect([products, codes]).toEqual([[], ['too_many_variants']])
  })

  test('stand in the order of their positions', async () => {
    const { product } = await read([
      shirt,
      coloured('11', 'Red', 'S', { Position: '2' }),
      coloured('12', 'Blue', 'S', { Position: '1' }),
    ])
    expect(variantsOf(product)).toEqual(['Blue/S', 'Red/S'])
  })

  test('have the lowest price as the price of the product, with what it was before', async () => {
    const { product } = await read([
      shirt,
      coloured('11', 'Red', 'S'),
      coloured('12', 'Blue', 'S', { 'Sale price': '12', 'Regular price': '18' }),
    ])
    expect([product?.price_cents, product?.compare_at_cents]).toEqual([1_200, 1_800])
  })

  test('without a price have the parent’s; where that has none they cannot be bought', async () => {
    const bare = coloured('11', 'Red', 'S', { 'Regular price': '' })
    const inherited = await read([{ ...shirt, 'Regular price': '7' }, bare])
    expect(inherited.product?.variants[0]).toMatchObject({ price_cents: 700, sold_out: false })
    const none = await read([shirt, bare, coloured('12', 'Blue', 'S')])
    expect(none.product?.variants.map(({ price_cents, sold_out }) => [price_cents, sold_out])).toEqual([
      [0, true],
      [2_000, false],
    ])
    expect([none.product?.price_cents, none.codes]).toEqual([2_000, ['no_price']])
  })

  test('have the parent’s stock where the cell says so, and cannot be bought when they are not published', async () => {
    const { product } = await read([
      { ...shirt, Stock: '9' },
      coloured('11', 'Red', 'S', { Stock: 'parent' }),
      coloured('12', 'Blue', 'S', { Published: '0', Stock: '-2' }),
    ])
    expect(product?.variants.map(({ stock, sold_out }) => [stock, sold_out])).toEqual([
      [9, false],
      [0, true],
    ])
  })

  test('without ID and SKU are known by their attributes, which is weak', async () => {
    const { product, codes } = await read([shirt, coloured('', 'Red', 'S')])
    expect([product?.variants[0]?.key, codes]).toEqual(['[["Colour","Red"],["Size","S"]]', ['weak_key']])
  })

  test('of virtual goods make the product digital', async () => {
    const { product } = await read([shirt, coloured('11', 'Red', 'S', { Type: 'variation, virtual' })])
    expect(product?.kind).toBe('digital')
  })
})
