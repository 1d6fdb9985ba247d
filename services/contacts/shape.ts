// Builds the wire objects of contacts from their rows. docs/spec/objects.md#contact
// The JSON of a contact is stored with its row and sent as it is. docs/spec/data-model.md#documents
import type { Contact } from '#contracts/objects/contact'
import type { ConsentRow, ContactRow } from './tables.ts'

export function toContact(row: Omit<ContactRow, 'document'>): Contact {
  return {
    id: row.id,
    object: 'contact',
    name: row.name,
    email: row.email,
    phone: row.phone,
    tags: row.tags,
    source: row.source,
    marketingConsentAt: row.marketing_consent_at?.toISOString() ?? null,
    address: {
      line1: row.line1,
      line2: row.line2,
      city: row.city,
      region: row.region,
      postalCode: row.postal_code,
      country: row.country,
    },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** The wire JSON of a contact, as it is stored in `document`. */
export function contactDocument(row: Omit<ContactRow, 'document'>): string {
  return JSON.stringify(toContact(row))
}

/** A stored document with the additional fields of docs/spec/objects.md#saved-contact. */
export function savedContactDocument(
  document: string,
  saved: { optInSent: boolean; droppedTags: string[]; ignored: string[] },
): string {
  return `${document.slice(0, -1)},${JSON.stringify(saved).slice(1)}`
}

/** A consent record as exports have it. docs/spec/imports.md#export */
export function toConsent({
  text_version: textVersion,
  at,
  ...record
}: Omit<ConsentRow, 'shop_id' | 'id' | 'contact_id'>) {
  const { kind, email, address, agent, source } = record
  return { kind, at: at.toISOString(), email, address, agent, textVersion, source }
}

/** docs/spec/back-office.md#erasing-a-person */
export function toErasedContact(id: string) {
  return { id, object: 'contact', erased: true }
}
