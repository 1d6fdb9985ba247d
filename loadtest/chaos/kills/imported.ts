// Imports that are cut off: sending a file, what of it is in a shop, and in what two shops differ. A file that is sent again
// must end where an import that was never cut off ended. docs/spec/imports.md.
import { readFileSync } from 'node:fs'
import type { Json } from '../../client.ts'
import type { Cluster } from '../../cluster.ts'

const IMPORT_MS = 290_000 // fetch itself waits for an answer for 300 s.

/** What a shop holds: how many of each kind, and every document, with the keys of the file in the place of our ids. */
export type Contents = { counts: Record<string, number>; documents: string[] }

/** Sends the file and returns what the import did, in words; throws where no complete answer of success comes. */
export async function sendFile({ client }: Cluster, shop: string, path: string): Promise<string> {
  const file = { method: 'POST', path: `/shops/${shop}/imports`, headers: { 'content-type': 'text/csv' } }
  const { status, text, data } = await client.send({ ...file, body: readFileSync(path, 'utf8'), timeoutMs: IMPORT_MS })
  if (status !== 201) throw new Error(`An import was answered with ${status}: ${text}`)
  return accountOf(data)
}

/** What an import did, in words. */
export function accountOf(data: Json): string {
  const counts = ['created', 'updated', 'unchanged', 'skipped', 'failed'].map((name) => `${name} ${String(data[name])}`)
  return `${String(data.status)}: ${counts.join(', ')}`
}

/** Everything that imports wrote into the shop, without the instants of the imports themselves. */
export async function contentsOf({ query }: Cluster, shopId: string): Promise<Contents> {
  const references = await query<{ kind: string; key: string; object_id: string }>(keysText, [shopId])
  const found = await query<{ kind: string; document: string }>(documentsText, [shopId])
  const lines = await query('select from orders.order_lines where shop_id = $1', [shopId])
  const refunds = references.filter(({ kind }) => kind === 'refund')
  const others = references.filter(({ kind }) => kind !== 'refund')
  const names = new Map(others.map(({ kind, key, object_id }) => [object_id, `${kind} ${key}`]))
  const named = (document: string) => document.replace(anyId, (id) => names.get(id) ?? 'a line')
  const documents = found.map(({ kind, document }) => {
    return `${kind} ${named(document.replace(kind === 'order' ? changedAt : instants, ''))}`
  })
  const refunded = refunds.map(({ key, object_id }) => `refund ${key} of ${named(object_id)}`)
  const count = (wanted: string) => found.filter(({ kind }) => kind === wanted).length
  const objects = { products: count('product'), contacts: count('contact'), orders: count('order') }
  return {
    counts: { ...objects, lines: lines.length, refunds: refunds.length },
    documents: [...documents, ...refunded].toSorted(),
  }
}

/** How much of the file is in the shop, in keys of the file that are known. */
export async function keysIn({ query }: Cluster, shopId: string): Promise<number> {
  const [row] = await query<{ n: number }>(`select count(*)::int as n from (${keysText}) as known`, [shopId])
  return row?.n ?? 0
}

/** In what the two differ, one line each; nothing where they are equal. */
export function differences(given: Contents, wanted: Contents): string[] {
  const breaches: string[] = []
  for (const [kind, count] of Object.entries(wanted.counts)) {
    if (given.counts[kind] !== count) breaches.push(`the import left ${given.counts[kind]} ${kind} instead of ${count}`)
  }
  const [ours, theirs] = [new Set(given.documents), new Set(wanted.documents)]
  const [extra] = given.documents.filter((document) => !theirs.has(document))
  const [missing] = wanted.documents.filter((document) => !ours.has(document))
  if (extra !== undefined) breaches.push(`the import left what an undisturbed one does not: ${extra.slice(0, 400)}`)
  if (missing !== undefined) breaches.push(`the import lacks ${missing.slice(0, 400)}`)
  return breaches
}

const changedAt = /,"updatedAt":"[^"]*"/g // `createdAt` of an order is the file's.
const instants = /,"(?:createdAt|updatedAt)":"[^"]*"/g
const anyId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
/** The keys of files that a shop knows. */
export const keysText = `
  select kind, key, object_id from catalog.external_references where shop_id = $1 and kind = 'product'
  union all select kind, key, object_id from contacts.external_references where shop_id = $1
  union all select kind, key, object_id from orders.external_references where shop_id = $1`
const documentsText = `
  select 'product' as kind, document from catalog.products where shop_id = $1
  union all select 'contact', document from contacts.contacts where shop_id = $1
  union all select 'order', document from orders.orders where shop_id = $1`
