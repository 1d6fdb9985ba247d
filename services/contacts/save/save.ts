// Owns the writing of contacts: who is meant, what they are afterwards, row, tags and document in one transaction.
// Spec: POST /contacts, rule 1; POST /contacts/{id}/tags. Back office: POST /shops/{shop}/contacts, "upserted by email or
// phone". import-formats.md, "Identity and re-import".
//
// Two saves of one person at once: both may find nobody, one inserts, the other meets the unique index; its whole
// transaction runs again and then finds the first one's row. Rows are locked in the order of their ids, so that two saves
// that each touch the same two people cannot wait for each other.
import { randomUUID } from 'node:crypto'
import type { ContactSource } from '#contracts/objects/contact'
import { refuse } from '#contracts/errors'
import type { ImportResult } from '#contracts/actions/import-result'
import { type Database, type Sql, breaks } from '#postgres/connect'
import {
  insertReference,
  lockReference,
  referenceRule,
  toldBefore,
  updateReference,
} from '#postgres/external-reference'
import { changeTags, fillGaps, followFile, newContact, replaceFields } from './change.ts'
import type { Given } from './contact-fields.ts'
import { insertConsent } from '../opt-in/queries.ts'
import type { ConsentRow } from '../opt-in/tables.ts'
import { countReferences, deleteTags, insertContact, insertTags, lockContacts, updateContact } from '../queries.ts'
import type { ContactRow } from '../tables.ts'
import { fitTags } from './tags.ts'

/** What an import knows of one contact. `digest` is of what the file said; `dropped` is what could not be kept of it. */
export type ImportedPerson = {
  source: string
  batch: string | null
  key: string
  only_create: boolean
  given: Given
  digest: Buffer
  dropped: { code: string; message: string } | null
}

/** Runs the work in a transaction, again when another one took the same email, phone or key in between. */
export async function transactOnPerson<Result>(
  db: Pick<Database, 'transaction'>,
  work: (tx: Sql) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(work)
    } catch (error) {
      const isTaken = uniqueNames.some((name) => breaks(error, name))
      if (!isTaken || attempt >= attemptsMax) throw error
    }
  }
}

/**
 * The public upsert: by email, then by phone. An email or phone that another contact has stays with that one, so two
 * contacts are never merged. `over` names the tags that the contact has no room for.
 */
export async function upsertContact(tx: Sql, shopId: string, asked: Given, source: ContactSource, now: Date) {
  const found = await matches(tx, shopId, asked, null)
  const before = found.byEmail ?? found.byPhone
  const { fitting, over } = fitTags(before?.tags ?? [], asked.tags)
  const given = { ...withoutTaken(asked, before, found).given, tags: fitting }
  const after = before === null ? newContact(randomUUID(), shopId, given, source, now) : fillGaps(before, given, now)
  await write(tx, shopId, before, after, now)
  return { contact: after, over }
}

/** Adds and takes off tags in their normal form; null where the shop has no such contact. */
export async function tagContact(tx: Sql, shopId: string, id: string, add: string[], remove: string[], now: Date) {
  const [before] = await lockContacts(tx, shopId, null, null, id)
  if (before === undefined) return null
  const after = changeTags(before, add, remove, now)
  await write(tx, shopId, before, after, now)
  return after
}

/** The back office's upsert. Refuses conflict when email and phone belong to two different contacts. */
export async function saveContact(tx: Sql, shopId: string, given: Given, now: Date) {
  const { byEmail, byPhone } = await matches(tx, shopId, given, null)
  if (byEmail !== null && byPhone !== null && byEmail.id !== byPhone.id) {
    const words = 'email belongs to one contact of this shop and phone to another; save them one by one.'
    throw refuse('conflict', words, { field: 'email' })
  }
  const before = byEmail ?? byPhone
  const after =
    before === null ? newContact(randomUUID(), shopId, given, 'manual', now) : replaceFields(before, given, now)
  await write(tx, shopId, before, after, now)
  return { created: before === null, contact: after }
}

