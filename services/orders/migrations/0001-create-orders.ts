// The orders schema. docs/spec/data-model.md#schema-orders
// Every key begins with the shop, so a line, a move or a dispute cannot belong to an order of another shop.
import type { QueryRunner } from 'typeorm'
import { eventTable } from '#outbox/event-table'
import { outboxFailureTable } from '#outbox/failures'
import { outboxTable } from '#outbox/messages'
import { idempotencyTable } from '#postgres/idempotency'
import { pageVersions } from '#postgres/page-version'
import { watermarks } from '#postgres/watermark'

const order = `
  create table orders (
    shop_id uuid not null,
    id uuid not null,
    status text not null check (status in ('new', 'confirmed', 'shipped', 'completed', 'cancelled', 'refunded')),
    payment_status text not null check (payment_status in ('unpaid', 'pending', 'paid', 'refunded', 'disputed')),
    payment_method text not null check (payment_method in ('card', 'bank_transfer', 'cod', 'paypal', 'venmo',
      'whatsapp', 'telegram', 'instagram', 'email', 'phone')),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    subtotal_cents bigint not null check (subtotal_cents between 0 and 9007199254740991),
    discount_cents bigint not null check (discount_cents between 0 and 9007199254740991),
    delivery_fee_cents bigint not null check (delivery_fee_cents between 0 and 9007199254740991),
    tax_cents bigint not null check (tax_cents between 0 and 9007199254740991),
    total_cents bigint not null check (total_cents between 0 and 9007199254740991),
    refunded_cents bigint not null check (refunded_cents between 0 and 9007199254740991),
    item_count integer not null check (item_count > 0),
    client_id uuid,
    customer_name text,
    customer_email text,
    email_key text,
    customer_phone text,
    line1 text,
    line2 text,
    city text,
    region text,
    postal_code text,
    country text,
    delivery_method text check (delivery_method in ('shipping', 'collection')),
    delivery_label text,
    pickup_location text,
    tracking_carrier text,
    tracking_number text,
    tracking_url text,
    shipped_at timestamptz(3),
    has_booking boolean not null,
    scheduled_for timestamptz(3),
    service_mode text check (service_mode in ('in_person', 'online')),
    service_location text,
    coupon_code text,
    affiliate_code text,
    note text,
    private_note text,
    event_seq bigint not null default 0,
    document text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (shop_id, id) include (updated_at),
    constraint orders_sum check (subtotal_cents - discount_cents + delivery_fee_cents + tax_cents = total_cents),
    constraint orders_discount check (discount_cents <= subtotal_cents),
    constraint orders_refunded check (refunded_cents <= total_cents),
    constraint orders_refunded_whole check (payment_status <> 'refunded' or refunded_cents = total_cents),
    constraint orders_shipped check (status <> 'shipped' or shipped_at is not null),
    constraint orders_booking check (has_booking or num_nonnulls(scheduled_for, service_mode, service_location) = 0),
    constraint orders_email_key check ((customer_email is null) = (email_key is null)),
    constraint orders_time check (created_at <= updated_at),
    constraint orders_no_empty_text check ('' <> all (array[customer_name, customer_email, customer_phone, line1,
      line2, city, region, postal_code, country, delivery_label, pickup_location, tracking_carrier, tracking_number,
      tracking_url, service_location, coupon_code, affiliate_code, note, private_note]))
  );
  -- A document of up to a page stays in its row, uncompressed: a list reads no other table.
  alter table orders alter document set storage external;
  alter table orders set (toast_tuple_target = 8160);
`

// Each list has its index, in the order of the list: (shop, filters, created_at, id). `updated_at` comes last, so that the index
// alone decides its ranges.
const lists = `
  create index orders_newest on orders (shop_id, created_at desc, id desc, updated_at);
  create index orders_status on orders (shop_id, status, created_at desc, id desc, updated_at);
  create index orders_payment_status on orders (shop_id, payment_status, created_at desc, id desc, updated_at);
  create index orders_both_statuses on orders (shop_id, status, payment_status, created_at desc, id desc, updated_at);
  create index orders_email on orders (shop_id, email_key, created_at desc, id desc, updated_at);
  create index orders_contact on orders (shop_id, client_id, created_at desc, id desc) where client_id is not null;
  -- Finds few changed orders of a shop. docs/spec/internals.md#changed-rows
  create index orders_changed on orders (shop_id, updated_at desc);
  -- Erasing a person finds orders of guests by phone; see erasure/on-contact-erased.ts.
  create index orders_guest_phone on orders (shop_id, customer_phone)
    where client_id is null and customer_phone is not null;
  ${pageVersions('orders', 'orders')}
  ${watermarks('orders', 'orders')}
`

