// What an order of an export becomes, as a pure function. docs/spec/imports.md#our-own-files
import { randomUUID } from 'node:crypto'
import type { OrderFields, ItemFields } from '#contracts/input/exported'
import { limits } from '#contracts/limits'
import { isProblem, sumOrder, type Totals } from '#money/order-totals'
import { normalisePhone } from '#person/person'
import { type Facts, importProblem, linkOf, type Plan, type Warning } from '#postgres/import/import-objects'
import { nextStamp } from '#postgres/watermark'
import { orderDocument } from '../shape.ts'
import { emailKey, nullColumns, type OrderFacts, type OrderLineRow, type OrderRow } from '../tables.ts'

export type StoredOrder = { row: OrderRow; lines: OrderLineRow[] }
export type OrderPlan = Plan & StoredOrder
type Shop = { shopId: string; currency: string; country: string | null }

/** Refuses invalid_request; `problem` of the refusal is the code for the import report. */
export function planOrder(before: StoredOrder | null, fields: OrderFields, shop: Shop, facts: Facts): OrderPlan {
  const warnings: Warning[] = []
  const lines = linesOf(before, fields.items, { ...facts, shopId: shop.shopId }, warnings)
  const changed = {
    ...(before?.row ?? newRow(fields, shop, facts)),
    ...columnsOf(before, fields, shop, facts, warnings),
  }
  const totals = totalsOf(changed, lines, fields)
  const { line_subtotals: subtotals, ...sums } = totals
  const priced = lines.map((line, position) => ({ ...line, position, subtotal_cents: subtotals[position] ?? 0 }))
  const row = { ...changed, ...sums }
  check(before, row)
  const document = orderDocument(row, priced)
  const isShownSame = before !== null && document === before.row.document
  const isSame = isShownSame && row.private_note === before.row.private_note
  if (isShownSame) return { row: { ...row, document }, lines: priced, isSame, warnings }
  const stamped = {
    ...row,
    updated_at: before === null ? later(facts.now, row.updated_at) : nextStamp(row.updated_at, facts.now),
  }
  return { row: { ...stamped, document: orderDocument(stamped, priced) }, lines: priced, isSame, warnings }
}

function newRow(fields: OrderFields, { shopId, currency }: Shop, { id, now }: Facts): OrderFacts {
  const created = fields.createdAt ?? now
  if (created > now) throw importProblem('bad_date', 'createdAt must not lie in the future.')
  if (fields.paymentMethod === undefined) throw missing('paymentMethod')
  return {
    ...nullColumns,
    id,
    shop_id: shopId,
    status: 'new',
    payment_status: 'unpaid',
    payment_method: fields.paymentMethod,
    currency,
    subtotal_cents: 0,
    discount_cents: 0,
    delivery_fee_cents: 0,
    tax_cents: 0,
    total_cents: 0,
    refunded_cents: 0,
    item_count: 0,
    has_booking: false,
    event_seq: 0,
    created_at: created,
    updated_at: created,
  }
}

