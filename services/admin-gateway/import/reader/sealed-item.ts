// An object of a file as the writer takes it: its content is rendered and hashed once. The text is opened only where an object has to be
// sent, so an object that is unchanged costs little. docs/spec/imports.md#identity-and-re-import
import { hash } from 'node:crypto'
import type { ContactItem, ExportedItem, ImportItem, OrderItem, ProductItem, RefundItem } from './item.ts'

/**
 * `body` is the JSON of the product, contact, order or refund, and `fingerprint` its digest: equal for equal content of the file.
 * `names`: what no two batches under way may have in common, because the order of their objects counts.
 */
export type SealedItem = {
  kind: ImportItem['kind']
  key: string
  /** As in `ImportItem`. */
  object?: string
  record: number
  line: number
  only_create: boolean
  body: string
  fingerprint: string
  bytes: number
  names: string[]
}

export function sealItem(item: ImportItem): SealedItem {
  const { kind, key, record, line } = item
  const body = JSON.stringify(contentOf(item))
  const bytes = Buffer.byteLength(body) + Buffer.byteLength(key)
  const only_create = 'only_create' in item && item.only_create
  const fingerprint = hash('sha256', body, 'hex')
  const sealed = { kind, key, record, line, only_create, body, fingerprint, bytes, names: namesOf(item) }
  return item.object === undefined ? sealed : { ...sealed, object: item.object }
}

type ItemOf = {
  product: ProductItem
  contact: ContactItem
  order: OrderItem
  refund: RefundItem
  exported: ExportedItem
}

/** The item as the reader made it. */
export function openItem<Kind extends ImportItem['kind']>(item: SealedItem): ItemOf[Kind] {
  const { kind, key, record, line, only_create, body } = item
  return { kind, key, record, line, only_create, [kind]: JSON.parse(body) as unknown } as ItemOf[Kind]
}

function contentOf(item: ImportItem): object {
  switch (item.kind) {
    case 'product':
      return item.product
    case 'contact':
      return item.contact
    case 'order':
      return item.order
    case 'refund':
      return item.refund
    case 'exported':
      return item.exported
  }
}

// Contacts of one email or phone are one person, whatever their keys.
function namesOf(item: ImportItem): string[] {
  if (item.kind !== 'contact') return []
  const { email, phone } = item.contact
  return [...(email === null ? [] : [email.toLowerCase()]), ...(phone === null ? [] : [phone])]
}
