// Rows of the shops that the back office writes in: products in stock, buyers, memberships, and orders that are not shipped yet. They are
// copies of those of a template shop that the back office made.
import pg from 'pg'
import type { Client, Json } from '../../client.ts'
import type { OfficeShop } from '../scenario.ts'
import { copyRows, copyShop, MARK, wire } from '../seed.ts'
import { BUYERS, emailOfBuyer } from './people.ts'

export type UnshippedOrder = { shop: OfficeShop; id: string }
/** Orders that are not shipped, of one form. */
export type UnshippedOrders = {
  /** Makes as many as are missing to this number. */
  fill(count: number): Promise<void>
  /** The next one, once; throws when there is none left. */
  next(): UnshippedOrder
}

const OFFICE_SHOPS = 80
const PRODUCTS = 47
const MEMBERSHIPS = 19
const STOCK = 100_000_000
const FILLED_AT_ONCE = 5_000

/** Makes the shops; `template` is the one that has the order to be copied. */
export async function seedOffice(admin: Client, db: pg.Client): Promise<{ template: string; shops: OfficeShop[] }> {
  const template = await makeTemplate(admin)
  const shops: OfficeShop[] = []
  for (let number = 0; number < OFFICE_SHOPS; number += 1) {
    const id = await copyShop(db, template)
    await copyRows(db, 'catalog.products', template, id, PRODUCTS)
    await copyRows(db, 'contacts.contacts', template, id, BUYERS)
    await copyRows(db, 'subscriptions.subscriptions', template, id, MEMBERSHIPS)
    shops.push({
      id,
      productIds: await idsOf('catalog.products'),
      membershipIds: await idsOf('subscriptions.subscriptions'),
    })

    async function idsOf(table: string): Promise<string[]> {
      const { rows } = await db.query(`select id from ${table} where shop_id = $1`, [id])
      return (rows as { id: string }[]).map((row) => row.id)
    }
  }
  return { template, shops }
}

/** One product, contact, membership with manual billing, and order of that product. */
async function makeTemplate(admin: Client): Promise<string> {
  const id = await admin.makeShop(`office-${MARK}`)
  const make = (path: string, body: Json) => admin.call('POST', `/shops/${id}${path}`, body)
  const title = `White hanging heart holder ${MARK}`
  const product = { title, kind: 'physical', price: { cents: 255 }, trackInventory: true, stock: STOCK }
  const { id: productId } = await make('/products', product)
  const customer = { name: 'Ada Lovelace', email: emailOfBuyer(MARK) }
  const { id: clientId } = await make('/contacts', customer)
  const address = { line1: '1 High Street', city: 'London', postalCode: 'N1 1AA', country: 'GB' }
  await make('/orders', { paymentMethod: 'card', customer, items: [{ productId, quantity: 1 }], address })
  // The product of a membership is needed once, and no order is placed for it.
  const club = await make('/products', {
    title: 'Club',
    kind: 'membership',
    price: { cents: 900 },
    membership: { interval: 'month' },
  })
  const billing = { billingMode: 'manual', paymentMethod: 'bank_transfer', firstPayment: 'paid' }
  await make('/subscriptions', { productId: club.id, clientId, ...billing })
  await admin.call('DELETE', `/shops/${id}/products/${String(club.id)}`)
  return id
}

/** Orders of these shops in the database of one form. */
export function openUnshipped(db: pg.Client, template: string, shops: OfficeShop[]): UnshippedOrders {
  const byId = new Map(shops.map((shop) => [shop.id, shop]))
  const orders: UnshippedOrder[] = []
  return {
    async fill(count) {
      for (let missing = count - orders.length; missing > 0; missing -= FILLED_AT_ONCE) {
        const each = Math.ceil(Math.min(missing, FILLED_AT_ONCE) / shops.length)
        const { rows } = await db.query(COPY_ORDERS, [template, [...byId.keys()], each])
        for (const { shop_id, id } of rows as { shop_id: string; id: string }[]) {
          const shop = byId.get(shop_id)
          if (shop !== undefined) orders.push({ shop, id })
        }
      }
      await db.query('analyze orders.orders, orders.order_lines, orders.order_history')
    },
    next() {
      const order = orders.pop()
      if (order === undefined) throw new Error('There is no order left that is not shipped.')
      return order
    },
  }
}

// $1 the template shop, $2 the other shops, $3 how many for each. The shops take turns.
const COPY_ORDERS = `
  with template as materialized (
    select id, created_at, to_jsonb(o)::text as row from orders.orders o where shop_id = $1::uuid
  ), copies as materialized (
    select shop_id, gen_random_uuid() as id, date_trunc('milliseconds', now()) as at
    from generate_series(1, $3::integer) n, unnest($2::uuid[]) shop_id
  ), placed as (
    insert into orders.orders select o.* from template t, copies c, jsonb_populate_record(
      null::orders.orders,
      replace(replace(replace(t.row, t.id::text, c.id::text), $1::text, c.shop_id::text),
        ${wire('t.created_at')}, ${wire('c.at')})::jsonb
        || jsonb_build_object('created_at', c.at, 'updated_at', c.at)) o
  ), sold as (
    insert into orders.order_lines select l.* from template t, copies c, orders.order_lines own,
      jsonb_populate_record(own, jsonb_build_object('shop_id', c.shop_id, 'order_id', c.id)) l
    where own.shop_id = $1::uuid and own.order_id = t.id
  ), made as (
    insert into orders.order_history select h.* from template t, copies c, orders.order_history own,
      jsonb_populate_record(own, jsonb_build_object('shop_id', c.shop_id, 'order_id', c.id, 'at', c.at)) h
    where own.shop_id = $1::uuid and own.order_id = t.id
  )
  select shop_id, id from copies`
