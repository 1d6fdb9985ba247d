// The Shopify product CSV (docs/spec/imports.md#shopify-products, docs/spec/imports.md#required-cases).
import { describe, expect, test } from '@jest/globals'
import { importPath, importText, londonShop, plainProduct, plainVariant } from '#testing/files/import-text'

const header = 'Handle,Title,Variant Price'

/** The only product of a file with these columns besides handle, title and price. */
async function productOf(columns: string, cells: string) {
  const { products, report } = await importText(`${header},${columns}\nlamp,Lamp,10.00,${cells}\n`)
  return { product: products[0]?.product, codes: report.problems.map(({ code }) => code) }
}

describe('the real export of a theme shop', () => {
  test('yields 20 products of 21 records, without a problem', async () => {
    const { file, items, products, report } = await importPath('deploy/demo/shopify-products.csv')
    expect(file.format.format).toBe('shopify-products')
    expect(file.ignoredColumns).toEqual([])
    expect(items).toHaveLength(20)
    expect(report.counts).toMatchObject({ records: 21, items: 20, skippedRecords: 0, errors: 0, warnings: 0 })
    expect(products.filter(({ product }) => product.track_inventory).map(({ key }) => key)).toEqual([
      'grey-wheelbarrow',
    ])
  })

  test('a product without variants: quantity without a tracker is not stock', async () => {
    const { products } = await importPath('deploy/demo/shopify-products.csv')
    expect(products[0]).toEqual({
      kind: 'product',
      key: 'floor-lamp',
      record: 1,
      line: 2,
      only_create: false,
      product: {
        ...plainProduct,
        slug: 'floor-lamp',
        title: 'Floor Lamp',
        description: 'Black floor lamp',
        tags: ['black', 'lamp'],
        price_cents: 6999,
        compare_at_cents: 8500,
      },
    })
  })

  test('a product with two variants: the second inherits the name of the option', async () => {
    const { products } = await importPath('deploy/demo/shopify-products.csv')
    const gloves = products.find(({ key }) => key === 'gardening-gloves')
    expect(gloves?.product).toMatchObject({ title: 'Gardening Gloves', price_cents: 999, stock: null })
    expect(gloves?.product.variants).toEqual([
      { ...plainVariant, key: '[["Color","Green"]]', options: [['Color', 'Green']], price_cents: 999 },
      { ...plainVariant, key: '[["Color","Yellow"]]', options: [['Color', 'Yellow']], price_cents: 1599 },
    ])
  })

  test('a description over several lines keeps its paragraphs', async () => {
    const { products } = await importPath('deploy/demo/shopify-products.csv')
    const chairs = products.find(({ key }) => key === 'black-armchairs')
    expect(chairs).toMatchObject({ record: 2, line: 3 })
    expect(chairs?.product.description?.slice(0, 39)).toBe('Description\n\nLorem ipsum dolor sit amet')
    expect(products.find(({ key }) => key === 'round-table')?.line).toBe(9)
  })
})

test('the header used since 2025 yields the same product as the classic one', async () => {
  const classic = await importText(
    `${[
      'Handle,Title,Body (HTML),Vendor,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker',
      'Variant Inventory Qty,Variant Inventory Policy,Variant Price,Variant Compare At Price,Variant Requires Shipping',
      'Gift Card,Status',
    ].join(',')}\nmug,Mug,<p>Hot</p>,X,"A, b",true,Size,L,M-1,shopify,4,continue,9.99,12.00,true,false,active\n`,
  )
  const modern = await importText(
    `${[
      'Title,URL handle,Description,Vendor,Product category,Tags,Published on online store,Status,SKU,Barcode,Option1 name',
      'Option1 value,Option1 Linked To,Price,Compare-at price,Cost per item,Charge tax,Tax code,Inventory tracker',
      'Inventory quantity,Continue selling when out of stock,Weight value (grams),Requires shipping,Gift card,SEO title',
    ].join(
      ',',
    )}\nMug,mug,<p>Hot</p>,X,,"A, b",TRUE,Active,M-1,,Size,L,,9.99,12.00,5.00,TRUE,,shopify,4,TRUE,300,TRUE,FALSE,\n`,
  )
  expect(modern.file.ignoredColumns).toEqual([])
  expect(modern.products).toEqual(classic.products)
  expect(modern.products[0]?.product).toMatchObject({
    title: 'Mug',
    description: 'Hot',
    tags: ['a', 'b'],
    price_cents: 999,
    compare_at_cents: 1200,
    track_inventory: true,
    stock: 4,
    continue_selling: true,
    is_published: true,
    variants: [{ sku: 'M-1', options: [['Size', 'L']], stock: 4 }],
  })
})

