// The first version of the orders schema. docs/spec/data-model.md#schema-orders
// Each list has its index, in the order of the list: (shop, filters, created_at, id). `updated_at` comes last, so that the
// index alone decides its ranges.
import type { QueryRunner } from 'typeorm'
import { outboxTable } from '#outbox/messages'
import { idempotencyTable } from '#postgres/idempotency'

export class CreateOrders1763600000002 {
  name = 'CreateOrders1763600000002'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table orders (
        id uuid primary key,
        shop_id uuid not null,
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
        customer_name text, customer_email text, email_key text, customer_phone text,
        line1 text, line2 text, city text, region text, postal_code text, country text,
        delivery_method text check (delivery_method in ('shipping', 'collection')),
        delivery_label text, pickup_location text,
        tracking_carrier text, tracking_number text, tracking_url text,
        shipped_at timestamptz(3),
        has_booking boolean not null,
        scheduled_for timestamptz(3),
        service_mode text check (service_mode in ('in_person', 'online')),
        service_location text,
        coupon_code text, affiliate_code text,
        note text, private_note text,
        event_seq bigint not null default 0,
        document text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
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
      alter table orders alter document set storage external;
      alter table orders set (toast_tuple_target = 8160);
      create index orders_newest on orders (shop_id, created_at desc, id desc, updated_at);
      create index orders_status on orders (shop_id, status, created_at desc, id desc, updated_at);
      create index orders_payment_status on orders (shop_id, payment_status, created_at desc, id desc, updated_at);
      create index orders_both_statuses on orders
        (shop_id, status, payment_status, created_at desc, id desc, updated_at);
      create index orders_email on orders (shop_id, email_key, created_at desc, id desc, updated_at);
      create index orders_contact on orders (shop_id, client_id, created_at desc, id desc) where client_id is not null;

      create table order_lines (
        order_id uuid not null references orders on delete cascade,
        position integer not null check (position >= 0),
        id uuid not null,
        shop_id uuid not null,
        product_id uuid,
        variant_id uuid,
        title text not null check (title <> ''),
        variant_label text check (variant_label <> ''),
        sku text check (sku <> ''),
        kind text not null check (kind in ('physical', 'digital', 'service', 'event', 'membership')),
        quantity integer not null check (quantity > 0),
        unit_price_cents bigint not null check (unit_price_cents between 0 and 9007199254740991),
        subtotal_cents bigint not null check (subtotal_cents between 0 and 9007199254740991),
        primary key (order_id, position),
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

      create table external_references (
        shop_id uuid not null,
        source text not null,
        kind text not null check (kind in ('order', 'refund')),
        key text not null,
        object_id uuid not null references orders on delete cascade,
        digest bytea not null,
        primary key (shop_id, source, kind, key)
      );
      create index external_references_object on external_references (object_id);

      ${idempotencyTable}
      ${outboxTable}
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop table outbox, idempotent_answers, external_references, forgotten_products, order_lines, orders',
    )
  }
}
