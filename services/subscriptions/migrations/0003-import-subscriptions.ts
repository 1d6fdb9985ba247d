// Keys of imported memberships, with the batch that wrote each and its result. docs/spec/imports.md#our-own-files
// An imported membership has fired no event here, so its count of events begins at 0.
import type { QueryRunner } from 'typeorm'

export class ImportSubscriptions1764500000000 {
  name = 'ImportSubscriptions1764500000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table external_references (
        shop_id uuid not null,
        source text not null,
        kind text not null check (kind = 'subscription'),
        key text not null,
        object_id uuid not null,
        digest bytea not null,
        batch uuid,
        told jsonb,
        primary key (shop_id, source, kind, key),
        foreign key (shop_id, object_id) references subscriptions on delete cascade
      );
      create index external_references_object on external_references (shop_id, object_id);
      alter table subscriptions drop constraint subscriptions_event_seq_check,
        add constraint subscriptions_event_seq_check check (event_seq >= 0);
    `)
  }
}
