// Owns what a file comes to by its own rows, and what a shop comes to by its database: two ways that know nothing of each
// other, nor of the importer. Counts and minor units; what is not in the file is not in the list.
// import-formats.md, sections 2 to 6.
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import type pg from 'pg'

type Row = Record<string, string | undefined>
export type Sums = Record<string, number>

/** A format as a file is imported: with the currency of the shop that takes it. */
export function sumsOfFile(path: string, format: string, currency: string): Sums {
  const rows: Row[] = parse(readFileSync(path), { columns: true, bom: true, relax_quotes: true })
  const sums = bySums[format]
  if (sums === undefined) throw new Error(`There are no sums for ${format}.`)
  return sums(rows, currency)
}

/** The same of a shop; only what the file has sums of. */
export async function sumsOfShop(db: pg.Client, shop: string, wanted: Sums): Promise<Sums> {
  const { rows } = await db.query(shopText, [shop])
  const [all = {}] = rows as Record<string, string>[]
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, Number(all[name])]))
}

const bySums: Record<string, (rows: Row[], currency: string) => Sums> = {
  'shopify-products': (rows) => {
    const priced = rows.filter((row) => row['Variant Price'])
    const isSimple = (row: Row) => row['Option1 Value'] === 'Default Title'
    return {
      products: distinct(rows, 'Handle'),
      variants: priced.filter((row) => !isSimple(row)).length,
      prices: total(priced, (row) => cents(row['Variant Price'])),
      stock: total(rows, (row) => (row['Variant Inventory Tracker'] ? Number(row['Variant Inventory Qty']) : 0)),
    }
  },
  'shopify-orders': (rows) => {
    const firsts = rows.filter((row) => row.Total)
    return {
      orders: distinct(rows, 'Name'),
      lines: rows.length,
      pieces: total(rows, (row) => Number(row['Lineitem quantity'])),
      delivery: total(firsts, (row) => cents(row.Shipping)),
      total: total(firsts, (row) => cents(row.Total)),
    }
  },
  'spree-products': (rows, currency) => {
    const variants = rows.filter((row) => row.currency === currency && row.name === '')
    return {
      products: distinct(rows, 'slug'),
      variants: variants.length,
      prices: total(variants, (row) => cents(row.price)),
      // Told beside one currency only.
      stock: total(rows, (row) => (row.name === '' ? Number(row.inventory_count) : 0)),
    }
  },
  'spree-customers': (rows) => ({
    contacts: distinct(rows, 'email'),
    tags: total(rows, (row) => (row.tags ?? '').split(',').filter((tag) => tag.trim() !== '').length),
  }),
  'woocommerce-products': woocommerceSums,
  retail: retailSums,
}

function woocommerceSums(rows: Row[]): Sums {
  const priceOf = (row: Row) => cents((row['Sale price'] || row['Regular price'] || '').replace(/^\./, '0.'))
  const typeOf = (row: Row) => row.Type ?? ''
  const simple = rows.filter((row) => typeOf(row).startsWith('simple'))
  const parents = rows.filter((row) => typeOf(row) === 'variable')
  let [variants, prices] = [0, 0]
  for (const parent of parents) {
    const own = rows.filter((row) => typeOf(row) === 'variation' && row.Parent === parent.SKU)
    const taken = new Set<string>()
    for (const row of own.toSorted((a, b) => Number(a.Position) - Number(b.Position))) {
      for (const options of optionsOf(row, parent)) {
        if (taken.has(options)) continue
        taken.add(options)
        variants += 1
        prices += priceOf(row)
      }
    }
  }
  return { products: simple.length + parents.length, variants, prices: prices + total(simple, priceOf) }
}

