// Owns the judgement after a kill, from the database: every order that was answered is there once, as it was answered; what
// was not answered is there whole or not at all; nothing is half done; no unit of stock is lost.
import pg from 'pg'
import { connect, type Database, type Storage } from '#postgres/connect'
import { migrate } from '#postgres/migrate'
import { renderAll as renderProducts } from '../services/catalog/render.ts'
import { catalog } from '../services/catalog/service.ts'
import { renderAll as renderContacts } from '../services/contacts/render.ts'
import { contacts } from '../services/contacts/service.ts'
import { renderAll as renderOrders } from '../services/orders/render.ts'
import { orders } from '../services/orders/service.ts'
import type { Placing } from './kill-buyers.ts'
import type { Ware } from './kill-shelf.ts'

/** The stored documents of the orders of each request: one, or none. */
export type Found = Map<string, string[]>
export type Judgement = { lost: number; wrong: string[] }

/** The orders of the shop by the key of their request. */
export async function ordersByKey(db: pg.Client, shopId: string): Promise<Found> {
  const { rows } = await db.query('select note, document from orders.orders where shop_id = $1', [shopId])
  const grouped = Map.groupBy(rows as { note: string; document: string }[], ({ note }) => note)
  return new Map([...grouped].map(([key, own]) => [key, own.map(({ document }) => document)]))
}

/** Compares what was answered with what is there; `placings` are all requests that were ever made. */
export function judgeOrders(placings: Map<string, Placing>, found: Found): Judgement {
  const wrong: string[] = []
  let lost = 0
  for (const { key, answer } of placings.values()) {
    const documents = found.get(key) ?? []
    if (documents.length > 1) wrong.push(`request ${key} has ${documents.length} orders`)
    if (answer === null) continue
    if (answer.status === 201 && documents.length === 0) lost += 1
    else if (answer.status === 201 && bodyOf(documents[0]) !== answer.text)
      wrong.push(`order ${key} was answered otherwise`)
    else if (answer.status === 409 && documents.length > 0) wrong.push(`request ${key} was refused, but has an order`)
    else if (answer.status !== 201 && answer.status !== 409)
      wrong.push(`request ${key}: ${answer.status} ${answer.text}`)
  }
  for (const key of found.keys()) if (!placings.has(key)) wrong.push(`the order of ${key} was never asked for`)
  if (lost > 0) wrong.push(`${lost} answered orders are lost`)
  return { lost, wrong }
}

/** The body of an answer that shows the document. */
export function bodyOf(document: string | undefined): string {
  return `{"data":${document}}`
}

/** How much is half written, by what it is; every number must be 0. To be asked when all messages are handed over. */
export async function halvesOf(db: pg.Client, shopId: string): Promise<Record<string, number>> {
  const { rows } = await db.query(halvesText, [shopId])
  const [row = {}] = rows as Record<string, number>[]
  return row
}

/** How many documents are not what their rows render to. */
export async function staleDocuments(databaseUrl: string): Promise<number> {
  let stale = 0
  for (const [{ storage }, render] of rendered)
    if (storage !== null) stale += await rerender(storage, render, databaseUrl)
  return stale
}

/** Messages and events that their receivers do not have yet. */
export async function unsentMessages(db: pg.Client): Promise<number> {
  const { rows: tables } = await db.query(unsentTablesText)
  let unsent = 0
  for (const { name, mark } of tables as { name: string; mark: string }[]) {
    const { rows } = await db.query(`select count(*)::int as count from ${name} where ${mark} is null`)
    unsent += (rows as { count: number }[])[0]?.count ?? 0
  }
  return unsent
}

/** Units set aside for orders that were never written, and where stock, sales and these do not come to what there was. */
export async function judgeStock(
  db: pg.Client,
  shopId: string,
  wares: Ware[],
): Promise<{ held: number; wrong: string[] }> {
  const { rows } = await db.query(stockText, [shopId])
  const known = new Map((rows as Counted[]).map((row) => [row.id, row]))
  const wrong: string[] = []
  let total = 0
  for (const { productId, variantId, initial } of wares) {
    const { stock, sold, held } = known.get(variantId ?? productId) ?? { stock: 0, sold: 0, held: 0 }
    total += held
    if (stock + sold + held !== initial)
      wrong.push(`${stock} in stock, ${sold} sold and ${held} held of ${initial} units`)
  }
  return { held: total, wrong }
}

type Counted = { id: string; stock: number; sold: number; held: number }
type Render = (db: Database) => Promise<number>

