// Owns the rows of the side-by-side benchmark: so many shops, each with keys, orders, products and contacts, written set by
// set with documents of the services' own shapes, the same for the floor and for the product.
import { randomUUID } from 'node:crypto'
import { deriveKeys } from '#config/derive-key'
import type { ServiceDefinition as Service } from '#runtime/service'
import { connect, type Database } from '#postgres/connect'
import { migrate } from '#postgres/migrate'
import { digestsOf, mintKey } from '../../services/auth/keys/key.ts'
import { auth } from '../../services/auth/service.ts'
import { renderShop } from '../../services/auth/shape.ts'
import { catalog } from '../../services/catalog/service.ts'
import { documentsOf } from '../../services/catalog/shape.ts'
import type { Entry } from '../../services/catalog/tables.ts'
import { contacts } from '../../services/contacts/service.ts'
import { contactDocument } from '../../services/contacts/shape.ts'
import { orders } from '../../services/orders/service.ts'
import { insertOrders } from '../order-seed.ts'
import { type BenchShop, keySets } from './scenario.ts'

const KEYS_IN_SET = 8
const ROWS_OF_EACH_KIND = 200
const ORDER_IDS_KNOWN = 20
const now = new Date()

type Seed = { url: string; secretKey: string; shopCount: number }

/** Fills an empty database and gives its shops; a shop has more keys than a person could make, for the pace of the run. */
export async function seed({ url, secretKey, shopCount }: Seed): Promise<BenchShop[]> {
  const [pepper] = deriveKeys({ secretKey, secretKeyPrevious: null }, 'api-key')
  if (pepper === undefined) throw new Error('There is no key for API keys.')
  const shops = Array.from({ length: shopCount }, () => ({
    id: randomUUID() as string,
    keys: Object.fromEntries(
      keySets.map((set) => [set, Array.from({ length: KEYS_IN_SET }, mintKey)]),
    ) as BenchShop['keys'],
    orderIds: [] as string[],
  }))
  await inSchema(auth, url, async (db) => {
    await insertAll(db, 'shops', shops.map(shopRow))
    for (const { id, keys } of shops) {
      const rows = Object.values(keys)
        .flat()
        .map((key) => keyRow(id, digestsOf(key, [pepper])[0] ?? Buffer.alloc(0)))
      await insertAll(db, 'api_keys', rows)
    }
    await db.rows('vacuum analyze')
  })
  await inSchema(orders, url, async (db) => {
    const firstAt = new Date(now.getTime() - ROWS_OF_EACH_KIND * 30_000)
    for (const shop of shops) {
      await insertOrders(db, { shopId: shop.id, count: ROWS_OF_EACH_KIND, firstAt, onProgress: () => undefined })
      const ids = await db.rows<{ id: string }>(
        'select id from orders where shop_id = $1 order by created_at desc limit $2',
        [shop.id, ORDER_IDS_KNOWN],
      )
      shop.orderIds = ids.map(({ id }) => id)
    }
    await db.rows('vacuum analyze')
  })
  await inSchema(catalog, url, async (db) => {
    for (const { id } of shops)
      await insertAll(
        db,
        'products',
        many((number) => productRow(id, number)),
      )
    await db.rows('vacuum analyze')
  })
  await inSchema(contacts, url, async (db) => {
    for (const { id } of shops)
      await insertAll(
        db,
        'contacts',
        many((number) => contactRow(id, number)),
      )
    await db.rows(
      `insert into contact_tags (shop_id, contact_id, created_at, tag)
       select shop_id, id, created_at, unnest(tags) from contacts`,
    )
    await db.rows('vacuum analyze')
  })
  return shops
}

async function inSchema(service: Service, url: string, work: (db: Database) => Promise<void>): Promise<void> {
  if (service.storage === null) throw new Error(`The service ${service.name} keeps no rows.`)
  const { role } = await migrate(service.storage, url)
  const onError = (error: Error) => process.stderr.write(`a connection broke: ${error.message}\n`)
  const db = await connect(service.storage, { url, role, connectionsMax: 1, statementTimeoutMs: 0, onError })
  try {
    await work(db)
  } finally {
    await db.close()
  }
}

// Columns that the rows do not name keep their defaults.
async function insertAll(db: Database, table: string, rows: object[]): Promise<void> {
  const names = Object.keys(rows[0] ?? {}).join(', ')
  await db.rows(`insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1)`, [
    JSON.stringify(rows),
  ])
}

function many<Row>(row: (number: number) => Row): Row[] {
  return Array.from({ length: ROWS_OF_EACH_KIND }, (_nothing, number) => row(number))
}

const ago = (number: number) => new Date(now.getTime() - (number + 1) * 60_000)

function shopRow({ id }: BenchShop) {
  return renderShop({
    ...{ id, handle: `bench-${id}`, name: 'Bench', currency: 'GBP', time_zone: 'Europe/London', country: 'GB' },
    ...{ owner_email: 'owner@example.com', plan: 'pro', created_at: now, updated_at: now },
  })
}

function keyRow(shopId: string, digest: Buffer) {
  return {
    ...{ id: randomUUID(), shop_id: shopId, name: 'bench', access: 'write', digest: `\\x${digest.toString('hex')}` },
    ...{ prefix: 'sfk_', last_four: '0000', created_at: now },
  }
}

function productRow(shopId: string, number: number) {
  const product: Entry['product'] = {
    ...{ id: randomUUID(), shop_id: shopId, currency: 'GBP', title: `White hanging heart holder ${number}` },
    ...{
      slug: `holder-${number}`,
      description: 'A holder for one small light, made of metal, painted white. '.repeat(5),
    },
    ...{ kind: 'physical', tags: ['home', 'light'], sku: `851${number}`, price_cents: 255, compare_at_cents: null },
    ...{ track_inventory: true, stock: 40, continue_selling: false, sold_out: false, is_published: true },
    ...{ is_featured: false, booking_duration_minutes: null, booking_service_mode: null, booking_lead_hours: null },
    ...{ event_starts_at: null, membership_interval: null, membership_trial_days: null },
    ...{ created_at: ago(number), updated_at: ago(number) },
  }
  return { ...product, ...documentsOf({ product, variants: [] }) }
}

function contactRow(shopId: string, number: number) {
  const email = `buyer-${number}@example.com`
  const row = {
    ...{ id: randomUUID() as string, shop_id: shopId, name: 'Ada Lovelace', email, email_key: email },
    ...{ phone: `+4420794${String(number).padStart(5, '0')}`, tags: number % 2 === 0 ? ['vip'] : ['new'] },
    ...{ source: 'manual', marketing_consent_at: null, line1: '1 High Street', line2: null, city: 'London' },
    ...{ region: null, postal_code: 'N1 1AA', country: 'GB', private_note: null },
    ...{ created_at: ago(number), updated_at: ago(number) },
  }
  return { ...row, document: contactDocument(row) }
}