/** The columns that the fields change; `createdAt` of an existing order stays. */
function columnsOf(
  before: StoredOrder | null,
  fields: OrderFields,
  shop: Shop,
  facts: Facts,
  warnings: Warning[],
): Partial<OrderFacts> {
  if (
    before !== null &&
    fields.createdAt !== undefined &&
    fields.createdAt.getTime() !== before.row.created_at.getTime()
  ) {
    warnings.push(createdAtStays)
  }
  const email = fields['customer.email']
  return present({
    status: fields.status,
    payment_status: fields.paymentStatus,
    payment_method: fields.paymentMethod,
    discount_cents: fields.discount,
    delivery_fee_cents: fields.deliveryFee,
    tax_cents: fields.tax,
    refunded_cents: fields.refunded,
    client_id: clientOf(fields['customer.clientId'], before?.row.client_id ?? null, facts.links, warnings),
    customer_name: fields['customer.name'],
    customer_email: email,
    email_key: email && emailKey(email),
    customer_phone: phoneOf(fields['customer.phone'], before?.row.customer_phone ?? null, shop.country),
    line1: fields['address.line1'],
    line2: fields['address.line2'],
    city: fields['address.city'],
    region: fields['address.region'],
    postal_code: fields['address.postalCode'],
    country: fields['address.country'],
    delivery_method: fields['delivery.method'],
    delivery_label: fields['delivery.label'],
    pickup_location: fields['delivery.pickupLocation'],
    tracking_carrier: fields['delivery.trackingCarrier'],
    tracking_number: fields['delivery.trackingNumber'],
    tracking_url: fields['delivery.trackingUrl'],
    shipped_at: fields['delivery.shippedAt'],
    ...bookingOf(fields),
    coupon_code: fields['coupon.code'],
    affiliate_code: fields['affiliate.code'],
    note: fields.note,
    private_note: fields.privateNote,
  })
}

/** Without the field `booking` there is an appointment where one of its fields has a value. */
function bookingOf(fields: OrderFields) {
  const columns = {
    scheduled_for: fields['booking.scheduledFor'],
    service_mode: fields['booking.serviceMode'],
    service_location: fields['booking.serviceLocation'],
  }
  const hasValue = Object.values(columns).some((value) => value !== undefined && value !== null)
  if (fields.booking === false && hasValue) {
    throw importProblem('no_booking', 'booking is false, so its fields must be empty.')
  }
  if (fields.booking === false) {
    return { has_booking: false, scheduled_for: null, service_mode: null, service_location: null }
  }
  return { has_booking: fields.booking ?? (hasValue ? true : undefined), ...columns }
}

function clientOf(given: string | null | undefined, stored: string | null, links: Facts['links'], warnings: Warning[]) {
  if (typeof given !== 'string') return given
  const id = linkOf(given, stored, links)
  if (id === null)
    warnings.push({ code: 'unknown_contact', message: `The shop has no contact ${given}; clientId is left empty.` })
  return id
}

function phoneOf(given: string | null | undefined, stored: string | null, country: string | null) {
  if (typeof given !== 'string' || given === stored) return given
  const phone = normalisePhone(given, country)
  if (phone === null) throw importProblem('bad_phone', 'customer.phone is no phone number.')
  return phone
}

/** The lines of the file, each in place of the stored one with its id, else at its position; the stored ones where it has none. */
function linesOf(
  before: StoredOrder | null,
  items: ItemFields[] | undefined,
  facts: Facts & { shopId: string },
  warnings: Warning[],
): OrderLineRow[] {
  if (items === undefined) {
    if (before === null) throw missing('items')
    return before.lines
  }
  if (items.length === 0) throw importProblem('value_required', 'An order has at least one item.')
  if (items.length > limits.orderLinesMax) {
    throw importProblem('too_many_lines', `An order may have at most ${limits.orderLinesMax} lines.`)
  }
  const stored = before?.lines ?? []
  const byId = new Map(stored.map((line) => [line.id, line]))
  const named = new Set(
    items.flatMap(({ id }) => (id !== undefined && byId.has(id.toLowerCase()) ? [id.toLowerCase()] : [])),
  )
  return items.map((item, position) => {
    const atPosition = stored[position]
    const free = atPosition !== undefined && !named.has(atPosition.id) ? atPosition : null
    const old = byId.get(item.id?.toLowerCase() ?? '') ?? free
    return lineOf(old, item, position, facts, warnings)
  })
}

