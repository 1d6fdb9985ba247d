// Owns what a placed order is: from the body, the buyer and what was sold to the rows, as a pure function.
// Back office: POST /shops/{shop}/orders. states-and-events.md 9, the rows "place": card or total 0 is paid, paypal is
// paid or pending, every other method is unpaid. Spec: order, address, delivery.
import { randomUUID } from 'node:crypto'
import { refuse } from '#contracts/errors'
import type { PaymentStatus } from '#contracts/objects/order'
import type { CatalogueItem, FreeItem, OrderInput } from '#contracts/input/order'
import { emailKey } from '../email.ts'
import type { Buyer, SoldItem } from '../clients.ts'
import type { Draft, OrderFacts, OrderLineRow } from '../tables.ts'
import { isProblem, sumOrder, type Totals } from './totals.ts'

export type Item = OrderInput['items'][number]
/** What one line sells, from the catalogue or from the body. */
export type Sold = Omit<SoldItem, 'product_id'> & { product_id: string | null; quantity: number }

type Facts = { id: string; shopId: string; currency: string; buyer: Buyer; sold: Sold[]; now: Date }

/** Refuses invalid_request, naming the field, where the sums do not hold. */
export function draftOrder(input: OrderInput, facts: Facts): Draft {
  const { id, shopId, currency, buyer, sold, now } = facts
  const totals = totalsOf(input, sold)
  const email = input.customer?.email ?? null
  const createdAt = input.createdAt ?? now
  const row: OrderFacts = {
    id,
    shop_id: shopId,
    status: 'new',
    payment_status: paymentStatusOf(input, totals),
    payment_method: input.paymentMethod,
    currency,
    subtotal_cents: totals.subtotal_cents,
    discount_cents: totals.discount_cents,
    delivery_fee_cents: totals.delivery_fee_cents,
    tax_cents: totals.tax_cents,
    total_cents: totals.total_cents,
    refunded_cents: 0,
    item_count: totals.item_count,
    client_id: buyer.contact_id,
    customer_name: input.customer?.name ?? null,
    customer_email: email,
    email_key: email === null ? null : emailKey(email),
    customer_phone: buyer.phone,
    ...deliveryOf(input, sold),
    tracking_carrier: null,
    tracking_number: null,
    tracking_url: null,
    shipped_at: null,
    has_booking: (input.booking ?? null) !== null,
    scheduled_for: input.booking?.scheduledFor ?? null,
    service_mode: input.booking?.serviceMode ?? null,
    service_location: input.booking?.serviceLocation ?? null,
    coupon_code: input.coupon?.code ?? null,
    affiliate_code: input.affiliate?.code ?? null,
    note: input.note ?? null,
    private_note: input.privateNote ?? null,
    event_seq: 0,
    created_at: createdAt,
    // The lists rely on nothing being created after it was changed.
    updated_at: createdAt > now ? createdAt : now,
  }
  return { row, lines: sold.map((item, position) => toLine(item, position, totals, row)) }
}

export function isCatalogueItem(item: Item): item is CatalogueItem {
  return typeof item.productId === 'string'
}

/** What a free-form item sells. */
export function soldFreely({ title, variantLabel, sku, kind, quantity, unitPrice }: FreeItem): Sold {
  return {
    product_id: null,
    variant_id: null,
    title,
    variant_label: variantLabel ?? null,
    sku: sku ?? null,
    kind,
    quantity,
    unit_price_cents: unitPrice.cents,
  }
}

/** Refuses a money value, or the order, in another currency than the shop's. */
export function refuseForeignCurrency(input: OrderInput, currency: string): void {
  const given: [string, string | null | undefined][] = [
    ['currency', input.currency],
    ['discount.currency', input.discount?.currency],
    ['deliveryFee.currency', input.deliveryFee?.currency],
    ['tax.currency', input.tax?.currency],
    ...input.items.map((item, index): [string, string | null | undefined] => [
      `items[${index}].unitPrice.currency`,
      isCatalogueItem(item) ? null : item.unitPrice.currency,
    ]),
  ]
  const foreign = given.find(([, code]) => code !== undefined && code !== null && code !== currency)
  if (foreign === undefined) return
  throw refuse('invalid_request', `${foreign[0]} must be the currency of the shop, ${currency}.`, { field: foreign[0] })
}

function totalsOf(input: OrderInput, sold: Sold[]): Totals {
  const totals = sumOrder(sold, {
    discount_cents: input.discount?.cents ?? 0,
    delivery_fee_cents: input.deliveryFee?.cents ?? 0,
    tax_cents: input.tax?.cents ?? 0,
  })
  if (!isProblem(totals)) return totals
  throw refuse('invalid_request', `${totals.field} ${totals.message}.`, { field: totals.field })
}

function paymentStatusOf(input: OrderInput, totals: Totals): PaymentStatus {
  if (totals.total_cents === 0 || input.paymentMethod === 'card') return 'paid'
  if (input.paymentMethod === 'paypal') return input.paymentStatus === 'pending' ? 'pending' : 'paid'
  return 'unpaid'
}

// Spec: delivery.method is null when no delivery is needed, and then every field of the address is null.
function deliveryOf({ delivery, address }: OrderInput, sold: Sold[]) {
  const pickup = delivery?.pickupLocation ?? null
  const isPhysical = sold.some(({ kind }) => kind === 'physical')
  const needed = isPhysical ? (pickup === null ? 'shipping' : 'collection') : null
  const method = delivery?.method ?? needed
  const to = method === null ? null : address
  return {
    delivery_method: method,
    delivery_label: delivery?.label ?? null,
    pickup_location: pickup,
    line1: to?.line1 ?? null,
    line2: to?.line2 ?? null,
    city: to?.city ?? null,
    region: to?.region ?? null,
    postal_code: to?.postalCode ?? null,
    country: to?.country ?? null,
  }
}

function toLine(item: Sold, position: number, totals: Totals, row: OrderFacts): OrderLineRow {
  return {
    order_id: row.id,
    position,
    id: randomUUID(),
    shop_id: row.shop_id,
    product_id: item.product_id,
    variant_id: item.variant_id,
    title: item.title,
    variant_label: item.variant_label,
    sku: item.sku,
    kind: item.kind,
    quantity: item.quantity,
    unit_price_cents: item.unit_price_cents,
    subtotal_cents: totals.line_subtotals[position] ?? 0,
  }
}
