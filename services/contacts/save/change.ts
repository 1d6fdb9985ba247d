// Owns what a save does to a contact, as pure functions: a new row, or the row afterwards.
// Spec: POST /contacts (name, tags), POST /contacts/{id}/tags. Back office: POST /shops/{shop}/contacts.
// import-formats.md, sections 4 and 6.
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import type { Given } from './contact-fields.ts'
import { fallbackName, isFallbackName } from '#person/person'
import { contactDocument } from '../shape.ts'
import type { ContactRow } from '../tables.ts'
import { mergeTags } from './tags.ts'

/** A contact that did not exist. `source` stands unless the fields say another. */
export function newContact(id: string, shopId: string, given: Given, source: string, now: Date): ContactRow {
  const row = {
    id,
    shop_id: shopId,
    name: fallbackName(given.name, given.email, given.phone),
    email: given.email,
    email_key: given.email_key,
    phone: given.phone,
    tags: boundTags(given.tags),
    source,
    marketing_consent_at: null,
    line1: null,
    line2: null,
    city: null,
    region: null,
    postal_code: null,
    country: null,
    private_note: null,
    ...given.fields,
    created_at: given.created_at ?? now,
    updated_at: now,
  }
  return { ...row, document: contactDocument(row) }
}

/**
 * The contact after a back-office save: given fields replace, tags merge, the name fills a gap. An email in another
 * spelling stays as it was. Consent was given for an address, so it goes with it unless the save brings one.
 */
export function replaceFields(row: ContactRow, given: Given, now: Date): ContactRow {
  const isOtherEmail = given.email_key !== null && given.email_key !== row.email_key
  const email = isOtherEmail ? given.email : row.email
  const phone = given.phone ?? row.phone
  return settle(row, now, {
    email,
    email_key: given.email_key ?? row.email_key,
    phone,
    marketing_consent_at: isOtherEmail && row.email_key !== null ? null : row.marketing_consent_at,
    ...given.fields,
    name: nameAfter(row, given.name, email, phone),
    tags: boundTags(mergeTags(row.tags, given.tags, [])),
  })
}

/**
 * The contact after a public request, or after an import that met a person the shop already has: everything fills gaps
 * only, tags merge. Email and phone are how a person is known again, and consent was given for the address: neither is
 * replaced by whoever knows the other one.
 */
export function fillGaps(row: ContactRow, given: Given, now: Date): ContactRow {
  const isGap = ([column]: [string, unknown]) => row[column as keyof ContactRow] === null
  const email = row.email ?? given.email
  const phone = row.phone ?? given.phone
  return settle(row, now, {
    email,
    email_key: row.email_key ?? given.email_key,
    phone,
    ...Object.fromEntries(Object.entries(given.fields).filter(isGap)),
    name: nameAfter(row, given.name, email, phone),
    tags: boundTags(mergeTags(row.tags, given.tags, [])),
  })
}

/**
 * The contact after its row of a file has changed: email and phone are the file's, all else fills gaps and tags merge.
 * import-formats.md, section 4: a name, an address only fill gaps.
 */
export function followFile(row: ContactRow, given: Given, now: Date): ContactRow {
  const isGap = ([column]: [string, unknown]) => row[column as keyof ContactRow] === null
  const fields = Object.fromEntries(Object.entries(given.fields).filter(isGap))
  return replaceFields(row, { ...given, fields }, now)
}

/** The contact after tags were added and taken off; what is in both lists goes off. Takes normal forms. */
export function changeTags(row: ContactRow, add: string[], remove: string[], now: Date): ContactRow {
  return settle(row, now, { tags: boundTags(mergeTags(row.tags, add, remove)) })
}

// A name that only repeats email or phone follows them. `updated_at` moves only when somebody can see a difference, and
// never backwards: of two saves at once the later one may have read its clock first.
function settle(row: ContactRow, now: Date, changes: Partial<ContactRow>): ContactRow {
  const after = { ...row, ...changes }
  const document = contactDocument(after)
  if (document === row.document) return { ...after, document }
  const moved = { ...after, updated_at: now > row.updated_at ? now : row.updated_at }
  return { ...moved, document: contactDocument(moved) }
}

function nameAfter(row: ContactRow, name: string | null, email: string | null, phone: string | null): string | null {
  return isFallbackName(row.name, row.email, row.phone) ? fallbackName(name, email, phone) : row.name
}

function boundTags(tags: string[]): string[] {
  if (tags.length <= limits.tagsPerContact) return tags
  const words = `tags must not be more than ${limits.tagsPerContact} on one contact.`
  throw refuse('invalid_request', words, { field: 'tags' })
}