function lineOf(
  old: OrderLineRow | null,
  item: ItemFields,
  position: number,
  { id, shopId, links }: Facts & { shopId: string },
  warnings: Warning[],
): OrderLineRow {
  const field = (name: string) => `items[${position}].${name}`
  const product = productOf(old, item, links, warnings)
  return {
    shop_id: shopId,
    order_id: id,
    position,
    id: old?.id ?? randomUUID(),
    ...product,
    title: item.title ?? old?.title ?? required(field('title')),
    variant_label: item.variantLabel === undefined ? (old?.variant_label ?? null) : item.variantLabel,
    sku: item.sku === undefined ? (old?.sku ?? null) : item.sku,
    kind: item.kind ?? old?.kind ?? required(field('kind')),
    quantity: item.quantity ?? old?.quantity ?? required(field('quantity')),
    unit_price_cents: item.unitPrice ?? old?.unit_price_cents ?? required(field('unitPrice')),
    subtotal_cents: 0,
  }
}

function productOf(old: OrderLineRow | null, item: ItemFields, links: Facts['links'], warnings: Warning[]) {
  const [product, variant] = [old?.product_id ?? null, old?.variant_id ?? null]
  const product_id =
    typeof item.productId === 'string'
      ? linkOf(item.productId, product, links)
      : item.productId === null
        ? null
        : product
  const variant_id =
    typeof item.variantId === 'string'
      ? linkOf(item.variantId, variant, links)
      : item.variantId === null
        ? null
        : variant
  if (typeof item.productId === 'string' && product_id === null) {
    warnings.push({
      code: 'unknown_product',
      message: `The shop has no product ${item.productId}; the line names none.`,
    })
  }
  return { product_id, variant_id: product_id === null ? null : variant_id }
}

/** Amounts are never adjusted: those of the file must be the sums of the others. */
function totalsOf(row: OrderFacts, lines: OrderLineRow[], fields: OrderFields): Totals {
  const totals = sumOrder(lines, row)
  if (isProblem(totals)) throw importProblem(totals.code, `${totals.field} ${totals.message}.`)
  fields.items?.forEach(({ subtotal }, index) =>
    expectSum(`items[${index}].subtotal`, subtotal, totals.line_subtotals[index]),
  )
  expectSum('subtotal', fields.subtotal, totals.subtotal_cents)
  expectSum('total', fields.total, totals.total_cents)
  expectSum('itemCount', fields.itemCount, totals.item_count)
  const { subtotal_cents, total_cents, item_count, line_subtotals, discount_cents, delivery_fee_cents, tax_cents } =
    totals
  return { subtotal_cents, total_cents, item_count, line_subtotals, discount_cents, delivery_fee_cents, tax_cents }
}

function expectSum(field: string, given: number | undefined, sum: number | undefined): void {
  if (given === undefined || given === sum) return
  throw importProblem('money_mismatch', `${field} is ${given}, and the other fields come to ${sum}.`)
}

function check(before: StoredOrder | null, row: OrderFacts): void {
  const { refunded_cents: refunded, total_cents: total } = row
  if (refunded > total) {
    throw importProblem('refund_exceeds_total', `More was refunded, ${refunded}, than the order comes to, ${total}.`)
  }
  if (before !== null && refunded < before.row.refunded_cents) {
    throw importProblem(
      'refund_falls',
      `${before.row.refunded_cents} were refunded already; the file says ${refunded}.`,
    )
  }
  if (row.payment_status === 'refunded' && refunded < total) {
    throw importProblem(
      'refund_mismatch',
      `An order whose money went back must be refunded whole, not ${refunded} of ${total}.`,
    )
  }
  if (row.status === 'shipped' && row.shipped_at === null) {
    throw importProblem('no_shipped_at', 'A shipped order needs delivery.shippedAt.')
  }
}

const createdAtStays = { code: 'created_at_stays', message: 'createdAt of an object that is here stays as it is.' }

function present<Columns extends object>(columns: Columns): Partial<Columns> {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Partial<Columns>
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other
}

function missing(field: string) {
  return importProblem('missing_field', `A new order needs ${field}.`)
}

function required(field: string): never {
  throw importProblem('missing_field', `A new line needs ${field}.`)
}
