// The floor of placing and of shipping an order: one read and one statement each. Placing writes stock, order, lines, history, both events,
// the messages, the kept answer and the audit entry; shipping writes order, history, event, message, kept answer and audit entry.
import { randomUUID } from 'node:crypto'
import type { OrderInput } from '#contracts/input/order'
import { COLUMNS } from '../../../services/catalog/products/queries.ts'
import { documentsOf } from '../../../services/catalog/shape.ts'
import type { ProductRow } from '../../../services/catalog/tables.ts'
import { eventsOfPlacing } from '../../../services/orders/moves/transitions.ts'
import { draftOrder, isCatalogueItem, type Sold } from '../../../services/orders/place/draft.ts'
import { orderDocument, toOrder } from '../../../services/orders/shape.ts'
import {
  lineColumnNames,
  type OrderFacts,
  type OrderLineRow,
  type OrderRow,
  orderColumnNames,
} from '../../../services/orders/tables.ts'
import { ACTOR, commandParts, commandValues } from './command.ts'
import { rows, stamped, UNSTAMPED } from './database.ts'

type Product = Omit<ProductRow, 'document' | 'list_document'>

const ATTEMPTS_MAX = 5
const DIVISION_BY_ZERO = '22012'

const FIND_PRODUCTS = `
  select ${COLUMNS.join(', ')}, (select id from contacts.contacts c where c.shop_id = $1 and c.email_key = $3) as buyer
  from catalog.products where shop_id = $1 and id = any($2::uuid[])`
const columnOf = (name: keyof OrderRow) => {
  if (name === 'document') return stamped('r.document')
  return name === 'created_at' || name === 'updated_at' ? 'at' : `r.${name}`
}
const HISTORY = `
  insert into orders.order_history (shop_id, order_id, position, at, who, move, from_status, to_status,
    from_payment_status, to_payment_status)`
const [lineColumns, orderColumns] = [lineColumnNames.join(', '), orderColumnNames.join(', ')]
// $7 order, $8 lines, $9 to $13 products: ids, last stamps, units, documents, documents of lists. Where a product has changed since it was read, the division fails and with it the whole statement.
const PLACE = `
  with stamp as materialized (select orders.begin_change($1) as at, catalog.begin_change($1) as stock_at),
  stock as (
    update catalog.products p set stock = s.stock, document = s.document, list_document = s.list_document, updated_at = at
    from (select id, was, n.stock, at, ${stamped('n.document')} as document, ${stamped('n.list_document')} as list_document
      from (select stock_at as at from stamp) as of,
        unnest($9::uuid[], $10::timestamptz[], $11::integer[], $12::text[], $13::text[])
          n (id, was, stock, document, list_document)) s
    where p.shop_id = $1 and p.id = s.id and p.updated_at = s.was returning 1
  ), written as (
    insert into orders.orders (${orderColumns}) select ${orderColumnNames.map(columnOf).join(', ')}
    from stamp, json_populate_record(null::orders.orders, $7) r
    where 1 / ((select count(*) from stock) = cardinality($9::uuid[]))::integer = 1
    returning updated_at as at, document, status, payment_status
  ), sold as (
    insert into orders.order_lines (${lineColumns}) select l.* from written, (
      select ${lineColumns} from json_populate_recordset(null::orders.order_lines, $8)) l
  ), made as (
    ${HISTORY} select $1, $2, 1, at, '${ACTOR}', 'place', null, status, null, payment_status from written
  ) ${commandParts('orders')}`

const stockColumns = ['id', 'was', 'stock', 'document', 'list_document'] as const

const FIND_ORDER = `
  select o.*, (select json_agg(l order by l.position) from orders.order_lines l where l.shop_id = $1 and l.order_id = $2) as lines,
    (select max(position) from orders.order_history where shop_id = $1 and order_id = $2) as position
  from orders.orders o where shop_id = $1 and id = $2`
// $7 tracking number, $8 document, $9 last stamp, $10 last position of the history.
const SHIP = `
  with stamp as materialized (select orders.begin_change($1) as at),
  written as (
    update orders.orders o set status = 'shipped', shipped_at = at, tracking_number = $7, event_seq = o.event_seq + 1,
      document = ${stamped('$8')}, updated_at = at
    from stamp where o.shop_id = $1 and o.id = $2 and o.updated_at = $9 and o.status = 'new'
    returning at, o.document, o.payment_status
  ), made as (
    ${HISTORY} select $1, $2, $10::integer + 1, at, '${ACTOR}', 'ship', 'new', 'shipped', payment_status, payment_status from written
  ) ${commandParts('orders')}`

