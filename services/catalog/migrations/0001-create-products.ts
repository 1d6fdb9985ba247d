// The catalog schema. docs/spec/data-model.md#schema-catalog
// Every key begins with the shop. The checks repeat rules of the code: no stock below zero, no compare-at price at or below the
// price, no columns of another kind.
import type { QueryRunner } from 'typeorm'
import { outboxFailureTable } from '#outbox/failures'
import { outboxTable } from '#outbox/messages'
import { idempotencyTable } from '#postgres/idempotency'
import { pageVersions } from '#postgres/page-version'
import { watermarks } from '#postgres/watermark'

const products = `
  create table products (
    shop_id uuid not null,
    id uuid not null,
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    title text not null check (title <> ''),
    slug text not null check (slug <> ''),
    description text check (description <> ''),
    kind text not null check (kind in ('physical', 'digital', 'service', 'event', 'membership')),
    tags text[] not null check (cardinality(tags) <= 250),
    sku text check (sku <> ''),
    price_cents bigint not null check (price_cents between 0 and 9007199254740991),
    compare_at_cents bigint check (compare_at_cents <= 9007199254740991),
    track_inventory boolean not null,
    stock integer check (stock between 0 and 1000000000),
    continue_selling boolean not null,
    sold_out boolean not null default false,
    is_published boolean not null,
    is_featured boolean not null,
    booking_duration_minutes integer check (booking_duration_minutes > 0),
    booking_service_mode text check (booking_service_mode in ('in_person', 'online')),
    booking_lead_hours integer check (booking_lead_hours >= 0),
    event_starts_at timestamptz(3),
    membership_interval text check (membership_interval in ('month', 'year')),
    membership_trial_days integer check (membership_trial_days >= 0),
    list_document text not null,
    document text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (shop_id, id) include (updated_at),
    check (compare_at_cents > price_cents),
    check (track_inventory or stock is null),
    check (kind = 'service' or (booking_duration_minutes, booking_service_mode, booking_lead_hours) is null),
    check (kind = 'event' or event_starts_at is null),
    check (kind = 'membership' or (membership_interval, membership_trial_days) is null),
    check (updated_at >= created_at)
  );
  -- A document of up to a page stays in its row, uncompressed: a list reads no other table.
  alter table products alter document set storage external, alter list_document set storage external;
  alter table products set (toast_tuple_target = 8160);
  create unique index products_slug on products (shop_id, slug);
`

// Each list has its index, in the order of the list: (shop, filters, created_at, id). `updated_at` comes last, so that the index
// alone decides its ranges.
const lists = `
  create index products_newest on products (shop_id, created_at desc, id desc, updated_at);
  create index products_kind on products (shop_id, kind, created_at desc, id desc, updated_at);
  create index products_published on products (shop_id, is_published, created_at desc, id desc, updated_at);
  create index products_kind_published on products (shop_id, kind, is_published, created_at desc, id desc, updated_at);
  -- Finds few changed products of a shop. docs/spec/internals.md#changed-rows
  create index products_changed on products (shop_id, updated_at desc);
  ${pageVersions('catalog', 'products')}
  ${watermarks('catalog', 'products')}
`

const variants = `
  create table variants (
    shop_id uuid not null,
    id uuid not null,
    product_id uuid not null,
    place integer not null,
    sku text check (sku <> ''),
    options json not null check (json_typeof(options) = 'object'),
    options_digest text not null,
    price_cents bigint check (price_cents between 0 and 9007199254740991),
    stock integer check (stock between 0 and 1000000000),
    continue_selling boolean not null,
    sold_out boolean not null default false,
    primary key (shop_id, id),
    foreign key (shop_id, product_id) references products on delete cascade
  );
  create unique index variants_options on variants (shop_id, product_id, options_digest);
`

// Units that are taken for an order before it is written; see stock/reserve.ts.
const stock = `
  create table reservations (
    shop_id uuid not null,
    reservation_id uuid not null,
    state text not null check (state in ('taken', 'settled', 'returned')),
    items json not null,
    answer text,
    created_at timestamptz(3) not null,
    checked_at timestamptz(3),
    primary key (shop_id, reservation_id)
  );
  create index reservations_taken on reservations (created_at) where state = 'taken';
  create index reservations_over on reservations (created_at) where state <> 'taken';
`

// Imports find products by SKU and title (docs/spec/imports.md#shopify-orders). Each key of a file has the batch that wrote it and
// the result (docs/spec/imports.md#identity-and-re-import).
const imports = `
  create index products_sku on products (shop_id, sku) where sku is not null;
  create index products_title on products (shop_id, title);
  create index variants_sku on variants (shop_id, sku) where sku is not null;

  create table external_references (
    shop_id uuid not null,
    source text not null,
    kind text not null check (kind in ('product', 'variant')),
    key text not null,
    object_id uuid not null,
    digest bytea,
    batch uuid,
    told jsonb,
    primary key (shop_id, source, kind, key)
  );
  create index external_references_object on external_references (shop_id, object_id);
`

export class CreateProducts1764000000000 {
  name = 'CreateProducts1764000000000'

  async up(runner: QueryRunner): Promise<void> {
    const tables = [products, lists, variants, stock, imports, idempotencyTable, outboxTable, outboxFailureTable]
    for (const topic of tables) await runner.query(topic)
  }
}
