// What a contact of an export becomes, as a pure function. docs/spec/imports.md#our-own-files
import type { ContactFieldsOfFile } from '#contracts/input/exported'
import { emailKey, fallbackName, normaliseEmail, normalisePhone } from '#person/person'
import { type Facts, importProblem, type Plan, type Warning } from '#postgres/import/import-objects'
import { nextStamp } from '#postgres/watermark'
import { fillGaps, newContact } from '../save/change.ts'
import type { ContactFields } from '../save/contact-fields.ts'
import { normaliseTags } from '../save/tags.ts'
import { contactDocument } from '../shape.ts'
import type { ContactRow } from '../tables.ts'
import { type ConsentPlan, type ConsentRecord, planConsent } from './exported-consent.ts'

export type StoredContact = { row: ContactRow; consents: ConsentRecord[] }
/** `met`: the contact of this shop that has the email or phone of a new one, and takes what it lacks. */
export type ContactPlan = Plan & { met: StoredContact | null; after: ContactRow; consents: ConsentRecord[] }
type Shop = { shopId: string; country: string | null }
/** Contacts of the shop that have the email or phone of the file, and whether its mailbox is suppressed. */
export type Others = { byEmail: StoredContact | null; byPhone: StoredContact | null; isSuppressed: boolean }

const merged = {
  code: 'merged',
  message: 'A contact of the shop has the email or phone; it takes from the file what it lacks.',
}

/** The email and phone of the file in their stored form. Refuses an address or number that cannot be one. */
export function identityOf(
  before: StoredContact | null,
  { email, phone }: ContactFieldsOfFile,
  country: string | null,
) {
  const storedEmail = typeof email === 'string' ? normaliseEmail(email) : email
  if (typeof email === 'string' && storedEmail === null) throw importProblem('bad_email', 'email is no email address.')
  const isSamePhone = phone === before?.row.phone
  const storedPhone = typeof phone === 'string' && !isSamePhone ? normalisePhone(phone, country) : phone
  if (typeof phone === 'string' && storedPhone === null) throw importProblem('bad_phone', 'phone is no phone number.')
  return { email: storedEmail, phone: storedPhone }
}

/** Refuses invalid_request; `problem` of the refusal is the code for the import report. */
export function planContact(
  before: StoredContact | null,
  fields: ContactFieldsOfFile,
  shop: Shop,
  others: Others,
  facts: Facts,
): ContactPlan {
  const met = before === null ? (others.byEmail ?? others.byPhone) : null
  const isMerged = met !== null || facts.told?.code === merged.code
  if (isMerged) return planMerged(met ?? before, fields, shop, others, facts)
  const warnings: Warning[] = []
  const identity = identityOf(before, fields, shop.country)
  const { row, isNew } =
    before === null ? { row: newRow(fields, shop, facts), isNew: true } : { row: before.row, isNew: false }
  const email = unlessTaken('email', identity.email, row, others.byEmail, warnings)
  const phone = unlessTaken('phone', identity.phone, row, others.byPhone, warnings)
  const email_key = email === null ? null : emailKey(email)
  const consent = consentOf(before, email_key, fields, others, facts)
  const name = fields.name === undefined ? row.name : (fields.name ?? fallbackName(null, email, phone))
  if (!isNew && fields.createdAt !== undefined && fields.createdAt.getTime() !== row.created_at.getTime()) {
    warnings.push({ code: 'created_at_stays', message: 'createdAt of an object that is here stays as it is.' })
  }
  const after = {
    ...row,
    ...columnsOf(fields),
    name: name ?? fallbackName(null, email, phone),
    email,
    email_key,
    phone,
    tags: fields.tags === undefined ? row.tags : normaliseTags(fields.tags),
    marketing_consent_at: consent.at,
  }
  return planOf({ before, met: null, after, consent, warnings, now: facts.now })
}

