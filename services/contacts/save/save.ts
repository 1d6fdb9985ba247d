// Saves contacts: finds the contact of a person and writes row, tags, document and consent record in one transaction.
// docs/spec/rest-api.md#matching-a-contact, docs/spec/back-office.md#contacts, docs/spec/imports.md#identity-and-re-import
// Of two first saves of one person at once, one inserts nothing and looks again: it finds the row of the other. Rows are locked in
// the order of their ids, so that two saves of the same two contacts cannot deadlock.
import { randomUUID } from 'node:crypto'
import type { ContactSource } from '#contracts/objects/contact'
import { refuse } from '#contracts/errors'
import type { ImportResult } from '#contracts/actions/import-result'
import { type Database, type Sql, breaks } from '#postgres/connect'
import {
  insertReference,
  lockReference,
  referenceRule,
  earlierResult,
  updateReference,
} from '#postgres/import/external-reference'
import { insertConsent } from '../opt-in/queries.ts'
import type { ConsentRow, ContactRow } from '../tables.ts'
import { changeTags, fillGaps, followFile, newContact, replaceFields } from './change.ts'
import type { ContactFields } from './contact-fields.ts'
import { countReferences, deleteTags, insertContact, lockContacts, updateContact } from './queries.ts'
import { fitTags } from './tags.ts'

const ATTEMPTS_MAX = 5
const UNIQUE_NAMES = ['contacts_email', 'contacts_phone', referenceRule]

/** A contact of a file. `digest`: of its fields in the file; `dropped`: the warning about a field that was left out. */
export type ImportedContact = {
  source: string
  batch: string | null
  key: string
  only_create: boolean
  fields: ContactFields
  digest: Buffer
  dropped: { code: string; message: string } | null
}

/**
 * Runs the work in a change of the shop; again, at most five times, when another one gave the same email or phone to a contact that
 * it changed, or wrote the same key.
 */
export async function changeOnPerson<Result>(
  db: Pick<Database, 'change'>,
  shopId: string,
  work: (tx: Sql, now: Date) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.change(shopId, work)
    } catch (error) {
      const isTaken = UNIQUE_NAMES.some((name) => breaks(error, name))
      if (!isTaken || attempt >= ATTEMPTS_MAX) throw error
    }
  }
}

/** The contact after a save. `overflow`: the tags beyond the limit of a contact. */
export type Upserted = { contact: ContactRow; overflow: string[] }

/** The public upsert: by email, then by phone. An email or phone that another contact has stays with that one. */
export async function upsertContact(
  tx: Sql,
  shopId: string,
  sent: ContactFields,
  source: ContactSource,
  now: Date,
): Promise<Upserted> {
  return untilWritten(async () => {
    const found = await matches(tx, shopId, sent, null)
    const { before, after, overflow } = planUpsert(shopId, found, sent, source, now)
    return (await write(tx, shopId, before, after, now)) && { contact: after, overflow }
  })
}

/** The public upsert of a person with these matches: the contact before, null for a new one, and after. */
export function planUpsert(
  shopId: string,
  found: Omit<Matches, 'byId'>,
  sent: ContactFields,
  source: ContactSource,
  now: Date,
) {
  const before = found.byEmail ?? found.byPhone
  const { fitting, overflow } = fitTags(before?.tags ?? [], sent.tags)
  const fields = { ...withoutTaken(sent, before, found).fields, tags: fitting }
  const after = before === null ? newContact(randomUUID(), shopId, fields, source, now) : fillGaps(before, fields, now)
  return { before, after, overflow }
}

/** Adds and removes tags in their normal form; null where the shop has no such contact. */
export async function tagContact(tx: Sql, shopId: string, id: string, add: string[], remove: string[], now: Date) {
  const [before] = await lockContacts(tx, shopId, null, null, id)
  if (before === undefined) return null
  const after = changeTags(before, add, remove, now)
  await write(tx, shopId, before, after, now)
  return after
}

/** The back office's upsert. Refuses conflict when email and phone belong to two different contacts. */
export async function saveContact(tx: Sql, shopId: string, fields: ContactFields, now: Date) {
  return untilWritten(async () => {
    const { byEmail, byPhone } = await matches(tx, shopId, fields, null)
    if (byEmail !== null && byPhone !== null && byEmail.id !== byPhone.id) {
      const words = 'email belongs to one contact of this shop and phone to another; save them one by one.'
      throw refuse('conflict', words, { field: 'email' })
    }
    const before = byEmail ?? byPhone
    const after =
      before === null ? newContact(randomUUID(), shopId, fields, 'manual', now) : replaceFields(before, fields, now)
    return (await write(tx, shopId, before, after, now)) && { before, contact: after }
  })
}

/**
 * Imports one contact under its key. An email or phone that another contact has stays with that one. `only_create` leaves an
 * existing contact as it is. A contact with several keys gets its gaps filled only, so that no row replaces another's values.
 */
