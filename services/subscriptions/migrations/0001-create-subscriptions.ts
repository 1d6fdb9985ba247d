// The subscriptions schema. docs/spec/data-model.md#schema-subscriptions
// Every key begins with the shop, so a move or a timer cannot belong to a subscription of another shop.
import type { QueryRunner } from 'typeorm'
import { eventTable } from '#outbox/event-table'
import { outboxFailureTable } from '#outbox/failures'
import { outboxTable } from '#outbox/messages'
import { idempotencyTable } from '#postgres/idempotency'

// Each list has its index, in the order of the list: (shop, filter, created_at, id).
const subscriptions = `
  create table subscriptions (
    shop_id uuid not null,
    id uuid not null,
    status text not null check (status in ('trialing', 'active', 'past_due', 'canceled', 'incomplete', 'unpaid')),
    product_id uuid not null,
    client_id uuid not null,
    price_cents bigint not null check (price_cents between 0 and 9007199254740991),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    interval text not null check (interval in ('month', 'year')),
    billing_mode text not null check (billing_mode in ('processor', 'manual')),
    payment_method text check (payment_method in ('bank_transfer', 'cod', 'paypal', 'venmo', 'whatsapp', 'telegram',
      'instagram', 'email', 'phone')),
    anchor_at timestamptz(3),
    periods integer not null check (periods >= 0),
    current_period_end timestamptz(3),
    cancel_at_period_end boolean not null,
    canceled_at timestamptz(3),
    trial_ends_at timestamptz(3),
    started_at timestamptz(3),
    event_seq bigint not null check (event_seq > 0),
    document text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (shop_id, id),
    constraint subscriptions_rail check (payment_method is null or billing_mode = 'manual'),
    constraint subscriptions_trial check ((status = 'trialing') = (trial_ends_at is not null)),
    constraint subscriptions_begun check (status = 'canceled' or (status = 'incomplete') = (started_at is null)),
    constraint subscriptions_period check (num_nulls(anchor_at, current_period_end, started_at) in (0, 3)),
    constraint subscriptions_stopping check (not cancel_at_period_end or canceled_at is not null),
    constraint subscriptions_asked check (status = 'canceled' or cancel_at_period_end or canceled_at is null),
    constraint subscriptions_live check (not cancel_at_period_end or status not in ('incomplete', 'unpaid')),
    constraint subscriptions_over check (status not in ('canceled', 'unpaid') or current_period_end is null
      or current_period_end <= updated_at),
    constraint subscriptions_time check (created_at <= updated_at)
  );
  create index subscriptions_newest on subscriptions (shop_id, created_at desc, id desc);
  create index subscriptions_status on subscriptions (shop_id, status, created_at desc, id desc);
`

// Moves that were made, the next move that time makes, and the setting that a move depends on.
const moves = `
  create table subscription_history (
    shop_id uuid not null,
    subscription_id uuid not null,
    position integer not null check (position > 0),
    at timestamptz(3) not null,
    who text not null check (who <> ''),
    move text not null check (move <> ''),
    from_status text,
    to_status text not null,
    primary key (shop_id, subscription_id, position),
    foreign key (shop_id, subscription_id) references subscriptions on delete cascade
  );

  create table timers (
    shop_id uuid not null,
    subscription_id uuid not null,
    move text not null check (move in ('first_payment_over', 'period_over', 'grace_over')),
    due_at timestamptz(3) not null,
    lease_until timestamptz(3),
    lease_token uuid,
    primary key (shop_id, subscription_id),
    foreign key (shop_id, subscription_id) references subscriptions on delete cascade,
    constraint timers_lease check ((lease_until is null) = (lease_token is null))
  );
  create index timers_due on timers (due_at);

  create table shop_settings (
    shop_id uuid primary key,
    unrecovered text not null check (unrecovered in ('canceled', 'unpaid'))
  );
`

export class CreateSubscriptions1764000000000 {
  name = 'CreateSubscriptions1764000000000'

  async up(runner: QueryRunner): Promise<void> {
    const tables = [subscriptions, moves, idempotencyTable, eventTable, outboxTable, outboxFailureTable]
    for (const topic of tables) await runner.query(topic)
  }
}
