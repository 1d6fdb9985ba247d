// Owns what a body of the back office does to a product, as pure functions: a new entry, or the entry afterwards.
// Back office: POST and PATCH /shops/{shop}/products. Spec: product ("the kind decides which optional object is present").
// A field that is not sent stays; so does a field of booking, event or membership.
import { refuse } from '#contracts/errors'
import type { ProductChange, ProductInput } from '#contracts/input/product'
import { centsOf } from './price.ts'
import type { Entry } from '../tables.ts'
import { replaceVariants } from './variants.ts'

type Columns = Entry['product']
type Facts = { id: string; shopId: string; currency: string; slug: string; now: Date }

/** A product that did not exist: physical, published, not counted and not featured unless the body says otherwise. */
export function newEntry(input: ProductInput, { id, shopId, currency, slug, now }: Facts): Entry {
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
    ...noBooking,
    ...noEvent,
    ...noMembership,
    created_at: created,
    updated_at: now,
  }
  return changeEntry({ product, variants: [] }, { ...input, slug })
}

/** The entry after the change; `updated_at` is left to whoever saves it. Refuses invalid_request naming the field. */
export function changeEntry({ product: row, variants: before }: Entry, change: ProductChange): Entry {
  const isCounted = change.trackInventory ?? row.track_inventory
  if (!isCounted && typeof change.stock === 'number') {
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
    track_inventory: isCounted,
    // Whoever changes the stock here says that it is for sale again.
    sold_out: row.sold_out && isCounted === row.track_inventory && (change.stock ?? row.stock) === row.stock,
    is_published: change.isPublished ?? row.is_published,
    is_featured: change.isFeatured ?? row.is_featured,
    ...ofKind(row, change),
  }
  const variants = replaceVariants(product, before, change.variants)
  const hasOwnStock = isCounted && variants.length === 0
  return { product: { ...product, stock: hasOwnStock ? (change.stock ?? row.stock ?? 0) : null }, variants }
}

const noBooking = { booking_duration_minutes: null, booking_service_mode: null, booking_lead_hours: null }
const noEvent = { event_starts_at: null }
const noMembership = { membership_interval: null, membership_trial_days: null }

function compareAtOf(row: Columns, price_cents: number, sent: ProductChange['compareAt']): number | null {
  if (sent === null) return null
  const cents = sent === undefined ? row.compare_at_cents : centsOf(sent, 'compareAt', row.currency)
  return cents !== null && cents > price_cents ? cents : null
}

/** The kind, and the columns that only one kind has: those of the others are cleared. */
function ofKind(row: Columns, change: ProductChange) {
  const kind = change.kind ?? row.kind
  const { booking, event, membership } = change
  if (kind !== 'service') refuseForeign('booking', 'service', booking)
  if (kind !== 'event') refuseForeign('event', 'event', event)
  if (kind !== 'membership') refuseForeign('membership', 'membership', membership)
  return {
    kind,
    ...(kind === 'service' && booking !== null ? bookingOf(row, booking ?? {}) : noBooking),
    ...(kind === 'event' && event !== null
      ? { event_starts_at: sentOr(event?.startsAt, row.event_starts_at) }
      : noEvent),
    ...(kind === 'membership' && membership !== null ? membershipOf(row, membership ?? {}) : noMembership),
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

/** Null was sent to clear; undefined was not sent. */
function sentOr<Value>(sent: Value | null | undefined, stored: Value | null): Value | null {
  return sent === undefined ? stored : sent
}
