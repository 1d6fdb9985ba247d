// The contacts schema. docs/spec/data-model.md#schema-contacts
// Every key begins with the shop, but the digest of an opt-in link's token: the link names no shop.
import type { QueryRunner } from 'typeorm'
import { outboxFailureTable } from '#outbox/failures'
import { outboxTable } from '#outbox/messages'
import { idempotencyTable } from '#postgres/idempotency'
import { pageVersions } from '#postgres/page-version'
import { watermarks } from '#postgres/watermark'

const contacts = `
  create table contacts (
    shop_id uuid not null,
    id uuid not null,
    name text check (name <> ''),
    email text check (email <> ''),
    email_key text,
    phone text check (phone <> ''),
    tags text[] not null check (cardinality(tags) <= 250),
    source text not null,
    marketing_consent_at timestamptz(3),
    line1 text,
    line2 text,
    city text,
    region text,
    postal_code text,
    country text,
    private_note text,
    document text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (shop_id, id) include (updated_at),
    check ((email is null) = (email_key is null))
  );
  -- A document of up to a page stays in its row, uncompressed: a list reads no other table.
  alter table contacts alter document set storage external;
  alter table contacts set (toast_tuple_target = 8160);
  create unique index contacts_email on contacts (shop_id, email_key);
  create unique index contacts_phone on contacts (shop_id, phone);
`

// Each list has its index, in the order of the list: (shop, filter, created_at, id). The list by tag reads the key of contact_tags.
const lists = `
  create index contacts_newest on contacts (shop_id, created_at desc, id desc, updated_at);
  create index contacts_consented on contacts (shop_id, created_at desc, id desc, updated_at)
    where marketing_consent_at is not null;
  -- Finds few changed contacts of a shop. docs/spec/internals.md#changed-rows
  create index contacts_changed on contacts (shop_id, updated_at desc);

  create table contact_tags (
    shop_id uuid not null,
    tag text not null,
    created_at timestamptz(3) not null,
    contact_id uuid not null,
    primary key (shop_id, tag, created_at, contact_id),
    foreign key (shop_id, contact_id) references contacts on delete cascade
  );
  create index contact_tags_contact on contact_tags (shop_id, contact_id);
  ${pageVersions('contacts', 'contacts')}
  ${watermarks('contacts', 'contacts')}
`

// The double opt-in: links, consent records, suppressed mailboxes. docs/spec/double-opt-in.md#suppression
// Links and consent records are deleted with their contact. A suppressed mailbox stays, as a digest.
const optIn = `
  create table opt_in_requests (
    shop_id uuid not null,
    id uuid not null,
    contact_id uuid not null,
    mailbox text not null,
    email text not null,
    shop_name text not null,
    source text not null,
    token_digest bytea not null unique check (octet_length(token_digest) = 32),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    sent_at timestamptz(3),
    confirmed_at timestamptz(3),
    voided_at timestamptz(3),
    primary key (shop_id, id),
    foreign key (shop_id, contact_id) references contacts on delete cascade
  );
  -- One limit counts the mails of all shops to a mailbox.
  create index opt_in_requests_mailbox on opt_in_requests (mailbox, created_at);
  create index opt_in_requests_shop on opt_in_requests (shop_id, created_at);
  create index opt_in_requests_contact on opt_in_requests (shop_id, contact_id);
  create index opt_in_requests_age on opt_in_requests (created_at);

  create table consents (
    shop_id uuid not null,
    id uuid not null,
    contact_id uuid not null,
    kind text not null check (kind in ('given', 'withdrawn')),
    email text,
    at timestamptz(3) not null,
    address text,
    agent text,
    text_version text,
    source text not null,
    primary key (shop_id, id),
    foreign key (shop_id, contact_id) references contacts on delete cascade
  );
  create index consents_contact on consents (shop_id, contact_id, at);

  create table suppressed_mailboxes (
    shop_id uuid not null,
    mailbox_digest bytea not null,
    created_at timestamptz(3) not null,
    primary key (shop_id, mailbox_digest)
  );
`

// Keys of imported files, with the batch that wrote each and its result. docs/spec/imports.md#identity-and-re-import
const imports = `
  create table external_references (
    shop_id uuid not null,
    source text not null,
    kind text not null,
    key text not null,
    object_id uuid not null,
    digest bytea not null,
    batch uuid,
    told jsonb,
    primary key (shop_id, source, kind, key)
  );
  create index external_references_object on external_references (shop_id, object_id);
`

export class CreateContacts1764000000000 {
  name = 'CreateContacts1764000000000'

  async up(runner: QueryRunner): Promise<void> {
    const tables = [contacts, lists, optIn, imports, idempotencyTable, outboxTable, outboxFailureTable]
    for (const topic of tables) await runner.query(topic)
  }
}
