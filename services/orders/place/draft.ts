// The rows of a new order, as a pure function of body, buyer and what was sold. docs/spec/order-states.md#place
import { randomUUID } from 'node:crypto'
import { refuse } from '#contracts/errors'
import type { PaymentStatus } from '#contracts/objects/order'
import type { CatalogueItem, FreeItem, OrderInput } from '#contracts/input/order'
import { type Charges, orderTotals } from '#money/order-totals'
import type { Buyer, SoldItem } from '../clients.ts'
import { type Draft, emailKey, type OrderFacts } from '../tables.ts'

/** What a line sells, from the catalogue or from the body. */
export type Sold = Omit<SoldItem, 'product_id'> & { product_id: string | null; quantity: number }

type Facts = { id: string; shopId: string; currency: string; buyer: Buyer; sold: Sold[]; now: Date }

/** Refuses invalid_request naming the field, where an amount is too large or the discount exceeds the subtotal. */
export function draftOrder(input: OrderInput, facts: Facts): Draft {
  const { id, shopId, currency, buyer, sold, now } = facts
  const { line_subtotals: lineSubtotals, ...totals } = orderTotals(sold, chargesOf(input))
  const email = input.customer?.email ?? null
  const createdAt = input.createdAt ?? now
  const row: OrderFacts = {
    id,
    shop_id: shopId,
    status: 'new',
    payment_status: paymentStatusOf(input, totals.total_cents),
    payment_method: input.paymentMethod,
    currency,
    ...totals,
    refunded_cents: 0,
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
    // Lists with a filter on `updated_at` rely on created_at <= updated_at.
    updated_at: createdAt > now ? createdAt : now,
  }
  const lines = sold.map((item, position) => ({
    ...item,
    order_id: id,
    position,
    id: randomUUID(),
    shop_id: shopId,
    subtotal_cents: lineSubtotals[position] ?? 0,
  }))
  return { row, lines }
}

export function isCatalogueItem(item: OrderInput['items'][number]): item is CatalogueItem {
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

/** What the order comes to without the items of the catalogue. Refuses invalid_request naming a free-form item or `items`. */
export function amountsOf(input: OrderInput): Charges & { free_cents: number } {
  const unpriced = { discount_cents: 0, delivery_fee_cents: 0, tax_cents: 0 }
  const lines = input.items.map((item) => ({
    quantity: item.quantity,
    unit_price_cents: isCatalogueItem(item) ? 0 : item.unitPrice.cents,
  }))
  return { ...chargesOf(input), free_cents: orderTotals(lines, unpriced).subtotal_cents }
}

/** Refuses invalid_request for an amount, or the order, in another currency than the shop's. */
export function refuseForeignCurrency(input: OrderInput, currency: string): void {
  const currencies: [string, string | null | undefined][] = [
    ['currency', input.currency],
    ['discount.currency', input.discount?.currency],
    ['deliveryFee.currency', input.deliveryFee?.currency],
    ['tax.currency', input.tax?.currency],
    ...input.items.map((item, index): [string, string | null | undefined] => [
      `items[${index}].unitPrice.currency`,
      isCatalogueItem(item) ? null : item.unitPrice.currency,
    ]),
  ]
  const foreign = currencies.find(([, code]) => code !== undefined && code !== null && code !== currency)
  if (foreign === undefined) return
  const [field] = foreign
  throw refuse('invalid_request', `${field} must be the currency of the shop, ${currency}.`, { field })
}

function chargesOf({ discount, deliveryFee, tax }: OrderInput): Charges {
  return {
    discount_cents: discount?.cents ?? 0,
    delivery_fee_cents: deliveryFee?.cents ?? 0,
    tax_cents: tax?.cents ?? 0,
  }
}

function paymentStatusOf(input: OrderInput, totalCents: number): PaymentStatus {
  if (totalCents === 0 || input.paymentMethod === 'card') return 'paid'
  if (input.paymentMethod === 'paypal') return input.paymentStatus === 'pending' ? 'pending' : 'paid'
  return 'unpaid'
}

// Without a delivery method every field of the address is null.
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
