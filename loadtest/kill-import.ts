// Owns the imports that are cut off: what of a file is there, and that the same file sent again ends where an import that
// was never cut off ended. import-formats.md, section 1, "Identity and re-import".
import pg from 'pg'
import type { Answer, BackOffice } from './kill-back-office.ts'

/** The counts of a finished import. */
export type Account = { status: string; created: number; updated: number; unchanged: number; failed: number }
/** What a shop holds: how many of each kind, and every document, the keys of the file in the place of our ids. */
export type Contents = { counts: Record<string, number>; documents: string[] }

/** Sends the file; null where no answer came. */
export function sendFile(backOffice: BackOffice, shop: string, file: string): Promise<Answer | null> {
  const headers = { 'content-type': 'text/csv' }
  return backOffice.send('POST', `/shops/${shop}/imports?format=retail`, file, headers).catch(() => null)
}

/** The counts of an answer; throws where the import did not end well. */
export function accountOf(answer: Answer | null): Account {
  if (answer?.status !== 201) throw new Error(`An import was answered with ${answer?.status}: ${answer?.text}`)
  const account = (JSON.parse(answer.text) as { data: Account }).data
  if (account.status !== 'completed' || account.failed > 0) throw new Error(`An import failed: ${answer.text}`)
  return account
}

/** Everything that imports wrote into the shop. */
export async function contentsOf(db: pg.Client, shopId: string): Promise<Contents> {
  const list = async <Row>(text: string) => (await db.query(text, [shopId])).rows as Row[]
  const references = await list<{ kind: string; key: string; object_id: string }>(referencesText)
  const found = await list<{ kind: string; document: string }>(documentsText)
  const names = new Map(
    references.filter(({ kind }) => kind !== 'refund').map(({ kind, key, object_id }) => [object_id, `${kind} ${key}`]),
  )
  const named = (text: string) => text.replace(anyId, (id) => names.get(id) ?? 'a line')
  const refunds = references.filter(({ kind }) => kind === 'refund')
  const documents = [
    ...found.map(({ kind, document }) => `${kind} ${named(kind === 'order' ? document : timeless(document))}`),
    ...refunds.map(({ key, object_id }) => `refund ${key} of ${named(object_id)}`),
  ]
  const [lines] = await list<{ count: number }>(
    'select count(*)::int as count from orders.order_lines where shop_id = $1',
  )
  return {
    counts: {
      products: found.filter(({ kind }) => kind === 'product').length,
      contacts: found.filter(({ kind }) => kind === 'contact').length,
      orders: found.filter(({ kind }) => kind === 'order').length,
      lines: lines?.count ?? 0,
      refunds: refunds.length,
    },
    documents: documents.toSorted(),
  }
}

/** How much of the file is in the shop, in keys that are known. */
export async function keysIn(db: pg.Client, shopId: string): Promise<number> {
  const { rows } = await db.query(`select count(*)::int as count from (${referencesText}) as known`, [shopId])
  return (rows as { count: number }[])[0]?.count ?? 0
}

/** In what the two differ, one line each; nothing where they are equal. */
export function differences(given: Contents, wanted: Contents): string[] {
  const wrong: string[] = []
  for (const [kind, count] of Object.entries(wanted.counts)) {
    if (given.counts[kind] !== count) wrong.push(`the import left ${given.counts[kind]} ${kind} instead of ${count}`)
  }
  const [ours, theirs] = [new Set(given.documents), new Set(wanted.documents)]
  const [extra] = given.documents.filter((document) => !theirs.has(document))
  const [missing] = wanted.documents.filter((document) => !ours.has(document))
  if (extra !== undefined) wrong.push(`the import left what an import that was not cut off does not: ${extra}`)
  if (missing !== undefined) wrong.push(`the import lacks ${missing}`)
  return wrong
}

/** Without the instant of the import itself; that of an order is the file's. */
function timeless(document: string): string {
  return document.replace(/,"updatedAt":"[^"]*"/, '')
}

const anyId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const referencesText = `
  select kind, key, object_id from catalog.external_references where shop_id = $1 and kind = 'product'
  union all select kind, key, object_id from contacts.external_references where shop_id = $1
  union all select kind, key, object_id from orders.external_references where shop_id = $1`
const documentsText = `
  select 'product' as kind, document from catalog.products where shop_id = $1
  union all select 'contact', document from contacts.contacts where shop_id = $1
  union all select 'order', document from orders.orders where shop_id = $1`