/** The answer to POST /orders with items of the catalogue. */
export async function placeOrder(shopId: string, input: OrderInput, key: string | undefined): Promise<Buffer> {
  const items = input.items.filter(isCatalogueItem)
  const ids = items.map(({ productId }) => productId)
  for (let attempt = 1; ; attempt += 1) {
    const found = await rows<Product & { buyer: string | null }>(FIND_PRODUCTS, [shopId, ids, input.customer?.email])
    const byId = new Map(found.map((product) => [product.id, product]))
    const sold = items.map(({ productId, quantity }) => soldOf(byId.get(productId), quantity))
    const [first] = found
    if (first === undefined) throw new Error('A product is missing.')
    const { buyer, currency } = first
    const id = randomUUID()
    const facts = { id, shopId, currency, buyer: { contact_id: buyer, phone: null }, sold, now: UNSTAMPED }
    const { row, lines } = draftOrder(input, facts)
    const events = eventsOfPlacing(row.payment_status)
    const order = { ...row, event_seq: events.length }
    const document = orderDocument(order, lines)
    const values = commandValues({
      ...{ shopId, key, events, document },
      action: 'orders.place',
      route: '/shops/{shop}/orders',
      objectType: 'order',
      before: null,
      after: toOrder(order, lines),
      sequence: events.length,
      messages: [{ kind: 'order.placed', body: { order_id: id } }],
    })
    const stock = items.map(({ productId, quantity }) => reduced(byId.get(productId), quantity))
    try {
      values.push(JSON.stringify({ ...order, document }), JSON.stringify(lines))
      values.push(...stockColumns.map((column) => stock.map((product) => product[column])))
      const [written] = await rows<OrderRow>(PLACE, values)
      return Buffer.from(`{"data":${written?.document}}`)
    } catch (error) {
      if ((error as { code?: string }).code !== DIVISION_BY_ZERO || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

/** The answer to POST /orders/{id}/ship. */
export async function shipOrder(
  shopId: string,
  id: string,
  { trackingNumber }: { trackingNumber: string },
  key: string | undefined,
): Promise<Buffer> {
  type Found = OrderRow & { lines: OrderLineRow[]; position: number }
  const [found] = await rows<Found>(FIND_ORDER, [shopId, id])
  if (found === undefined || found.status !== 'new') throw new Error('The order cannot be shipped.')
  const { lines, position, ...before } = found
  const after: OrderFacts = {
    ...before,
    status: 'shipped',
    shipped_at: UNSTAMPED,
    tracking_number: trackingNumber,
    event_seq: before.event_seq + 1,
    updated_at: UNSTAMPED,
  }
  const document = orderDocument(after, lines)
  const values = commandValues({
    ...{ shopId, key, document },
    action: 'orders.ship',
    route: '/shops/{shop}/orders/{id}/ship',
    objectType: 'order',
    before: toOrder(before, lines),
    after: toOrder(after, lines),
    events: ['order.shipped'],
    sequence: after.event_seq,
  })
  const [written] = await rows<OrderRow>(SHIP, [...values, trackingNumber, document, before.updated_at, position])
  if (written === undefined) throw new Error('The order was changed meanwhile.')
  return Buffer.from(`{"data":${written.document}}`)
}

function soldOf(product: Product | undefined, quantity: number): Sold {
  if (product === undefined) throw new Error('A product is missing.')
  const { id, title, sku, kind, price_cents } = product
  return {
    ...{ product_id: id, title, sku, kind, quantity },
    variant_id: null,
    variant_label: null,
    unit_price_cents: price_cents,
  }
}

function reduced(before: Product | undefined, quantity: number) {
  if (before === undefined) throw new Error('A product is missing.')
  const stock = (before.stock ?? 0) - quantity
  const documents = documentsOf({ product: { ...before, stock, updated_at: UNSTAMPED }, variants: [] })
  return { id: before.id, was: before.updated_at, stock, ...documents }
}
