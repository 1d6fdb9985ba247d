// Resolves the references of imported orders: keys of the file to ids, buyers to contacts, lines to products
// (docs/spec/imports.md#buyers-of-imported-orders, docs/spec/imports.md#shopify-orders).
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Call } from '#runtime/service'
import type { CallMeta } from '#contracts/caller'
import { type FoundForLines, foundForLines } from '#contracts/actions/products'
import type { ImportedLine, ImportItem, OrderItem, RefundItem } from '../reader/item.ts'

type FoundLine = FoundForLines['lines'][number]

export type Links = {
  /** Remembers the id of a key. */
  remember(item: Pick<ImportItem, 'kind' | 'key'>, id: string | null): void
  /** The params of orders.import. */
  ofOrders(
    items: (OrderItem & { fingerprint: string })[],
  ): Promise<{ key: string; fingerprint: string; order: object }[]>
  /** The params of orders.import_refunds. */
  ofRefunds(items: RefundItem[]): Promise<object[]>
}

const linesPerCall = 500
const keysPerCall = 1_000
const linesCachedMax = 10_000
const idsCachedMax = 50_000 // Some 10 MB. Others are asked for again.
const knownIds = z.object({ ids: z.record(z.string(), z.string()) })
const matched = z.object({ contact_ids: z.array(z.string().nullable()) })

export function openLinks(call: Call, meta: CallMeta, source: string): Links {
  // Ids by key, an empty id for a key that is unknown.
  const ids = {
    products: new LRUCache<string, string>({ max: idsCachedMax }),
    contacts: new LRUCache<string, string>({ max: idsCachedMax }),
  }
  const knownLines = new LRUCache<string, FoundLine>({ max: linesCachedMax }) // Files name the same lines again and again.
  const hasProductKeys = source === 'retail' // No other format has products and orders in one file.

  // The ids of keys, which an earlier file may have imported.
  const findIds = async (kind: 'products' | 'contacts', wanted: (string | null)[]) => {
    const found = new Map<string, string>()
    const missing: string[] = []
    for (const key of new Set(wanted.filter((one) => one !== null))) {
      const id = ids[kind].get(key)
      if (id === undefined) missing.push(key)
      else found.set(key, id)
    }
    for (let at = 0; at < missing.length; at += keysPerCall) {
      const keys = missing.slice(at, at + keysPerCall)
      const answer = knownIds.parse(await call(`${kind}.known`, { source, keys }, meta))
      const known = new Map(Object.entries(answer.ids)) // A key may be the name of a method.
      for (const key of keys) {
        found.set(key, known.get(key) ?? '')
        ids[kind].set(key, known.get(key) ?? '')
      }
    }
    return (key: string | null) => (key === null ? null : found.get(key) || null)
  }

  const matchBuyers = async (items: OrderItem[]): Promise<Map<OrderItem, string | null>> => {
    const wanted = items.filter(({ order: { contact_key, customer } }) => {
      return contact_key === null && (customer.email !== null || customer.phone !== null)
    })
    if (wanted.length === 0) return new Map()
    const people = wanted.map(({ order: { customer } }) => ({ email: customer.email, phone: customer.phone }))
    const { contact_ids } = matched.parse(await call('contacts.match_all', { people }, meta))
    return new Map(wanted.map((item, index) => [item, contact_ids[index] ?? null]))
  }

  const findLines = async (items: OrderItem[]): Promise<Map<string, FoundLine>> => {
    const lines = new Map<string, FoundLine>()
    const wanted = new Map<string, { sku: string | null; text: string }>()
    for (const line of items.flatMap(({ order }) => order.lines)) {
      if (line.product_key !== null) continue
      const name = nameOf(line)
      const knownLine = knownLines.get(name)
      if (knownLine === undefined) wanted.set(name, { sku: line.sku, text: line.title })
      else lines.set(name, knownLine)
    }
    const all = [...wanted]
    for (let at = 0; at < all.length; at += linesPerCall) {
      const some = all.slice(at, at + linesPerCall)
      const params = { lines: some.map(([, line]) => line) }
      const found = foundForLines.parse(await call('products.find_for_lines', params, meta)).lines
      for (const [index, [name]] of some.entries()) {
        lines.set(name, found[index] as FoundLine)
        knownLines.set(name, found[index] as FoundLine)
      }
    }
    return lines
  }

  type IdOf = (key: string | null) => string | null
  const toLine = ({ product_key, ...line }: ImportedLine, lines: Map<string, FoundLine>, productOf: IdOf) => {
    if (product_key !== null) return { ...line, product_id: productOf(product_key), variant_id: null }
    const found = lines.get(nameOf({ ...line, product_key }))
    if (found === undefined) return { ...line, product_id: null, variant_id: null }
    return { ...line, ...found, kind: found.kind ?? line.kind }
  }

  return {
    remember({ kind, key }, id) {
      if (id === null) return
      if (kind === 'product' && hasProductKeys) ids.products.set(key, id)
      else if (kind === 'contact') ids.contacts.set(key, id)
    },
    async ofOrders(items) {
      const contactOf = await findIds(
        'contacts',
        items.map(({ order }) => order.contact_key),
      )
      const productOf = await findIds(
        'products',
        items.flatMap(({ order }) => order.lines.map(({ product_key }) => product_key)),
      )
      const buyers = await matchBuyers(items)
      const lines = await findLines(items)
      return items.map((item) => {
        const { contact_key, lines: given, ...order } = item.order
        const client_id = contact_key === null ? (buyers.get(item) ?? null) : contactOf(contact_key)
        const { key, fingerprint } = item
        return {
          key,
          fingerprint,
          order: { ...order, client_id, lines: given.map((line) => toLine(line, lines, productOf)) },
        }
      })
    },
    async ofRefunds(items) {
      const contactOf = await findIds(
        'contacts',
        items.map(({ refund }) => refund.contact_key),
      )
      return items.map(({ key, refund: { contact_key, ...refund } }) => {
        return { key, client_id: contactOf(contact_key), ...refund }
      })
    },
  }
}

function nameOf({ sku, title }: ImportedLine): string {
  return JSON.stringify([sku, title])
}