/** Every pair of values that a variation stands for: an empty one is any of its parent's. */
function optionsOf(row: Row, parent: Row): string[] {
  const values = [1, 2].map((n) => {
    const [own, all] = [row[`Attribute ${n} value(s)`], parent[`Attribute ${n} value(s)`] ?? '']
    const isUsed = Boolean(row[`Attribute ${n} name`])
    return own || !isUsed ? [own ?? ''] : all.split(',').map((value) => value.trim())
  })
  const [first = [], second = []] = values
  return first.flatMap((one) => second.map((other) => `${one}/${other}`))
}

/** Sales as the file has them; what its cancellations give back depends on other days, so it is not summed here. */
function retailSums(rows: Row[]): Sums {
  const codeOf = (row: Row) => (row.StockCode ?? '').toUpperCase()
  const isDelivery = (row: Row) => ['POST', 'DOT', 'C2'].includes(codeOf(row))
  const isDiscount = (row: Row) => codeOf(row) === 'D'
  const services = ['M', 'BANK CHARGES', 'AMAZONFEE', 'CRUK', 'B', 'S']
  const counted = rows.filter((row) => {
    if ((row.InvoiceNo ?? '').startsWith('C') || services.includes(codeOf(row))) return false
    if (!row.Description && !isDelivery(row) && !isDiscount(row)) return false
    return Number(row.UnitPrice) > 0 && (Number(row.Quantity) > 0 || (isDiscount(row) && Number(row.Quantity) !== 0))
  })
  const isGoods = (row: Row) => !isDelivery(row) && !isDiscount(row)
  const sold = new Set(counted.filter(isGoods).map((row) => row.InvoiceNo))
  const ofOrders = counted.filter((row) => sold.has(row.InvoiceNo))
  const goods = ofOrders.filter(isGoods)
  const amount = (row: Row) => Math.abs(Number(row.Quantity)) * cents(row.UnitPrice)
  const named = ofOrders.filter((row) => row.CustomerID)
  return {
    products: new Set(goods.map(codeOf)).size,
    contacts: distinct(named, 'CustomerID'),
    orders: sold.size,
    lines: goods.length,
    pieces: total(goods, (row) => Number(row.Quantity)),
    delivery: total(ofOrders.filter(isDelivery), amount),
    total: total(ofOrders, (row) => (isDiscount(row) ? -amount(row) : amount(row))),
  }
}

function distinct(rows: Row[], column: string): number {
  return new Set(rows.map((row) => row[column])).size
}

function total(rows: Row[], of: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0)
}

/** Minor units of an amount with two decimals, by its digits; more decimals must be zeros. */
function cents(text = ''): number {
  const [units = '', decimals = ''] = text.split('.')
  if (/[1-9]/.test(decimals.slice(2))) throw new Error(`${text} has more than two decimals.`)
  return Number(`${units}${decimals.slice(0, 2).padEnd(2, '0')}`)
}

const shopText = `
  select
    (select count(*) from catalog.products where shop_id = $1) as products,
    (select count(*) from catalog.variants where shop_id = $1) as variants,
    (select coalesce(sum(price_cents), 0) from catalog.products p where shop_id = $1
       and not exists (select from catalog.variants v where v.product_id = p.id))
      + (select coalesce(sum(price_cents), 0) from catalog.variants where shop_id = $1) as prices,
    (select coalesce(sum(stock), 0) from catalog.products p where shop_id = $1
       and not exists (select from catalog.variants v where v.product_id = p.id))
      + (select coalesce(sum(stock), 0) from catalog.variants where shop_id = $1) as stock,
    (select count(*) from contacts.contacts where shop_id = $1) as contacts,
    (select count(*) from contacts.contact_tags where shop_id = $1) as tags,
    (select count(*) from orders.orders where shop_id = $1) as orders,
    (select count(*) from orders.order_lines where shop_id = $1) as lines,
    (select coalesce(sum(item_count), 0) from orders.orders where shop_id = $1) as pieces,
    (select coalesce(sum(delivery_fee_cents), 0) from orders.orders where shop_id = $1) as delivery,
    (select coalesce(sum(total_cents), 0) from orders.orders where shop_id = $1) as total`