export async function importContact(tx: Sql, shopId: string, item: ImportedContact, now: Date): Promise<ImportResult> {
  const { source, batch, key, digest, dropped } = item
  const name = { source, kind: 'contact', key }
  const reference = await lockReference(tx, shopId, name)
  const told = earlierResult(reference, batch)
  if (told !== null) return told
  const isUnchanged = reference !== null && (item.only_create || reference.digest?.equals(digest) === true)
  const warning = { code: dropped?.code ?? null, message: dropped?.message ?? null }
  if (isUnchanged) return { key, outcome: 'unchanged', id: reference.object_id, ...warning }
  const hasOneKey = reference !== null && (await countReferences(tx, shopId, reference.object_id)) === 1
  const change = hasOneKey ? followFile : fillGaps
  const { before, after, taken } = await untilWritten(async () => {
    const found = await matches(tx, shopId, item.fields, reference?.object_id ?? null)
    const before = reference === null ? (found.byEmail ?? found.byPhone) : found.byId
    const { fields, taken } = withoutTaken(item.fields, before, found)
    const created = () => newContact(randomUUID(), shopId, fields, 'import', now)
    const after = before === null ? created() : item.only_create ? before : change(before, fields, now)
    return (await write(tx, shopId, before, after, now)) && { before, after, taken }
  })
  const isSame = before !== null && before.document === after.document
  const result = {
    key,
    outcome: before === null ? ('created' as const) : isSame ? ('unchanged' as const) : ('updated' as const),
    id: after.id,
    ...(taken === null ? warning : { code: `${taken}_taken`, message: `The ${taken} is another contact's.` }),
  }
  const writing = { objectId: after.id, digest, batch, told: result }
  await (reference === null ? insertReference : updateReference)(tx, shopId, name, writing)
  return result
}

type Matches = { byId: ContactRow | null; byEmail: ContactRow | null; byPhone: ContactRow | null }

async function matches(
  tx: Sql,
  shopId: string,
  { email_key, phone }: ContactFields,
  id: string | null,
): Promise<Matches> {
  const rows = await lockContacts(tx, shopId, email_key, phone, id)
  return { byId: rows.find((row) => row.id === id) ?? null, ...matchesIn(rows, { email_key, phone }) }
}

/** Which of the rows have that email and that phone. */
export function matchesIn(rows: ContactRow[], { email_key, phone }: Pick<ContactFields, 'email_key' | 'phone'>) {
  return {
    byEmail: rows.find((row) => email_key !== null && row.email_key === email_key) ?? null,
    byPhone: rows.find((row) => phone !== null && row.phone === phone) ?? null,
  }
}

/** The fields without an email or phone that another contact has. */
export function withoutTaken(
  sent: ContactFields,
  before: ContactRow | null,
  { byEmail, byPhone }: Omit<Matches, 'byId'>,
) {
  const isEmailTaken = byEmail !== null && byEmail.id !== before?.id
  const isPhoneTaken = byPhone !== null && byPhone.id !== before?.id
  return {
    fields: {
      ...sent,
      ...(isEmailTaken ? { email: null, email_key: null } : {}),
      ...(isPhoneTaken ? { phone: null } : {}),
    },
    taken: isEmailTaken ? ('email' as const) : isPhoneTaken ? ('phone' as const) : null,
  }
}

// Another save of the person may come first between the look and the insert; the next look sees its row.
async function untilWritten<Result>(attempt: () => Promise<Result | false>): Promise<Result> {
  for (let attempts = 1; attempts <= ATTEMPTS_MAX; attempts += 1) {
    const result = await attempt()
    if (result !== false) return result
  }
  throw new Error('A contact was created and deleted by others again and again.')
}

/** False where nothing was written, because another contact has the email or phone by now. */
async function write(tx: Sql, shopId: string, before: ContactRow | null, after: ContactRow, now: Date) {
  if (before === null && !(await insertContact(tx, shopId, after))) return false
  if (before !== null && isChanged(before, after)) {
    const removed = without(before.tags, after.tags)
    if (removed.length > 0) await deleteTags(tx, shopId, after.id, removed)
    await updateContact(tx, shopId, after, without(after.tags, before.tags))
  }
  const consent = consentRecord(before, after, now)
  if (consent !== null) await insertConsent(tx, shopId, consent)
  return true
}

/** The record of a consent that a save brought or ended. docs/spec/double-opt-in.md#consent-record */
export function consentRecord(
  before: ContactRow | null,
  after: ContactRow,
  now: Date,
): Omit<ConsentRow, 'shop_id'> | null {
  const [consentBefore, consentAfter] = [before?.marketing_consent_at?.getTime(), after.marketing_consent_at?.getTime()]
  if (consentBefore === consentAfter) return null
  return {
    id: randomUUID(),
    contact_id: after.id,
    kind: after.marketing_consent_at === null ? 'withdrawn' : 'given',
    email: after.marketing_consent_at === null ? (before?.email ?? null) : after.email,
    at: after.marketing_consent_at ?? now,
    address: null,
    agent: null,
    text_version: null,
    source: 'back_office',
  }
}

/** Whether the row has to be written. */
export function isChanged(before: ContactRow, after: ContactRow): boolean {
  return before.document !== after.document || before.private_note !== after.private_note
}

/** The tags that are not excluded. */
export function without(tags: string[], excluded: string[]): string[] {
  const set = new Set(excluded)
  return tags.filter((tag) => !set.has(tag))
}
