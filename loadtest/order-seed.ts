// Owns the filling of one shop with orders, inside PostgreSQL: only the templates travel.
import type { Database } from '#postgres/connect'
import { lineColumnNames, orderColumnNames } from '../services/orders/tables.ts'
import { marks, orderTemplates } from './order-templates.ts'

const BATCH_ROWS = 20_000
const ORDERS_PER_BUYER = 20

type Seed = { shopId: string; count: number; firstAt: Date; onProgress(done: number): void }

/** Writes `count` orders, one every thirty seconds from `firstAt` on, and gathers the statistics of the tables. */
export async function seedOrders(db: Database, seed: Seed): Promise<void> {
  await insertOrders(db, seed)
  await db.rows('vacuum analyze orders')
  await db.rows('vacuum analyze order_lines')
}

/** The same without the statistics: where many shops are filled they are gathered once, at the end. */
export async function insertOrders(db: Database, { shopId, count, firstAt, onProgress }: Seed): Promise<void> {
  const { rows, lines } = orderTemplates(shopId)
  const templates = [JSON.stringify(rows), JSON.stringify(lines)]
  for (let from = 0; from < count; from += BATCH_ROWS) {
    const to = Math.min(from + BATCH_ROWS, count)
    await db.rows(insertBatch, [...templates, firstAt, from, to - 1, rows.length])
    onProgress(to)
  }
}

// A line's id is made from the order's, so that document and row agree without a join; it has the form of a version 4 id.
const lineId = (order: string, position: string) =>
  `overlay(overlay(md5(${order}::text || ${position}) placing '4' from 13) placing '8' from 17)::uuid`
const wire = (instant: string) => `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const replacements: [mark: string, value: string][] = [
  [marks.id, 's.id::text'],
  ...marks.lineIds.map((mark, position): [string, string] => [mark, `${lineId('s.id', `'${position}'`)}::text`]),
  [marks.email, 's.email'],
  [marks.createdAt.toISOString(), wire('s.created_at')],
  [marks.updatedAt.toISOString(), wire('s.updated_at')],
  [marks.shippedAt.toISOString(), wire('s.shipped_at')],
]

const orderValues: Record<string, string> = {
  id: 's.id',
  customer_email: 's.email',
  email_key: 's.email',
  created_at: 's.created_at',
  updated_at: 's.updated_at',
  shipped_at: 'case when t.shipped_at is not null then s.shipped_at end',
  document: replacements.reduce((text, [mark, value]) => `replace(${text}, '${mark}', ${value})`, 't.document'),
}
const lineValues: Record<string, string> = { order_id: 's.id', id: lineId('s.id', 'l.position') }

// $1 orders, $2 lines, $3 first instant, $4 first and $5 last number, $6 how many templates.
const insertBatch = `
  with seeds as materialized (
    select n, gen_random_uuid() as id, n % $6::int as template, created_at,
      created_at + make_interval(mins => 60 + n % 1000) as updated_at, created_at + interval '1 hour' as shipped_at,
      'buyer' || n / ${ORDERS_PER_BUYER} || '@example.com' as email
    from (select n, $3::timestamptz + make_interval(secs => n * 30) as created_at
      from generate_series($4::int, $5::int) n) numbers
  ), orders_written as (
    insert into orders (${orderColumnNames.join(', ')})
    select ${orderColumnNames.map((name) => orderValues[name] ?? `t.${name}`).join(', ')}
    from seeds s join json_populate_recordset(null::orders, $1) with ordinality t on t.ordinality = s.template + 1
  )
  insert into order_lines (${lineColumnNames.join(', ')})
  select ${lineColumnNames.map((name) => lineValues[name] ?? `l.${name}`).join(', ')}
  from seeds s
  join json_to_recordset($2) as l (template int, position int, shop_id uuid, product_id uuid, variant_id uuid, title text,
    variant_label text, sku text, kind text, quantity int, unit_price_cents bigint, subtotal_cents bigint)
    on l.template = s.template`
