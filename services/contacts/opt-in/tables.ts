// Owns the tables of the double opt-in as TypeORM and TypeScript see them.
import type { EntitySchemaOptions } from 'typeorm'

/** One mail with one link. Of the token only the digest is kept; `shop_name` is what the mail said. */
export type OptInRequestRow = {
  id: string
  shop_id: string
  contact_id: string
  mailbox: string
  email: string
  shop_name: string
  source: string
  token_digest: Buffer
  created_at: Date
  expires_at: Date
  sent_at: Date | null
  confirmed_at: Date | null
  voided_at: Date | null
}

export const OptInRequestTable: EntitySchemaOptions<OptInRequestRow> = {
  name: 'opt_in_requests',
  columns: {
    id: { type: 'uuid', primary: true },
    shop_id: { type: 'uuid' },
    contact_id: { type: 'uuid' },
    mailbox: { type: 'text' },
    email: { type: 'text' },
    shop_name: { type: 'text' },
    source: { type: 'text' },
    token_digest: { type: 'bytea' },
    created_at: { type: 'timestamptz', precision: 3 },
    expires_at: { type: 'timestamptz', precision: 3 },
    sent_at: { type: 'timestamptz', precision: 3, nullable: true },
    confirmed_at: { type: 'timestamptz', precision: 3, nullable: true },
    voided_at: { type: 'timestamptz', precision: 3, nullable: true },
  },
}

/**
 * The evidence: who agreed to what, or took it back, when and from where. `address` is the network address, `agent` the
 * browser's own name; a consent that came with an import or from the back office has neither.
 */
export type ConsentRow = {
  id: string
  shop_id: string
  contact_id: string
  kind: 'given' | 'withdrawn'
  email: string | null
  at: Date
  address: string | null
  agent: string | null
  text_version: string | null
  source: string
}

export const ConsentTable: EntitySchemaOptions<ConsentRow> = {
  name: 'consents',
  columns: {
    id: { type: 'uuid', primary: true },
    shop_id: { type: 'uuid' },
    contact_id: { type: 'uuid' },
    kind: { type: 'text' },
    email: { type: 'text', nullable: true },
    at: { type: 'timestamptz', precision: 3 },
    address: { type: 'text', nullable: true },
    agent: { type: 'text', nullable: true },
    text_version: { type: 'text', nullable: true },
    source: { type: 'text' },
  },
}

export type SuppressedMailboxRow = { shop_id: string; mailbox_digest: Buffer; created_at: Date }

export const SuppressedMailboxTable: EntitySchemaOptions<SuppressedMailboxRow> = {
  name: 'suppressed_mailboxes',
  columns: {
    shop_id: { type: 'uuid', primary: true },
    mailbox_digest: { type: 'bytea', primary: true },
    created_at: { type: 'timestamptz', precision: 3 },
  },
}