/**
 * One contact of a file, under its key. An email or phone that another contact has stays with that one. With `only_create`
 * a person the shop has stays as it is. Where two keys stand for one person, neither replaces what the other brought.
 */
export async function importContact(tx: Sql, shopId: string, person: ImportedPerson, now: Date): Promise<ImportResult> {
  const { source, batch, key, digest, dropped } = person
  const name = { source, kind: 'contact', key }
  const reference = await lockReference(tx, shopId, name)
  const told = toldBefore(reference, batch)
  if (told !== null) return told
  const isSettled = reference !== null && (person.only_create || reference.digest?.equals(digest) === true)
  const warning = { code: dropped?.code ?? null, message: dropped?.message ?? null }
  if (isSettled) return { key, outcome: 'unchanged', id: reference.object_id, ...warning }
  const found = await matches(tx, shopId, person.given, reference?.object_id ?? null)
  const before = reference === null ? (found.byEmail ?? found.byPhone) : found.known
  const { given, taken } = withoutTaken(person.given, before, found)
  const isAlone = reference !== null && (await countReferences(tx, shopId, reference.object_id)) === 1
  const after =
    before === null
      ? newContact(randomUUID(), shopId, given, 'import', now)
      : person.only_create
        ? before
        : isAlone
          ? followFile(before, given, now)
          : fillGaps(before, given, now)
  await write(tx, shopId, before, after, now)
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

const attemptsMax = 5
const uniqueNames = ['contacts_email', 'contacts_phone', referenceRule]

type Matches = { known: ContactRow | null; byEmail: ContactRow | null; byPhone: ContactRow | null }

async function matches(tx: Sql, shopId: string, given: Given, id: string | null): Promise<Matches> {
  const rows = await lockContacts(tx, shopId, given.email_key, given.phone, id)
  return {
    known: rows.find((row) => row.id === id) ?? null,
    byEmail: rows.find((row) => given.email_key !== null && row.email_key === given.email_key) ?? null,
    byPhone: rows.find((row) => given.phone !== null && row.phone === given.phone) ?? null,
  }
}

function withoutTaken(given: Given, before: ContactRow | null, { byEmail, byPhone }: Matches) {
  const isEmailTaken = byEmail !== null && byEmail.id !== before?.id
  const isPhoneTaken = byPhone !== null && byPhone.id !== before?.id
  return {
    given: {
      ...given,
      ...(isEmailTaken ? { email: null, email_key: null } : {}),
      ...(isPhoneTaken ? { phone: null } : {}),
    },
    taken: isEmailTaken ? ('email' as const) : isPhoneTaken ? ('phone' as const) : null,
  }
}

async function write(tx: Sql, shopId: string, before: ContactRow | null, after: ContactRow, now: Date): Promise<void> {
  if (before === null) await insertContact(tx, shopId, after)
  else if (isOther(before, after)) await updateContact(tx, shopId, after)
  const [gone, come] = [missingIn(after.tags, before?.tags ?? []), missingIn(before?.tags ?? [], after.tags)]
  if (gone.length > 0) await deleteTags(tx, shopId, after.id, gone)
  if (come.length > 0) await insertTags(tx, shopId, after.id, after.created_at, come)
  const consent = broughtConsent(before, after, now)
  if (consent !== null) await insertConsent(tx, shopId, consent)
}

// Only the back office and an import can bring a consent, or end one with its address. What they said is kept as evidence.
function broughtConsent(before: ContactRow | null, after: ContactRow, now: Date): Omit<ConsentRow, 'shop_id'> | null {
  const [was, is] = [before?.marketing_consent_at?.getTime(), after.marketing_consent_at?.getTime()]
  if (was === is) return null
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

function isOther(before: ContactRow, after: ContactRow): boolean {
  return before.document !== after.document || before.private_note !== after.private_note
}

function missingIn(present: string[], wanted: string[]): string[] {
  const known = new Set(present)
  return wanted.filter((tag) => !known.has(tag))
}
