// The first version of the catalog schema. docs/spec/data-model.md#schema-catalog
// Each list has an index in the order of the list: (shop, filter, created_at, id). The checks repeat rules of the code: no stock
// below zero, no compare-at price at or below the price, no columns of another kind.
import type { QueryRunner } from 'typeorm'
import { outboxTable } from '#outbox/messages'
import { idempotencyTable } from '#postgres/idempotency'

export class CreateProducts1763600000003 {
  name = 'CreateProducts1763600000003'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table products (
        id uuid primary key,
        shop_id uuid not null,
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
        check (compare_at_cents > price_cents),
        check (track_inventory or stock is null),
        check (kind = 'service' or (booking_duration_minutes, booking_service_mode, booking_lead_hours) is null),
        check (kind = 'event' or event_starts_at is null),
        check (kind = 'membership' or (membership_interval, membership_trial_days) is null),
        check (updated_at >= created_at)
      );
      alter table products alter document set storage external, alter list_document set storage external;
      alter table products set (toast_tuple_target = 8160);
      create unique index products_slug on products (shop_id, slug);
      create index products_newest on products (shop_id, created_at desc, id desc, updated_at);
      create index products_kind on products (shop_id, kind, created_at desc, id desc, updated_at);
      create index products_published on products (shop_id, is_published, created_at desc, id desc, updated_at);
      create index products_kind_published
        on products (shop_id, kind, is_published, created_at desc, id desc, updated_at);

      create table variants (
        id uuid primary key,
        shop_id uuid not null,
        product_id uuid not null references products on delete cascade,
        place integer not null,
        sku text check (sku <> ''),
        options json not null check (json_typeof(options) = 'object'),
        options_digest text not null,
        price_cents bigint check (price_cents between 0 and 9007199254740991),
        stock integer check (stock between 0 and 1000000000),
        continue_selling boolean not null
      );
      create unique index variants_options on variants (product_id, options_digest);

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

      create table external_references (
        shop_id uuid not null,
        source text not null,
        kind text not null check (kind in ('product', 'variant')),
        key text not null,
        object_id uuid not null,
        digest bytea,
        primary key (shop_id, source, kind, key)
      );
      create index external_references_object on external_references (object_id);

      ${idempotencyTable}
      ${outboxTable}
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table outbox, idempotent_answers, external_references, reservations, variants, products')
  }
}
