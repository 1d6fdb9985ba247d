// The first version of the contacts schema. docs/spec/data-model.md#schema-contacts
// Each list has an index in the order of the list: (shop, filter, created_at, id).
import type { QueryRunner } from 'typeorm'
import { idempotencyTable } from '#postgres/idempotency'

export class CreateContacts1763600000001 {
  name = 'CreateContacts1763600000001'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table contacts (
        id uuid primary key,
        shop_id uuid not null,
        name text check (name <> ''),
        email text check (email <> ''),
        email_key text,
        phone text check (phone <> ''),
        tags text[] not null check (cardinality(tags) <= 250),
        source text not null,
        marketing_consent_at timestamptz(3),
        line1 text, line2 text, city text, region text, postal_code text, country text,
        private_note text,
        document text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        check ((email is null) = (email_key is null))
      );
      alter table contacts alter document set storage external;
      alter table contacts set (toast_tuple_target = 8160);
      create unique index contacts_email on contacts (shop_id, email_key);
      create unique index contacts_phone on contacts (shop_id, phone);
      create index contacts_newest on contacts (shop_id, created_at desc, id desc, updated_at);
      create index contacts_consented on contacts (shop_id, created_at desc, id desc, updated_at)
        where marketing_consent_at is not null;

      create table contact_tags (
        shop_id uuid not null,
        tag text not null,
        created_at timestamptz(3) not null,
        contact_id uuid not null references contacts on delete cascade,
        primary key (shop_id, tag, created_at, contact_id)
      );
      create index contact_tags_contact on contact_tags (contact_id);

      create table external_references (
        shop_id uuid not null,
        source text not null,
        kind text not null,
        key text not null,
        object_id uuid not null,
        digest bytea not null,
        primary key (shop_id, source, kind, key)
      );
      create index external_references_object on external_references (object_id);

      ${idempotencyTable}
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table idempotent_answers, external_references, contact_tags, contacts')
  }
}
