// Adds history, disputes and events, which came with the order moves.
import type { QueryRunner } from 'typeorm'
import { dropEventTable, eventTable } from '#outbox/event-table'

export class CreateMoves1763600000012 {
  name = 'CreateMoves1763600000012'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table order_history (
        order_id uuid not null references orders on delete cascade,
        position integer not null check (position > 0),
        shop_id uuid not null,
        at timestamptz(3) not null,
        who text not null check (who <> ''),
        move text not null check (move <> ''),
        from_status text,
        to_status text not null,
        from_payment_status text,
        to_payment_status text not null,
        amount_cents bigint check (amount_cents >= 0),
        primary key (order_id, position),
        constraint order_history_from check ((from_status is null) = (from_payment_status is null))
      );

      create table disputes (
        id uuid primary key,
        order_id uuid not null references orders on delete cascade,
        shop_id uuid not null,
        amount_cents bigint not null check (amount_cents between 0 and 9007199254740991),
        reason text check (reason <> ''),
        state text not null check (state in ('open', 'won', 'lost')),
        opened_at timestamptz(3) not null,
        closed_at timestamptz(3),
        constraint disputes_closed check ((state = 'open') = (closed_at is null))
      );
      create unique index disputes_open on disputes (order_id) where state = 'open';
      create index disputes_newest on disputes (order_id, closed_at desc nulls first);

      ${eventTable}
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`${dropEventTable} drop table disputes, order_history`)
  }
}
