// Computes the row of a contact after a save, as pure functions. docs/spec/rest-api.md#matching-a-contact,
// docs/spec/back-office.md#contacts, docs/spec/imports.md#identity-and-re-import
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { fallbackName, isFallbackName } from '#person/person'
import { nextStamp } from '#postgres/watermark'
import { contactDocument } from '../shape.ts'
import type { ContactRow } from '../tables.ts'
import type { ContactFields } from './contact-fields.ts'
import { mergeTags } from './tags.ts'

/** The row of a new contact; `source` is used unless the fields have another one. */
export function newContact(id: string, shopId: string, fields: ContactFields, source: string, now: Date): ContactRow {
  const row = {
    id,
    shop_id: shopId,
    name: fallbackName(fields.name, fields.email, fields.phone),
    email: fields.email,
    email_key: fields.email_key,
    phone: fields.phone,
    tags: boundTags(fields.tags),
    source,
    marketing_consent_at: null,
    line1: null,
    line2: null,
    city: null,
    region: null,
    postal_code: null,
    country: null,
    private_note: null,
    ...fields.columns,
    created_at: fields.created_at !== null && fields.created_at < now ? fields.created_at : now,
    updated_at: now,
  }
  return { ...row, document: contactDocument(row) }
}

/**
 * The contact after a save of the back office: fields replace, tags merge, the name fills a gap. An email in another spelling
 * stays as it was. A replaced email removes the consent unless the save brings one.
 */
export function replaceFields(row: ContactRow, fields: ContactFields, now: Date): ContactRow {
  const isOtherEmail = fields.email_key !== null && fields.email_key !== row.email_key
  const email = isOtherEmail ? fields.email : row.email
  const phone = fields.phone ?? row.phone
  return rowAfter(row, now, {
    email,
    email_key: fields.email_key ?? row.email_key,
    phone,
    marketing_consent_at: isOtherEmail && row.email_key !== null ? null : row.marketing_consent_at,
    ...fields.columns,
    name: nameAfter(row, fields.name, email, phone),
    tags: boundTags(mergeTags(row.tags, fields.tags, [])),
  })
}

/** The contact after a public request, or an import that found it by email or phone: fields fill gaps only, tags merge. */
export function fillGaps(row: ContactRow, fields: ContactFields, now: Date): ContactRow {
  const isGap = ([column]: [string, unknown]) => row[column as keyof ContactRow] === null
  const email = row.email ?? fields.email
  const phone = row.phone ?? fields.phone
  return rowAfter(row, now, {
    email,
    email_key: row.email_key ?? fields.email_key,
    phone,
    ...Object.fromEntries(Object.entries(fields.columns).filter(isGap)),
    name: nameAfter(row, fields.name, email, phone),
    tags: boundTags(mergeTags(row.tags, fields.tags, [])),
  })
}

/** The contact after its row of a file has changed: email and phone are replaced, other fields fill gaps, tags merge. */
export function followFile(row: ContactRow, fields: ContactFields, now: Date): ContactRow {
  const isGap = ([column]: [string, unknown]) => row[column as keyof ContactRow] === null
  const columns = Object.fromEntries(Object.entries(fields.columns).filter(isGap))
  return replaceFields(row, { ...fields, columns }, now)
}

/** The contact after tags were added and removed; a tag in both lists is removed. Takes normal forms. */
export function changeTags(row: ContactRow, add: string[], remove: string[], now: Date): ContactRow {
  return rowAfter(row, now, { tags: boundTags(mergeTags(row.tags, add, remove)) })
}

// `updated_at` changes only with the published object.
function rowAfter(row: ContactRow, now: Date, changes: Partial<ContactRow>): ContactRow {
  const after = { ...row, ...changes }
  const document = contactDocument(after)
  if (document === row.document) return { ...after, document }
  const updated = { ...after, updated_at: nextStamp(row.updated_at, now) }
  return { ...updated, document: contactDocument(updated) }
}

// A name that only repeats email or phone follows them.
function nameAfter(row: ContactRow, name: string | null, email: string | null, phone: string | null): string | null {
  return isFallbackName(row.name, row.email, row.phone) ? fallbackName(name, email, phone) : row.name
}

function boundTags(tags: string[]): string[] {
  if (tags.length <= limits.tagsPerContact) return tags
  const words = `tags must not be more than ${limits.tagsPerContact} on one contact.`
  throw refuse('invalid_request', words, { field: 'tags' })
}