describe('records of one handle', () => {
  test('are one product when other products stand between them', async () => {
    const text =
      'Handle,Title,Variant Price,Option1 Name,Option1 Value\na,A,1,Size,S\nb,B,5,,\na,,2,,M\nc,C,6,,\na,,3,,L\n'
    const { products } = await importText(text)
    expect(products.map(({ key, record }) => [key, record])).toEqual([
      ['b', 2],
      ['c', 4],
      ['a', 1],
    ])
    expect(products[2]?.product.variants.map(({ options, price_cents }) => [options, price_cents])).toEqual([
      [[['Size', 'S']], 100],
      [[['Size', 'M']], 200],
      [[['Size', 'L']], 300],
    ])
  })

  test('that only carry an image add nothing', async () => {
    const { products, report } = await importText(`${header},Image Src,Image Position\na,A,1,x.png,1\na,,,y.png,2\n`)
    expect(products).toHaveLength(1)
    expect(products[0]?.product.variants).toEqual([])
    expect(report.counts).toMatchObject({ records: 2, warnings: 0, errors: 0 })
  })

  test('the first title wins and another one is reported', async () => {
    const { products, report } = await importText(`${header},Option1 Value\na,A,1,S\na,B,2,M\na,A,3,L\n`)
    expect(products[0]?.product.title).toBe('A')
    expect(report.problems).toMatchObject([
      { record: 2, line: 3, column: 'Title', code: 'title_differs', severity: 'warning' },
    ])
  })

  test('of two variants with the same options the second is left out and reported as an error', async () => {
    const text = `${header},Option1 Name,Option1 Value\na,A,1,Size,S\na,,2,,S\na,,3,,M\n`
    const { products, report } = await importText(text)
    expect(products[0]?.product.variants.map(({ price_cents }) => price_cents)).toEqual([100, 300])
    expect(report.problems).toMatchObject([{ record: 2, code: 'duplicate_variant', severity: 'error' }])
    expect(report.counts).toMatchObject({ errors: 1, failed: 0 })
  })

  test('one bad price fails the whole product and no other', async () => {
    const text = `${header},Option1 Name,Option1 Value\na,A,1,Size,S\na,,1.005,,M\nb,B,7,,\n`
    const { products, report } = await importText(text)
    expect(products.map(({ key }) => key)).toEqual(['b'])
    expect(report.counts).toMatchObject({ failed: 1, errors: 1 })
    expect(report.problems).toEqual([
      {
        record: 2,
        line: 3,
        key: 'a',
        column: 'Variant Price',
        code: 'money_precision',
        value: '1.005',
        message: '"1.005" is not an amount of GBP: too many decimals.',
        severity: 'error',
      },
    ])
  })

  test('a product needs a title on its first record and a price', async () => {
    const { products, report } = await importText(`${header},Option1 Value\na,,1,\nb,B,,\nc,C,,S\n`)
    expect(products).toEqual([])
    expect(report.problems.map(({ record, code }) => [record, code])).toEqual([
      [1, 'missing_value'],
      [2, 'no_price'],
      [3, 'no_price'],
    ])
  })

  test('101 variants are more than a product may have', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, n) => `a,${n === 0 ? 'A' : ''},1,${n}\n`).join('')
    const { products } = await importText(`${header},Option1 Value\n${rows(100)}`)
    expect(products[0]?.product.variants).toHaveLength(100)
    const { report } = await importText(`${header},Option1 Value\n${rows(101)}`)
    expect(report.problems.map(({ code }) => code)).toEqual(['too_many_variants'])
  })
})

describe('options', () => {
  test('Title with Default Title means no variants; price, stock and SKU are the product’s', async () => {
    const { product } = await productOf(
      'Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty',
      "Title,Default Title,'007,shopify,5",
    )
    expect(product).toMatchObject({ variants: [], price_cents: 1000, sku: '007', stock: 5, track_inventory: true })
  })

  test('values may hold quotes, slashes and commas', async () => {
    const { product } = await productOf(
      'Option1 Name,Option1 Value,Option2 Name,Option2 Value',
      'Size,"10"" / 25 cm, wide",Colour,Red',
    )
    expect(product?.variants[0]?.options).toEqual([
      ['Size', '10" / 25 cm, wide'],
      ['Colour', 'Red'],
    ])
  })
})

