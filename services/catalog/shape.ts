// Builds the wire objects of products from their rows. docs/spec/objects.md#product, docs/spec/objects.md#variant
// The JSON is stored with the row, for the detail and without variants for the list. docs/spec/data-model.md#documents
import type { ExportedProduct } from '#contracts/objects/exported'
import type { Product, Variant } from '#contracts/objects/product'
import { toMoney } from '#money/money'
import { canBuy, inStock, shownStock } from './stock/stock.ts'
import type { StoredProduct, VariantRow } from './tables.ts'

type Columns = StoredProduct['product']

export function toProduct(stored: StoredProduct): Product {
  const { product: row, variants } = stored
  return {
    id: row.id,
    object: 'product',
    title: row.title,
    slug: row.slug,
    description: row.description,
    kind: row.kind,
    tags: row.tags,
    price: toMoney(row.price_cents, row.currency),
    compareAt: toCompareAt(row),
    trackInventory: row.track_inventory,
    stock: shownStock(stored),
    inStock: inStock(stored),
    isPublished: row.is_published,
    isFeatured: row.is_featured,
    booking: row.kind === 'service' ? toBooking(row) : null,
    event: row.kind === 'event' ? { startsAt: row.event_starts_at?.toISOString() ?? null } : null,
    membership: row.kind === 'membership' ? toMembership(row) : null,
    variants: variants.map((variant) => toVariant(variant, row)),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** The wire JSON of a product, as it is stored: for the detail and for the list. */
export function documentsOf(stored: StoredProduct): { document: string; list_document: string } {
  const product = toProduct(stored)
  return { document: JSON.stringify(product), list_document: JSON.stringify({ ...product, variants: [] }) }
}

/** The product as exports have it: with the columns that the API does not show. docs/spec/imports.md#export */
export function toExportedProduct(stored: StoredProduct): ExportedProduct {
  const { product: row, variants } = stored
  const published = toProduct(stored)
  return {
    ...published,
    sku: row.sku,
    continueSelling: row.continue_selling,
    soldOut: row.sold_out,
    variants: variants.map((variant) => ({
      ...toVariant(variant, row),
      inheritsPrice: variant.price_cents === null,
      continueSelling: variant.continue_selling,
      soldOut: variant.sold_out,
    })),
  }
}

export function toDeletedProduct(id: string) {
  return { id, object: 'product', deleted: true }
}

function toVariant(variant: VariantRow, { track_inventory, price_cents, currency }: Columns): Variant {
  return {
    id: variant.id,
    sku: variant.sku,
    options: variant.options,
    price: toMoney(variant.price_cents ?? price_cents, currency),
    stock: track_inventory ? (variant.stock ?? 0) : null,
    isAvailable: canBuy(track_inventory, variant),
  }
}

// Null unless it is above the price.
function toCompareAt({ compare_at_cents, price_cents, currency }: Columns) {
  return compare_at_cents !== null && compare_at_cents > price_cents ? toMoney(compare_at_cents, currency) : null
}

function toBooking(row: Columns) {
  return {
    durationMinutes: row.booking_duration_minutes,
    serviceMode: row.booking_service_mode,
    leadHours: row.booking_lead_hours,
  }
}

function toMembership(row: Columns) {
  return { interval: row.membership_interval, trialDays: row.membership_trial_days }
}