const lines = `
  create table order_lines (
    shop_id uuid not null,
    order_id uuid not null,
    position integer not null check (position >= 0),
    id uuid not null,
    product_id uuid,
    variant_id uuid,
    title text not null check (title <> ''),
    variant_label text check (variant_label <> ''),
    sku text check (sku <> ''),
    kind text not null check (kind in ('physical', 'digital', 'service', 'event', 'membership')),
    quantity integer not null check (quantity > 0),
    unit_price_cents bigint not null check (unit_price_cents between 0 and 9007199254740991),
    subtotal_cents bigint not null check (subtotal_cents between 0 and 9007199254740991),
    primary key (shop_id, order_id, position),
    foreign key (shop_id, order_id) references orders on delete cascade,
    constraint order_lines_variant check (variant_id is null or product_id is not null),
    constraint order_lines_subtotal check (unit_price_cents::numeric * quantity = subtotal_cents)
  );
  create index order_lines_product on order_lines (shop_id, product_id) where product_id is not null;

  create table forgotten_products (
    shop_id uuid not null,
    product_id uuid not null,
    forgotten_at timestamptz(3) not null,
    primary key (shop_id, product_id)
  );
`

const moves = `
  create table order_history (
    shop_id uuid not null,
    order_id uuid not null,
    position integer not null check (position > 0),
    at timestamptz(3) not null,
    who text not null check (who <> ''),
    move text not null check (move <> ''),
    from_status text,
    to_status text not null,
    from_payment_status text,
    to_payment_status text not null,
    amount_cents bigint check (amount_cents >= 0),
    primary key (shop_id, order_id, position),
    foreign key (shop_id, order_id) references orders on delete cascade,
    constraint order_history_from check ((from_status is null) = (from_payment_status is null))
  );

  create table disputes (
    shop_id uuid not null,
    id uuid not null,
    order_id uuid not null,
    amount_cents bigint not null check (amount_cents between 0 and 9007199254740991),
    reason text check (reason <> ''),
    state text not null check (state in ('open', 'won', 'lost')),
    opened_at timestamptz(3) not null,
    closed_at timestamptz(3),
    primary key (shop_id, id),
    foreign key (shop_id, order_id) references orders on delete cascade,
    constraint disputes_closed check ((state = 'open') = (closed_at is null))
  );
  create unique index disputes_open on disputes (shop_id, order_id) where state = 'open';
  create index disputes_newest on disputes (shop_id, order_id, closed_at desc nulls first);
`

// Repeated calls and imports: the order that is being placed under an Idempotency-Key (place/intent.ts), kept answers, and keys of
// imported files, with the batch that wrote each and its result (docs/spec/imports.md#identity-and-re-import).
const repetition = `
  create table order_intents (
    shop_id uuid not null,
    key_digest bytea not null check (octet_length(key_digest) = 32),
    fingerprint text not null,
    order_id uuid not null,
    created_at timestamptz(3) not null,
    primary key (shop_id, key_digest, fingerprint)
  );
  create index order_intents_age on order_intents (created_at);

  create table external_references (
    shop_id uuid not null,
    source text not null,
    kind text not null check (kind in ('order', 'refund')),
    key text not null,
    object_id uuid not null,
    digest bytea not null,
    batch uuid,
    told jsonb,
    primary key (shop_id, source, kind, key),
    foreign key (shop_id, object_id) references orders on delete cascade
  );
  create index external_references_object on external_references (shop_id, object_id);

  ${idempotencyTable}
`

export class CreateOrders1764000000000 {
  name = 'CreateOrders1764000000000'

  async up(runner: QueryRunner): Promise<void> {
    for (const topic of [order, lists, lines, moves, repetition, eventTable, outboxTable, outboxFailureTable]) {
      await runner.query(topic)
    }
  }
}