describe('stock', () => {
  const columns = 'Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy'
  test.each([
    ['an empty tracker counts nothing, for any quantity', ',7,deny', false, null, false, []],
    ['a tracked quantity is stock', 'shopify,7,deny', true, 7, false, []],
    ['an oversold product has none', 'shopify,-2,continue', true, 0, true, ['negative_stock']],
    ['an apostrophe before the number is removed', "shopify,'-2,deny", true, 0, false, ['negative_stock']],
    ['an empty quantity is zero', 'shopify,,', true, 0, false, []],
  ])('%s', async (_name, cells, track_inventory, stock, continue_selling, codes) => {
    const read = await productOf(columns, cells)
    expect(read.product).toMatchObject({ track_inventory, stock, continue_selling })
    expect(read.codes).toEqual(codes)
  })

  test('a file without quantities yields zero and a warning', async () => {
    const read = await productOf('Variant Inventory Tracker', 'shopify')
    expect(read.product).toMatchObject({ track_inventory: true, stock: 0 })
    expect(read.codes).toEqual(['no_stock_column'])
  })

  test('of a product with variants it is the sum of those that are counted', async () => {
    const text = `${header},Option1 Name,Option1 Value,${columns}\na,A,1,Size,S,shopify,2,deny\na,,1,,M,,9,deny\na,,1,,L,shopify,3,deny\n`
    const { products } = await importText(text)
    expect(products[0]?.product).toMatchObject({ track_inventory: true, stock: 5 })
    expect(products[0]?.product.variants.map(({ stock }) => stock)).toEqual([2, null, 3])
  })
})

describe('single cells', () => {
  test.each([
    ['0.00', null],
    ['0', null],
    ['', null],
    ['9.99', null],
    ['10.00', null],
    ['10.01', 1001],
    ['"1,234.50"', 123450],
  ])('compare-at price %s against a price of 10.00', async (cells, compare_at_cents) => {
    expect((await productOf('Variant Compare At Price', cells)).product).toMatchObject({ compare_at_cents })
  })

  test.each([
    ['true,active', true],
    [',', true],
    ['false,active', false],
    ['true,draft', false],
    ['TRUE,Archived', false],
    ['true,unlisted', false],
  ])('Published and Status %s', async (cells, is_published) => {
    expect((await productOf('Published,Status', cells)).product).toMatchObject({ is_published })
  })

  test.each([
    ['true,false', 'physical'],
    [',', 'physical'],
    ['false,false', 'digital'],
    ['true,true', 'digital'],
  ])('Requires shipping and Gift card %s', async (cells, kind) => {
    expect((await productOf('Variant Requires Shipping,Gift Card', cells)).product).toMatchObject({ kind })
  })

  test('a SKU over several lines becomes one line, with a warning', async () => {
    const { product, codes } = await productOf('Variant SKU', '"AB-1\r\n AB-2\n"')
    expect(product?.sku).toBe('AB-1 AB-2')
    expect(codes).toEqual(['sku_line_break'])
  })

  test('what is neither true nor false fails the product', async () => {
    expect((await productOf('Published', 'maybe')).codes).toEqual(['bad_boolean'])
    expect((await productOf('Variant Inventory Policy', 'maybe')).codes).toEqual(['bad_boolean'])
  })

  test('the apostrophe of a title stays, that of a number goes', async () => {
    const { products } = await importText(`${header}\n'lamp,'Tis a lamp,'10.00\n`)
    expect(products[0]).toMatchObject({ key: 'lamp', product: { title: "'Tis a lamp", price_cents: 1000 } })
  })

  test.each([
    ['JPY', '66.000', 66],
    ['JPY', '163056', 163056],
    ['JOD', '1.5', 1500],
    ['JOD', '1.234', 1234],
    ['EUR', '19.9', 1990],
  ])('amounts are in the currency of the shop: %s %s', async (currency, price, price_cents) => {
    const { products } = await importText(`${header}\na,A,${price}\n`, { ...londonShop, currency })
    expect(products[0]?.product).toMatchObject({ price_cents })
  })
})
