// The files that are imported under kills: one of each format that differs in how it is read and written, each large enough that the
// import can be killed while it writes.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../process.ts'

export type File = { name: string; currency: string; text: string }

/** `size` is about how many objects each file has. */
export function filesOfKills(size: number): File[] {
  return [
    { name: 'retail', currency: 'GBP', text: retailDays() },
    { name: 'Shopify orders', currency: 'GBP', text: shopifyOrders(Math.ceil(size / 150)) },
    { name: 'Spree products', currency: 'USD', text: spreeProducts(Math.ceil(size / 150)) },
    { name: 'many orders', currency: 'GBP', text: manyOrders(size) },
  ]
}

const read = (path: string) => readFileSync(join(root, path), 'utf8')

function retailDays(): string {
  const folder = 'deploy/demo/online-retail'
  const days = readdirSync(join(root, folder)).toSorted()
  return joinFiles(days.map((day) => read(join(folder, day))))
}

function shopifyOrders(copies: number): string {
  const text = read('testing/data/shopify-orders-full.derived.csv')
  const copy = (number: number) =>
    text.replaceAll(/^#(\d+)/gm, `#$1-${number}`).replaceAll(/,5(\d{10}),/g, `,5$1${number},`)
  return joinFiles(Array.from({ length: copies }, (_, number) => copy(number)))
}

function spreeProducts(copies: number): string {
  const text = read('testing/data/spree-products.csv')
  const copy = (number: number) => text.replaceAll(/^([a-z0-9-]+),([A-Z])/gm, `$1-${number},$2`)
  return joinFiles(Array.from({ length: copies }, (_, number) => copy(number)))
}

// Every fiftieth has a status that is told as a problem.
function manyOrders(count: number): string {
  const header = 'Name,Email,Currency,Total,Lineitem quantity,Lineitem name,Lineitem price,Created at,Financial Status'
  const lines = Array.from({ length: count }, (_, index) => {
    const buyer = `buyer-${index % Math.ceil(count / 2)}@example.com`
    return `#${index},${buyer},GBP,5.00,1,Mug,5.00,2026-01-02 10:00:00 +0000,${index % 50 === 0 ? 'unknown' : 'paid'}`
  })
  return [header, ...lines].join('\n')
}

/** One file with the header of the first and the rows of all. */
function joinFiles(texts: string[]): string {
  const [first = '', ...others] = texts.map((text) => text.trimEnd())
  return [first, ...others.map((text) => text.slice(text.indexOf('\n') + 1))].join('\n')
}
