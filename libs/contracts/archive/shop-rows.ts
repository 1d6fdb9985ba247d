// The rows of a shop, its products, endpoints and events in an archive. docs/spec/archives.md#parts
import { reference, referenceOrder, type RowsFormat } from './rows.ts'

export const shopRows: RowsFormat = {
  table: 'shops',
  key: null,
  columns: {
    id: 'id',
    handle: 'text',
    name: 'text',
    currency: 'text',
    time_zone: 'text',
    country: 'text',
    owner_email: 'text',
    plan: 'text',
    mode: 'text',
    created_at: 'instant',
    updated_at: 'instant',
  },
}

export const endpointRows: RowsFormat = {
  table: 'endpoints',
  key: 'id',
  columns: {
    id: 'id',
    url: 'text',
    events: 'texts',
    description: 'text',
    disabled_reason: 'text',
    disabled_at: 'instant',
    created_at: 'instant',
    updated_at: 'instant',
  },
}

/** Not a table: the signing secrets of the endpoints, as `whsec_…`. */
export const secretRows: RowsFormat = {
  table: 'endpoints',
  key: 'id',
  columns: { id: 'id', secret: 'text', old_secret: 'text', old_secret_until: 'instant' },
}

export const eventRows: RowsFormat = {
  table: 'events',
  key: 'position',
  columns: {
    position: 'integer',
    id: 'event_id',
    object_id: 'id',
    sequence: 'integer',
    type: 'text',
    happened_at: 'instant',
    body: 'text',
  },
}

export const feedRows: RowsFormat = { table: 'feeds', key: null, columns: { position: 'integer' } }

export const productRows: RowsFormat = {
  table: 'products',
  key: 'id',
  columns: {
    id: 'id',
    currency: 'text',
    title: 'text',
    slug: 'text',
    description: 'text',
    kind: 'text',
    tags: 'texts',
    sku: 'text',
    price_cents: 'integer',
    compare_at_cents: 'integer',
    track_inventory: 'boolean',
    stock: 'integer',
    continue_selling: 'boolean',
    sold_out: 'boolean',
    is_published: 'boolean',
    is_featured: 'boolean',
    booking_duration_minutes: 'integer',
    booking_service_mode: 'text',
    booking_lead_hours: 'integer',
    event_starts_at: 'instant',
    membership_interval: 'text',
    membership_trial_days: 'integer',
    created_at: 'instant',
    updated_at: 'instant',
  },
  inner: {
    variants: {
      table: 'variants',
      of: 'product_id',
      order: ['place', 'id'],
      columns: {
        id: 'id',
        place: 'integer',
        sku: 'text',
        options: 'object',
        options_digest: 'text',
        price_cents: 'integer',
        stock: 'integer',
        continue_selling: 'boolean',
        sold_out: 'boolean',
      },
    },
    references: {
      table: 'external_references',
      of: 'object_id',
      through: { table: 'variants', of: 'product_id' },
      order: referenceOrder,
      columns: { object_id: 'id', ...reference },
    },
  },
}
