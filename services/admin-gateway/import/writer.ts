// Owns handing the objects of a file to the services that own them: in batches, products and contacts before the orders
// that need them, keys of the file exchanged for ids on the way.
// import-formats.md, section 1, "Identity and re-import".
import type { Ask } from '#broker/house'
import type { ActionName } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import { importResults } from '#contracts/import-result'
import { limits } from '#contracts/limits'
import type { ContactItem, ImportItem, OrderItem, ProductItem, RefundItem } from './item.ts'
import type { Report } from './report.ts'
import { count, type Tally } from './tally.ts'

export type Writer = {
  /** Takes one object; sends what has gathered when a batch is full. */
  add(item: ImportItem): Promise<void>
  /** Sends what is left. */
  flush(): Promise<void>
}
type WriterOptions = { ask: Ask; meta: CallMeta; source: string; report: Report; tally: Tally }
type Items = { product: ProductItem[]; contact: ContactItem[]; order: OrderItem[]; refund: RefundItem[] }

/** `source` is the name under which the services know the keys: the format. */
export function openWriter({ ask, meta, source, report, tally }: WriterOptions): Writer {
  // Ids by key. Not more than the records of a file: each names one product and one contact at most.
  const products = new Map<string, string>()
  const contacts = new Map<string, string | null>()
  let items: Items = empty()
  let sizes = emptySizes()

  const send = async (
    action: ActionName,
    params: object,
    sent: ImportItem[],
    ids: Map<string, string | null> | null,
  ) => {
    if (sent.length === 0) return
    const { results } = importResults.parse(await ask(action, params as never, meta))
    const byKey = new Map(results.map((result) => [result.key, result]))
    for (const item of sent) {
      const result = byKey.get(item.key)
      if (result === undefined) throw new Error(`${action} did not answer about every object.`)
      count(tally, report, item, result)
      if (result.id !== null) ids?.set(item.key, result.id)
    }
  }

  const flush = async () => {
    const { product, contact, order, refund } = items
    items = empty()
    sizes = emptySizes()
    await send('products.import', { source, products: product.map(toProduct) }, product, products)
    await send('contacts.import', { source, contacts: contact.map(toContact) }, contact, contacts)
    await findContacts([
      ...order.map((item) => item.order.contact_key),
      ...refund.map((item) => item.refund.contact_key),
    ])
    await send('orders.import', { source, orders: order.map((item) => toOrder(item, products, contacts)) }, order, null)
    await send(
      'orders.import_refunds',
      { source, refunds: refund.map((item) => toRefund(item, contacts)) },
      refund,
      null,
    )
  }

  // A refund may be of a contact that an earlier file brought.
  const findContacts = async (wanted: (string | null)[]) => {
    const keys = [...new Set(wanted)].filter((key) => key !== null && !contacts.has(key)) as string[]
    if (keys.length === 0) return
    const { ids } = (await ask('contacts.known', { source, keys }, meta)) as { ids: Record<string, string> }
    for (const key of keys) contacts.set(key, ids[key] ?? null)
  }

  return {
    flush,
    async add(item) {
      const bytes = Buffer.byteLength(JSON.stringify(item))
      if (bytes > limits.busBytesMax) {
        tally.failed += 1
        report.error(item, 'too_large', `The object is larger than ${limits.busBytesMax} bytes.`)
        return
      }
      const gathered = items[item.kind]
      const isFull = gathered.length >= limits.importBatchObjects || sizes[item.kind] + bytes > limits.importBatchBytes
      if (isFull) await flush()
      sizes[item.kind] += bytes
      ;(items[item.kind] as ImportItem[]).push(item)
    },
  }
}

function empty(): Items {
  return { product: [], contact: [], order: [], refund: [] }
}

function emptySizes(): Record<keyof Items, number> {
  return { product: 0, contact: 0, order: 0, refund: 0 }
}

function toProduct({ key, only_create, product }: ProductItem) {
  return { key, only_create, product }
}

function toContact({ key, only_create, contact }: ContactItem) {
  return { key, only_create, contact }
}

function toOrder(item: OrderItem, products: Map<string, string>, contacts: Map<string, string | null>) {
  const { contact_key, lines, ...order } = item.order
  const client_id = contact_key === null ? null : (contacts.get(contact_key) ?? null)
  const identified = lines.map(({ product_key, ...line }) => ({
    ...line,
    product_id: product_key === null ? null : (products.get(product_key) ?? null),
    variant_id: null,
  }))
  return { key: item.key, order: { ...order, client_id, lines: identified } }
}

function toRefund({ key, refund }: RefundItem, contacts: Map<string, string | null>) {
  const { contact_key, sku, amount_cents, at } = refund
  return { key, client_id: contacts.get(contact_key) ?? null, sku, amount_cents, at }
}
