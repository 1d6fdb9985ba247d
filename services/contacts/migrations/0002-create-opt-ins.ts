// The tables of the double opt-in: links, consent records, suppressed mailboxes. docs/spec/double-opt-in.md#suppression
// Links and consent records are deleted with their contact. A suppressed mailbox stays, as a digest.
import type { QueryRunner } from 'typeorm'

export class CreateOptIns1763600000002 {
  name = 'CreateOptIns1763600000002'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table opt_in_requests (
        id uuid primary key,
        shop_id uuid not null,
        contact_id uuid not null references contacts on delete cascade,
        mailbox text not null,
        email text not null,
        shop_name text not null,
        source text not null,
        token_digest bytea not null unique check (octet_length(token_digest) = 32),
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        sent_at timestamptz(3),
        confirmed_at timestamptz(3),
        voided_at timestamptz(3)
      );
      create index opt_in_requests_mailbox on opt_in_requests (mailbox, created_at);
      create index opt_in_requests_shop on opt_in_requests (shop_id, created_at);
      create index opt_in_requests_contact on opt_in_requests (contact_id);
      create index opt_in_requests_age on opt_in_requests (created_at);

      create table consents (
        id uuid primary key,
        shop_id uuid not null,
        contact_id uuid not null references contacts on delete cascade,
        kind text not null check (kind in ('given', 'withdrawn')),
        email text,
        at timestamptz(3) not null,
        address text,
        agent text,
        text_version text,
        source text not null
      );
      create index consents_contact on consents (contact_id, at);

      create table suppressed_mailboxes (
        shop_id uuid not null,
        mailbox_digest bytea not null,
        created_at timestamptz(3) not null,
        primary key (shop_id, mailbox_digest)
      );
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table suppressed_mailboxes, consents, opt_in_requests')
  }
}