/** A contact that another one of the shop is: fields fill gaps only, tags merge. */
function planMerged(
  before: StoredContact | null,
  fields: ContactFieldsOfFile,
  { country }: Shop,
  others: Others,
  facts: Facts,
): ContactPlan {
  if (before === null) throw new Error('A merged contact is one of the shop.')
  const { row } = before
  const identity = identityOf(before, fields, country)
  const free = (stored: string | null, given: string | null | undefined, other: StoredContact | null) =>
    stored === null && (other === null || other.row.id === row.id) ? (given ?? null) : null
  const email = free(row.email, identity.email, others.byEmail)
  const gaps: ContactFields = {
    email,
    email_key: email === null ? null : emailKey(email),
    phone: free(row.phone, identity.phone, others.byPhone),
    name: fields.name ?? null,
    tags: normaliseTags(fields.tags ?? []),
    created_at: null,
    columns: columnsOf(fields),
  }
  const filled = fillGaps(row, gaps, facts.now)
  const consent = consentOf(before, filled.email_key, fields, others, facts)
  const at = row.marketing_consent_at ?? consent.at
  const after = { ...filled, updated_at: row.updated_at, marketing_consent_at: at }
  const added = {
    ...consent,
    at,
    added: consent.added.filter(({ source, kind }) => !(kind === 'withdrawn' && source === 'import')),
  }
  return planOf({ before, met: before, after, consent: added, warnings: [merged], now: facts.now })
}

function newRow(fields: ContactFieldsOfFile, { shopId }: Shop, { id, now }: Facts): ContactRow {
  if (fields.createdAt !== undefined && fields.createdAt > now) {
    throw importProblem('bad_date', 'createdAt must not lie in the future.')
  }
  const empty = { email: null, email_key: null, phone: null, name: null, tags: [], columns: {} }
  return newContact(id, shopId, { ...empty, created_at: fields.createdAt ?? null }, 'import', now)
}

function unlessTaken(
  field: 'email' | 'phone',
  given: string | null | undefined,
  row: ContactRow,
  other: StoredContact | null,
  warnings: Warning[],
): string | null {
  const stored = row[field]
  if (given === undefined) return stored
  if (given === null || other === null || other.row.id === row.id) return given
  warnings.push({ code: `${field}_taken`, message: `The ${field} is another contact's.` })
  return stored
}

function consentOf(
  before: StoredContact | null,
  email_key: string | null,
  { marketingConsentAt, consents = [] }: ContactFieldsOfFile,
  { isSuppressed }: Others,
  { now }: Facts,
): ConsentPlan {
  const stored = {
    email_key: before === null ? email_key : before.row.email_key,
    marketing_consent_at: before?.row.marketing_consent_at ?? null,
    records: before?.consents ?? [],
  }
  return planConsent(stored, { email_key, at: marketingConsentAt, records: consents }, isSuppressed, now)
}

function columnsOf(fields: ContactFieldsOfFile): ContactFields['columns'] {
  const columns = {
    source: fields.source,
    line1: fields['address.line1'],
    line2: fields['address.line2'],
    city: fields['address.city'],
    region: fields['address.region'],
    postal_code: fields['address.postalCode'],
    country: fields['address.country'],
    private_note: fields.privateNote,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

type Planned = {
  before: StoredContact | null
  met: StoredContact | null
  after: ContactRow
  consent: ConsentPlan
  warnings: Warning[]
  now: Date
}

function planOf({ before, met, after, consent, warnings, now }: Planned): ContactPlan {
  const row = { ...after, document: contactDocument(after) }
  const all = consent.warning === null ? warnings : [...warnings, consent.warning]
  const old = before?.row ?? null
  const isShownSame = old !== null && row.document === old.document
  const isSame = isShownSame && row.private_note === old.private_note && consent.added.length === 0
  if (isShownSame) return { isSame, warnings: all, met, after: row, consents: consent.added }
  const stamped = { ...row, updated_at: old === null ? now : nextStamp(row.updated_at, now) }
  return {
    isSame,
    warnings: all,
    met,
    after: { ...stamped, document: contactDocument(stamped) },
    consents: consent.added,
  }
}
