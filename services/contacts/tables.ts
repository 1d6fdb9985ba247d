// Owns the tables of the contacts schema as TypeORM and TypeScript see them.
import type { EntitySchemaOptions } from 'typeorm'

export type ContactRow = {
  id: string
  shop_id: string
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

export const ContactTable: EntitySchemaOptions<ContactRow> = {
  name: 'contacts',
  columns: {
    id: { type: 'uuid', primary: true },
    shop_id: { type: 'uuid' },
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

/** One row for each tag of a contact, in the order of the list: what makes `?tag=` an index scan. */
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
