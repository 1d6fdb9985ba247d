// Computes a product after a command of the back office, as pure functions. docs/spec/back-office.md#products,
// docs/spec/objects.md#product-kinds
import { refuse } from '#contracts/errors'
import type { ProductChange, ProductInput } from '#contracts/input/product'
import type { StoredProduct } from '../tables.ts'
import { centsOf, replaceVariants } from './variants.ts'

type Columns = StoredProduct['product']
const NO_BOOKING = { booking_duration_minutes: null, booking_service_mode: null, booking_lead_hours: null }
const NO_EVENT = { event_starts_at: null }
const NO_MEMBERSHIP = { membership_interval: null, membership_trial_days: null }

type Facts = { id: string; shopId: string; currency: string; slug: string; now: Date }

/** A new product. Refuses as `changedProduct`, and invalid_request for a creation in the future. */
export function newProduct(input: ProductInput, { id, shopId, currency, slug, now }: Facts): StoredProduct {
  const created = input.createdAt ?? now
  if (created > now) throw refuse('invalid_request', 'createdAt must not lie in the future.', { field: 'createdAt' })
  const product: Columns = {
    id,
    shop_id: shopId,
    currency,
    title: input.title,
    slug,
    description: null,
    kind: 'physical',
    tags: [],
    sku: null,
    price_cents: 0,
    compare_at_cents: null,
    track_inventory: false,
    stock: null,
    continue_selling: false,
    sold_out: false,
    is_published: true,
    is_featured: false,
    ...NO_BOOKING,
    ...NO_EVENT,
    ...NO_MEMBERSHIP,
    created_at: created,
    updated_at: now,
  }
  return changedProduct({ product, variants: [] }, { ...input, slug })
}

/** The product after a change, `updated_at` aside. Refuses invalid_request naming the field. */
export function changedProduct(
  { product: row, variants: before }: StoredProduct,
  change: ProductChange,
): StoredProduct {
  const isTracked = change.trackInventory ?? row.track_inventory
  if (!isTracked && typeof change.stock === 'number') {
    throw refuse('invalid_request', 'stock must be null unless trackInventory is true.', { field: 'stock' })
  }
  const price_cents = change.price === undefined ? row.price_cents : centsOf(change.price, 'price', row.currency)
  const product: Columns = {
    ...row,
    title: change.title ?? row.title,
    slug: change.slug ?? row.slug,
    description: change.description === undefined ? row.description : change.description,
    tags: change.tags ?? row.tags,
    price_cents,
    compare_at_cents: compareAtOf(row, price_cents, change.compareAt),
    track_inventory: isTracked,
    // docs/spec/objects.md#stock-and-availability
    sold_out: row.sold_out && isTracked === row.track_inventory && (change.stock ?? row.stock) === row.stock,
    is_published: change.isPublished ?? row.is_published,
    is_featured: change.isFeatured ?? row.is_featured,
    ...kindColumns(row, change),
  }
  const variants = replaceVariants(product, before, change.variants)
  const hasOwnStock = isTracked && variants.length === 0
  return { product: { ...product, stock: hasOwnStock ? (change.stock ?? row.stock ?? 0) : null }, variants }
}

function compareAtOf(row: Columns, price_cents: number, sent: ProductChange['compareAt']): number | null {
  if (sent === null) return null
  const cents = sent === undefined ? row.compare_at_cents : centsOf(sent, 'compareAt', row.currency)
  return cents !== null && cents > price_cents ? cents : null
}

// The kind and its own columns; those of other kinds are cleared.
function kindColumns(row: Columns, change: ProductChange) {
  const kind = change.kind ?? row.kind
  const { booking, event, membership } = change
  if (kind !== 'service') refuseForeign('booking', 'service', booking)
  if (kind !== 'event') refuseForeign('event', 'event', event)
  if (kind !== 'membership') refuseForeign('membership', 'membership', membership)
  return {
    kind,
    ...(kind === 'service' && booking !== null ? bookingOf(row, booking ?? {}) : NO_BOOKING),
    ...(kind === 'event' && event !== null
      ? { event_starts_at: sentOr(event?.startsAt, row.event_starts_at) }
      : NO_EVENT),
    ...(kind === 'membership' && membership !== null ? membershipOf(row, membership ?? {}) : NO_MEMBERSHIP),
  }
}

function refuseForeign(field: string, kind: string, sent: object | null | undefined): void {
  if (sent === null || sent === undefined) return
  throw refuse('invalid_request', `${field} must be null unless kind is ${kind}.`, { field })
}

function bookingOf(row: Columns, sent: NonNullable<ProductChange['booking']>) {
  return {
    booking_duration_minutes: sentOr(sent.durationMinutes, row.booking_duration_minutes),
    booking_service_mode: sentOr(sent.serviceMode, row.booking_service_mode),
    booking_lead_hours: sentOr(sent.leadHours, row.booking_lead_hours),
  }
}

function membershipOf(row: Columns, sent: NonNullable<ProductChange['membership']>) {
  return {
    membership_interval: sentOr(sent.interval, row.membership_interval),
    membership_trial_days: sentOr(sent.trialDays, row.membership_trial_days),
  }
}

// Null clears; undefined was not sent.
function sentOr<Value>(sent: Value | null | undefined, stored: Value | null): Value | null {
  return sent === undefined ? stored : sent
}