const rendered: [{ storage: Storage | null }, Render][] = [
  [catalog, renderProducts],
  [contacts, renderContacts],
  [orders, renderOrders],
]

async function rerender(storage: Storage, render: Render, url: string): Promise<number> {
  const { role } = await migrate(storage, url)
  const onError = (error: Error) => process.stderr.write(`a connection broke: ${error.message}\n`)
  const db = await connect(storage, { url, role, connectionsMax: 1, statementTimeoutMs: 60_000, onError })
  try {
    return await render(db)
  } finally {
    await db.close()
  }
}

// Events wait for good in a product that has no webhooks.
const unsentTablesText = `
  select format('%I.outbox', schemaname) as name, 'sent_at' as mark from pg_tables where tablename = 'outbox'
  union all
  select 'orders.events', 'published_at' where to_regclass('webhooks.events') is not null`

// One statement, so that all of it is seen at one instant. $1 is the shop in which orders are placed.
const stockText = `
  with sold as (
    select coalesce(variant_id, product_id) as id, sum(quantity) as units from orders.order_lines
    where shop_id = $1 and product_id is not null group by 1
  ), held as (
    select coalesce(i.variant_id, i.product_id) as id, sum(i.quantity) as units
    from catalog.reservations r, json_to_recordset(r.items) as i (product_id uuid, variant_id uuid, quantity int)
    where r.shop_id = $1 and r.state = 'taken' and r.reservation_id not in (select id from orders.orders)
    group by 1
  ), wares as (
    select id, stock from catalog.variants where shop_id = $1
    union all select id, stock from catalog.products where shop_id = $1 and stock is not null
  )
  select id, stock, coalesce(sold.units, 0)::int as sold, coalesce(held.units, 0)::int as held
  from wares left join sold using (id) left join held using (id)`

const halvesText = `
  select
    (select count(*) from orders.orders o, lateral (
       select count(*) as n, max(position) as last, sum(quantity) as units, sum(subtotal_cents) as cents
       from orders.order_lines where order_id = o.id) l
     where (l.last, l.units, l.cents) is distinct from (l.n - 1, o.item_count, o.subtotal_cents))::int
      as "orders that their lines do not make up",
    (select count(*) from orders.orders
     where subtotal_cents - discount_cents + delivery_fee_cents + tax_cents <> total_cents)::int
      as "orders whose sums do not hold",
    (select count(*) from orders.order_lines where order_id not in (select id from orders.orders))::int
      as "lines without an order",
    (select count(*) from orders.orders o where shop_id = $1
     and (select count(*) from orders.order_history h where h.order_id = o.id) <> 1)::int
      as "placed orders without their history",
    (select count(*) from orders.orders o, lateral (
       select count(*) as n, coalesce(max(sequence), 0) as last from orders.events e where e.object_id = o.id) e
     where o.event_seq <> e.n or o.event_seq <> e.last or (o.shop_id = $1) <> (e.n > 0))::int
      as "orders whose events are not those they fired",
    (select count(*) from orders.events where object_id not in (select id from orders.orders))::int
      as "events without an order",
    (select count(*) from orders.idempotent_answers where answer is null)::int
      as "remembered requests without an answer",
    abs((select count(*) from orders.idempotent_answers where shop_id = $1)
      - (select count(*) from orders.orders where shop_id = $1))::int
      as "orders without a remembered request, or the other way round",
    (select count(*) from orders.orders o where shop_id = $1
     and exists (select from orders.order_lines l where l.order_id = o.id and l.product_id is not null)
     and not exists (select from catalog.reservations r where r.reservation_id = o.id and r.state = 'settled'))::int
      as "orders whose stock is not settled",
    (select count(*) from catalog.reservations where answer is null
     or (state = 'settled' and reservation_id not in (select id from orders.orders)))::int
      as "reservations that nothing explains",
    (select count(*) from catalog.external_references where object_id not in (
       select id from catalog.products union all select id from catalog.variants))::int
      as "keys of products that are not there",
    (select count(*) from catalog.products where shop_id <> $1
     and id not in (select object_id from catalog.external_references))::int
      as "imported products without their key",
    (select count(*) from contacts.external_references where object_id not in (select id from contacts.contacts))::int
      as "keys of contacts that are not there",
    (select count(*) from contacts.contacts where shop_id <> $1
     and id not in (select object_id from contacts.external_references))::int
      as "imported contacts without their key",
    (select count(*) from orders.orders where shop_id <> $1
     and id not in (select object_id from orders.external_references where kind = 'order'))::int
      as "imported orders without their key"`
