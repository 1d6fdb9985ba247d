// Rows of the benchmark: a template shop is made through the back office, and its rows are copied inside PostgreSQL under
// new ids, so that every document is one that the product wrote.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { deriveKeys } from '#config/derive-key'
import { digestsOf, mintKey } from '../../services/auth/keys/key.ts'
import type { Client, Json } from '../client.ts'
import { SECRET_KEY } from '../cluster.ts'
import { type BenchShop, keySets } from './scenario.ts'
import { emailOfContact } from './writes/people.ts'

/** A large shop for reading page after page. */
export type WalkShop = { id: string; keys: string[] }

const KEYS_IN_SET = 8
const WALK_KEYS = 64
const ROWS_OF_EACH_KIND = 200
const ORDER_IDS_KNOWN = 20
const COPY_ROWS = 20_000
/** In a template's texts, the number of the copy. */
export const MARK = 'zqz'

/** Makes the shops with keys, orders, products and contacts; each has more keys than the back office allows. */
export async function seed(admin: Client, db: pg.Client, count: number) {
  const template = await makeTemplate(admin)
  const shops: BenchShop[] = []
  for (let number = 0; number < count; number += 1) {
    const id = await copyShop(db, template)
    const keys = {} as BenchShop['keys']
    for (const set of keySets) keys[set] = await insertKeys(db, id, KEYS_IN_SET)
    for (const table of ['orders.orders', 'catalog.products', 'contacts.contacts'])
      await copyRows(db, table, template, id, ROWS_OF_EACH_KIND)
    const { rows } = await db.query('select id from orders.orders where shop_id = $1 limit $2', [id, ORDER_IDS_KNOWN])
    const orderIds = (rows as { id: string }[]).map((row) => row.id)
    shops.push({ id, keys, orderIds })
  }
  await db.query(`insert into contacts.contact_tags (shop_id, contact_id, created_at, tag)
      select shop_id, id, created_at, unnest(tags) from contacts.contacts where shop_id <> '${template}'`)
  return { shops, template }
}

/** Makes the shop of the walk with so many orders, from the template of `seed`. */
export async function seedWalk(db: pg.Client, template: string, orders: number): Promise<WalkShop> {
  const id = await copyShop(db, template)
  await copyRows(db, 'orders.orders', template, id, orders)
  const keys = await insertKeys(db, id, WALK_KEYS)
  await db.query('vacuum analyze')
  return { id, keys }
}

/** Makes that shop in a database without shops of the benchmark. */
export async function makeWalkShop(admin: Client, databaseUrl: string, orders: number): Promise<WalkShop> {
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  try {
    return await seedWalk(db, await makeTemplate(admin), orders)
  } finally {
    await db.end()
  }
}

// Orders in five states with one to three lines each, some forty kilobytes to a page of 25; contacts with two tags.
async function makeTemplate(admin: Client): Promise<string> {
  const id = await admin.makeShop(`bench-${MARK}`)
  const make = (path: string, body: Json) => admin.call('POST', `/shops/${id}${path}`, body)
  const address = { line1: '1 High Street', city: 'London', postalCode: 'N1 1AA', country: 'GB' }
  for (const moves of [[], ['confirm'], ['ship'], ['confirm', 'complete'], ['cancel']]) {
    for (const count of [1, 2, 3]) {
      const paymentMethod = moves[0] === 'cancel' ? 'cod' : 'card'
      const customer = { name: 'Ada Lovelace', email: `buyer-${MARK}@example.com`, phone: '+442079460958' }
      const prices = { discount: { cents: 100 }, deliveryFee: { cents: 495 }, coupon: { code: 'SPRING' } }
      const items = goods.slice(0, count)
      const order = await make('/orders', { paymentMethod, customer, items, address, ...prices })
      for (const move of moves) await make(`/orders/${String(order.id)}/${move}`, {})
    }
  }
  const description = 'A holder for one small light, made of metal, painted white. '.repeat(5)
  const product = { title: `White hanging heart holder ${MARK}`, kind: 'physical', price: { cents: 255 }, description }
  await make('/products', { ...product, tags: ['home', 'light'], trackInventory: true, stock: 40 })
  for (const tag of ['vip', 'new']) {
    await make('/contacts', { name: 'Ada Lovelace', email: emailOfContact(MARK, tag), tags: [tag], address })
  }
  return id
}

const goods = [
  { title: 'WHITE HANGING HEART T-LIGHT HOLDER', kind: 'physical', quantity: 6, unitPrice: { cents: 255 } },
  { title: 'RED WOOLLY HOTTIE WHITE HEART.', kind: 'physical', quantity: 2, unitPrice: { cents: 339 } },
  { title: 'JAM MAKING SET WITH JARS', kind: 'physical', quantity: 1, unitPrice: { cents: 425 } },
]

export async function copyShop(db: pg.Client, template: string): Promise<string> {
  const id = randomUUID()
  const text = `insert into auth.shops select copied.* from auth.shops s,
    jsonb_populate_record(null::auth.shops, replace(replace(to_jsonb(s)::text, $1::text, $2::text), '${MARK}', $2::text)::jsonb) copied
    where s.id = $1::uuid`
  await db.query(text, [template, id])
  return id
}

/** Copies the template's rows of a table in turn, one for every thirty seconds until now. */
export async function copyRows(
  db: pg.Client,
  table: string,
  template: string,
  shop: string,
  count: number,
): Promise<void> {
  for (let from = 0; from < count; from += COPY_ROWS) {
    const to = Math.min(from + COPY_ROWS, count)
    await db.query(copyText(table), [template, shop, from, to - 1, count])
  }
}

export const wire = (instant: string) => `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

// $1 the template shop, $2 the new shop, $3 first and $4 last number, $5 how many there will be.
const copyText = (table: string) => `
  with templates as materialized (
    select t.id, t.created_at, t.updated_at, to_jsonb(t)::text as row, row_number() over (order by t.created_at) - 1 as place,
      count(*) over () as places
    from ${table} t where shop_id = $1::uuid
  ), numbers as (
    select n, gen_random_uuid() as id, date_trunc('milliseconds', now()) - make_interval(secs => ($5::int - n) * 30) as at
    from generate_series($3::int, $4::int) n
  )
  insert into ${table} select copied.* from numbers join templates on place = n % places, jsonb_populate_record(
    null::${table},
    replace(replace(replace(replace(replace(row, templates.id::text, numbers.id::text), $1::text, $2::text), '${MARK}', n::text),
      '"createdAt\\":\\"' || ${wire('templates.created_at')}, '"createdAt\\":\\"' || ${wire('at')}),
      '"updatedAt\\":\\"' || ${wire('templates.updated_at')}, '"updatedAt\\":\\"' || ${wire('at')})::jsonb
      || jsonb_build_object('created_at', at, 'updated_at', at)) copied`

async function insertKeys(db: pg.Client, shop: string, count: number): Promise<string[]> {
  const [pepper] = deriveKeys({ secretKey: SECRET_KEY, secretKeyPrevious: null }, 'api-key')
  if (pepper === undefined) throw new Error('There is no key for API keys.')
  const keys = Array.from({ length: count }, mintKey)
  const digests = keys.map((key) => digestsOf(key, [pepper])[0])
  await db.query(
    `insert into auth.api_keys (id, shop_id, name, access, digest, prefix, last_four, created_at)
     select gen_random_uuid(), $1, 'bench', 'write', digest, 'sfk_', '0000', now() from unnest($2::bytea[]) digest`,
    [shop, digests],
  )
  return keys
}
