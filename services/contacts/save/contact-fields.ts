// Reads the fields of a contact from a public request, the back office or a file, in their stored form.
// docs/spec/objects.md#email-addresses, docs/spec/objects.md#phone-numbers, docs/spec/imports.md#shopify-customers
import type { ActionParams } from '#contracts/actions'
import type { ContactInput, ImportedContactInput } from '#contracts/input/contact'
import { trimInvisible } from '#contracts/input/text'
import { refuse } from '#contracts/errors'
import { emailKey, normaliseEmail, normalisePhone } from '#person/person'
import type { ContactRow } from '../tables.ts'
import { keepTags, normaliseTag, normaliseTags } from './tags.ts'

/**
 * The fields that a save brings. A save never empties email, phone and name: null means that they were not sent. In `columns`
 * an absent column stays and null empties it.
 */
export type ContactFields = {
  email: string | null
  email_key: string | null
  phone: string | null
  name: string | null
  tags: string[]
  created_at: Date | null
  columns: Partial<Pick<ContactRow, 'source' | 'marketing_consent_at' | 'private_note' | AddressColumn>>
}

/** Those of a public request. */
export type PersonFields = ContactFields & { created_at: null; columns: Record<string, never> }

type AddressColumn = 'line1' | 'line2' | 'city' | 'region' | 'postal_code' | 'country'

/** The fields that a public request may send. */
export type PersonParams = Pick<ActionParams<'contacts.upsert'>, 'email' | 'phone' | 'name' | 'tags'>

/** `country` reads national phone numbers. Refuses invalid_request naming the field. */
export function fromRequest(person: PersonParams, country: string | null) {
  const identity = identityOf(person, country)
  const { kept, dropped } = keepTags(person.tags ?? [])
  const fields: PersonFields = { ...identity, name: person.name ?? null, tags: kept, created_at: null, columns: {} }
  return { fields, droppedTags: dropped }
}

/** The names of the sent fields that the contact does not have after the save. docs/spec/rest-api.md#ignored-fields */
export function ignoredFields(sent: ContactFields, saved: Pick<ContactRow, 'email_key' | 'phone' | 'name'>): string[] {
  const name = sent.name === null || trimInvisible(sent.name) === '' ? null : sent.name
  return [
    ...(sent.email_key !== null && sent.email_key !== saved.email_key ? ['email'] : []),
    ...(sent.phone !== null && sent.phone !== saved.phone ? ['phone'] : []),
    ...(name !== null && name !== saved.name ? ['name'] : []),
  ]
}

/** The same for the back office, which may send more fields. */
export function fromBackOffice(contact: ContactInput, country: string | null, now: Date): ContactFields {
  return {
    ...identityOf(contact, country),
    name: contact.name ?? null,
    tags: normaliseTags(contact.tags ?? []),
    created_at: notAfter(now, 'createdAt', contact.createdAt) ?? null,
    columns: present({
      source: contact.source ?? undefined,
      marketing_consent_at: notAfter(now, 'marketingConsentAt', contact.marketingConsentAt),
      private_note: contact.privateNote,
      ...addressColumns(contact.address),
    }),
  }
}

/** `dropped` is the warning about an email or phone that cannot be read and is left out. Refuses only bad tags. */
export function fromFile(contact: ImportedContactInput, country: string | null, now: Date) {
  const email = contact.email ? normaliseEmail(contact.email) : null
  const phone = contact.phone ? normalisePhone(contact.phone, contact.address.country ?? country) : null
  const created = contact.created_at
  const fields: ContactFields = {
    email,
    email_key: email && emailKey(email),
    phone,
    name: contact.name ?? null,
    tags: contact.tags.flatMap((tag) => normaliseTag(tag) ?? []),
    created_at: created !== null && created <= now ? created : null,
    columns: Object.fromEntries(Object.entries(contact.address).filter(([, text]) => typeof text === 'string')),
  }
  const dropped =
    contact.email && email === null
      ? { code: 'bad_email', message: 'The email is no email address and is left out.' }
      : contact.phone && phone === null
        ? { code: 'bad_phone', message: 'The phone is no phone number and is left out.' }
        : null
  return { fields, dropped }
}

function identityOf(person: Pick<PersonParams, 'email' | 'phone'>, country: string | null) {
  const email = storedEmail(person.email)
  const phone = storedPhone(person.phone, country)
  return { email, email_key: email && emailKey(email), phone }
}

function storedEmail(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null
  const email = normaliseEmail(text)
  if (email === null) throw refuse('invalid_request', 'email must be an email address.', { field: 'email' })
  return email
}

function storedPhone(text: string | null | undefined, country: string | null): string | null {
  if (text === null || text === undefined) return null
  const phone = normalisePhone(text, country)
  if (phone !== null) return phone
  const words = 'phone must be a phone number, with its country code unless it is one of the country of the shop.'
  throw refuse('invalid_request', words, { field: 'phone' })
}

// Lists with time filters rely on `created_at` being at most `updated_at`.
function notAfter<Instant extends Date | null | undefined>(now: Date, field: string, instant: Instant): Instant {
  if (instant && instant > now) throw refuse('invalid_request', `${field} must not be in the future.`, { field })
  return instant
}

function addressColumns(address: ContactInput['address']) {
  if (address === undefined) return {}
  if (address === null) return { line1: null, line2: null, city: null, region: null, postal_code: null, country: null }
  const { postalCode, ...rest } = address
  return { ...rest, postal_code: postalCode }
}

function present<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}
