// The rows of an archive, part by part: tables, columns and the types of their values. docs/spec/archives.md#parts
// Services read and write rows by these lists, and `storefront archive verify` checks a file by them.

/**
 * `id`: a UUID that becomes another one in a restore with new ids. `event_id`: the same of an event, whose instant stays. `digest`: bytes that
 * no two shops may share. `key`: a UUID that stays. `bytes`: `\x` and hex digits. `instant`: in RFC 3339 form.
 */
export type ColumnType =
  | 'id'
  | 'event_id'
  | 'key'
  | 'text'
  | 'integer'
  | 'boolean'
  | 'instant'
  | 'texts'
  | 'object'
  | 'bytes'
  | 'digest'
type Columns = Readonly<Record<string, ColumnType>>

/**
 * Rows that belong to a row of a part: `of` is their column with its id, `order` that of their list. `through`: the column may also have the
 * id of one of these rows of it, so it is among the columns.
 */
export type InnerRows = {
  table: string
  of: string
  through?: { table: string; of: string }
  order: readonly string[]
  columns: Columns
}
/** `key`: the column by which rows are ordered and asked for; null where a shop has one row. */
export type RowsFormat = {
  table: string
  key: string | null
  columns: Columns
  inner?: Readonly<Record<string, InnerRows>>
}

const reference: Columns = { source: 'text', kind: 'text', key: 'text', digest: 'bytes', batch: 'key', told: 'object' }
const referenceOrder = ['source', 'kind', 'key']

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

export const orderRows: RowsFormat = {
  table: 'orders',
  key: 'id',
  columns: {
    id: 'id',
    status: 'text',
    payment_status: 'text',
    payment_method: 'text',
    currency: 'text',
    subtotal_cents: 'integer',
    discount_cents: 'integer',
    delivery_fee_cents: 'integer',
    tax_cents: 'integer',
    total_cents: 'integer',
    refunded_cents: 'integer',
    item_count: 'integer',
    client_id: 'id',
    customer_name: 'text',
    customer_email: 'text',
    email_key: 'text',
    customer_phone: 'text',
    line1: 'text',
    line2: 'text',
    city: 'text',
    region: 'text',
    postal_code: 'text',
    country: 'text',
    delivery_method: 'text',
    delivery_label: 'text',
    pickup_location: 'text',
    tracking_carrier: 'text',
    tracking_number: 'text',
    tracking_url: 'text',
    shipped_at: 'instant',
    has_booking: 'boolean',
    scheduled_for: 'instant',
    service_mode: 'text',
    service_location: 'text',
    coupon_code: 'text',
    affiliate_code: 'text',
    note: 'text',
    private_note: 'text',
    event_seq: 'integer',
    created_at: 'instant',
    updated_at: 'instant',
  },
  inner: {
    lines: {
      table: 'order_lines',
      of: 'order_id',
      order: ['position'],
      columns: {
        position: 'integer',
        id: 'id',
        product_id: 'id',
        variant_id: 'id',
        title: 'text',
        variant_label: 'text',
        sku: 'text',
        kind: 'text',
        quantity: 'integer',
        unit_price_cents: 'integer',
        subtotal_cents: 'integer',
      },
    },
    history: {
      table: 'order_history',
      of: 'order_id',
      order: ['position'],
      columns: {
        position: 'integer',
        at: 'instant',
        who: 'text',
        move: 'text',
        from_status: 'text',
        to_status: 'text',
        from_payment_status: 'text',
        to_payment_status: 'text',
        amount_cents: 'integer',
      },
    },
    disputes: {
      table: 'disputes',
      of: 'order_id',
      order: ['opened_at', 'id'],
      columns: {
        id: 'id',
        amount_cents: 'integer',
        reason: 'text',
        state: 'text',
        opened_at: 'instant',
        closed_at: 'instant',
      },
    },
    references: { table: 'external_references', of: 'object_id', order: referenceOrder, columns: reference },
  },
}

export const forgottenProductRows: RowsFormat = {
  table: 'forgotten_products',
  key: 'product_id',
  columns: { product_id: 'id', forgotten_at: 'instant' },
}

export const subscriptionRows: RowsFormat = {
  table: 'subscriptions',
  key: 'id',
  columns: {
    id: 'id',
    status: 'text',
    product_id: 'id',
    client_id: 'id',
    price_cents: 'integer',
    currency: 'text',
    interval: 'text',
    billing_mode: 'text',
    payment_method: 'text',
    anchor_at: 'instant',
    periods: 'integer',
    current_period_end: 'instant',
    cancel_at_period_end: 'boolean',
    canceled_at: 'instant',
    trial_ends_at: 'instant',
    started_at: 'instant',
    event_seq: 'integer',
    created_at: 'instant',
    updated_at: 'instant',
  },
  inner: {
    history: {
      table: 'subscription_history',
      of: 'subscription_id',
      order: ['position'],
      columns: {
        position: 'integer',
        at: 'instant',
        who: 'text',
        move: 'text',
        from_status: 'text',
        to_status: 'text',
      },
    },
    timers: {
      table: 'timers',
      of: 'subscription_id',
      order: ['due_at'],
      columns: { move: 'text', due_at: 'instant' },
    },
  },
}

export const subscriptionSettingsRows: RowsFormat = {
  table: 'shop_settings',
  key: null,
  columns: { unrecovered: 'text' },
}

export const contactRows: RowsFormat = {
  table: 'contacts',
  key: 'id',
  columns: {
    id: 'id',
    name: 'text',
    email: 'text',
    email_key: 'text',
    phone: 'text',
    tags: 'texts',
    source: 'text',
    marketing_consent_at: 'instant',
    line1: 'text',
    line2: 'text',
    city: 'text',
    region: 'text',
    postal_code: 'text',
    country: 'text',
    private_note: 'text',
    created_at: 'instant',
    updated_at: 'instant',
  },
  inner: {
    consents: {
      table: 'consents',
      of: 'contact_id',
      order: ['at', 'kind', 'source', 'id'],
      columns: {
        id: 'id',
        kind: 'text',
        email: 'text',
        at: 'instant',
        address: 'text',
        agent: 'text',
        text_version: 'text',
        source: 'text',
      },
    },
    opt_in_requests: {
      table: 'opt_in_requests',
      of: 'contact_id',
      order: ['created_at', 'expires_at', 'id'],
      columns: {
        id: 'id',
        mailbox: 'text',
        email: 'text',
        shop_name: 'text',
        source: 'text',
        token_digest: 'digest',
        created_at: 'instant',
        expires_at: 'instant',
        sent_at: 'instant',
        confirmed_at: 'instant',
        voided_at: 'instant',
      },
    },
    references: { table: 'external_references', of: 'object_id', order: referenceOrder, columns: reference },
  },
}

export const suppressedMailboxRows: RowsFormat = {
  table: 'suppressed_mailboxes',
  key: 'mailbox_digest',
  columns: { mailbox_digest: 'bytes', created_at: 'instant' },
}

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
