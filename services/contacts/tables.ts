// The tables of the contacts schema, for TypeORM and TypeScript. docs/spec/data-model.md#schema-contacts
import type { EntitySchemaOptions } from 'typeorm'

export type ContactRow = {
  shop_id: string
  id: string
  name: string | null
  email: string | null
  email_key: string | null
  phone: string | null
  tags: string[]
  source: string
  marketing_consent_at: Date | null
  line1: string | null
  line2: string | null
  city: string | null
  region: string | null
  postal_code: string | null
  country: string | null
  private_note: string | null
  document: string
  created_at: Date
  updated_at: Date
}

export type ContactKey = Pick<ContactRow, 'shop_id' | 'id'>

export const ContactTable: EntitySchemaOptions<ContactRow> = {
  name: 'contacts',
  columns: {
    shop_id: { type: 'uuid', primary: true },
    id: { type: 'uuid', primary: true },
    name: { type: 'text', nullable: true },
    email: { type: 'text', nullable: true },
    email_key: { type: 'text', nullable: true },
    phone: { type: 'text', nullable: true },
    tags: { type: 'text', array: true },
    source: { type: 'text' },
    marketing_consent_at: { type: 'timestamptz', precision: 3, nullable: true },
    line1: { type: 'text', nullable: true },
    line2: { type: 'text', nullable: true },
    city: { type: 'text', nullable: true },
    region: { type: 'text', nullable: true },
    postal_code: { type: 'text', nullable: true },
    country: { type: 'text', nullable: true },
    private_note: { type: 'text', nullable: true },
    document: { type: 'text' },
    created_at: { type: 'timestamptz', precision: 3 },
    updated_at: { type: 'timestamptz', precision: 3 },
  },
}

/** One row for each tag of a contact, in the order of the list, so that `?tag=` is an index scan. */
export type ContactTagRow = { shop_id: string; tag: string; created_at: Date; contact_id: string }

export const ContactTagTable: EntitySchemaOptions<ContactTagRow> = {
  name: 'contact_tags',
  columns: {
    shop_id: { type: 'uuid', primary: true },
    tag: { type: 'text', primary: true },
    created_at: { type: 'timestamptz', precision: 3, primary: true },
    contact_id: { type: 'uuid', primary: true },
  },
}

/** An opt-in mail with its link. `shop_name` is the name in the mail. */
export type OptInRequestRow = {
  shop_id: string
  id: string
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
    shop_id: { type: 'uuid', primary: true },
    id: { type: 'uuid', primary: true },
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

/** docs/spec/double-opt-in.md#consent-record. `address` and `agent` are null for a consent that the back office brought. */
export type ConsentRow = {
  shop_id: string
  id: string
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
    shop_id: { type: 'uuid', primary: true },
    id: { type: 'uuid', primary: true },
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
