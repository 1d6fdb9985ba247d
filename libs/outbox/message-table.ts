// Owns the outbox table: messages that a service owes others, written in the transaction that caused them.

/** SQL for a migration: the table, in the schema of the search path. */
export const outboxTable = `
  create table outbox (
    position bigint generated always as identity primary key,
    id uuid not null unique,
    shop_id uuid not null,
    kind text not null,
    body text not null,
    created_at timestamptz(3) not null,
    sent_at timestamptz(3)
  );
  create index outbox_unsent on outbox (position) where sent_at is null;
  create index outbox_sent on outbox (sent_at) where sent_at is not null;
`
