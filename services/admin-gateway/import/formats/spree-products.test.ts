// Spree's sample products (docs/spec/imports.md#spree-products).
import { describe, expect, test } from '@jest/globals'
import { importPath, importText, londonShop } from '#testing/files/import-text'

const dollars = { ...londonShop, currency: 'USD', timeZone: 'UTC', country: 'US' }
const sample = 'testing/data/spree-products.csv'
const header =
  'slug,sku,name,price,compare_at_price,currency,status,option1_name,option1_value,inventory_count,track_inventory'

describe('the sample', () => {
  test('holds 37 products of 87 variants in either of its currencies', async () => {
    for (const [currency, cents, first] of [
      ['USD', 1_706_917, 87_999],
      ['EUR', 1_591_917, 81_999],
    ] as const) {
      const { file, products, report } = await importPath(sample, { ...dollars, currency })
      expect([file.format.format, file.ignoredColumns, products.length, report.problems]).toEqual([
        'spree-products',
        [],
        37,
        [],
      ])
      const variants = products.flatMap(({ product }) => product.variants)
      expect([variants.length, products[0]?.product.price_cents]).toEqual([87, first])
      expect(variants.reduce((sum, { price_cents }) => sum + price_cents, 0)).toBe(cents)
      expect(variants.every(({ options, stock }) => options.length === 1 && stock === 5_000)).toBe(true)
    }
  })

  test('fails product by product in a currency that it has no prices in', async () => {
    const { products, report } = await importPath(sample, londonShop)
    expect([products, report.counts.failed]).toEqual([[], 37])
    expect(report.problems[0]).toMatchObject({ code: 'currency_mismatch', record: 1, severity: 'error' })
  })
})

test('compare-at 0 is none, one above the price is kept', async () => {
  const rows = ['a,A,Thing,0,0,USD,active,,,,', 'a,A-1,,10.00,0,USD,,Size,S,3,TRUE', 'a,A-2,,10.00,12.00,USD,,Size,M,,']
  const { products } = await importText(`${header}\n${rows.join('\n')}\n`, dollars)
  const product = products[0]?.product
  expect([product?.compare_at_cents, product?.track_inventory, product?.variants.map(({ stock }) => stock)]).toEqual([
    null,
    true,
    [3, null],
  ])
  const turned = await importText(`${header}\n${[rows[0], rows[2], rows[1]].join('\n')}\n`, dollars)
  expect(turned.products[0]?.product.compare_at_cents).toBe(1_200)
})

test('a product without variants has the price of its own record; without a price it fails', async () => {
  const { products, report } = await importText(
    `${header}\none,ONE,One,5.00,0,USD,draft,,,,\nnone,NONE,None,0,0,USD,active,,,,\nnameless,X,,1,0,USD,,,,,\n`,
    dollars,
  )
  expect(
    products.map(({ product }) => [product.sku, product.price_cents, product.is_published, product.variants]),
  ).toEqual([['ONE', 500, false, []]])
  expect(report.problems.map(({ code }) => code)).toEqual(['no_price', 'missing_value'])
})
