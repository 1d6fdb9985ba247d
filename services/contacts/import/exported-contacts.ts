// Exports contacts with their consents, and imports such contacts. docs/spec/imports.md#our-own-files
import { randomUUID } from 'node:crypto'
import type { ActionParams } from '#contracts/actions'
import { contactFields } from '#contracts/input/exported'
import { exportedDocument } from '#paging/exported'
import { type PageRequest, toPage } from '#paging/page'
import { emailKey } from '#person/person'
import type { Database, Sql } from '#postgres/connect'
import { importProblem } from '#postgres/import/failed-result'
import { importObjects, type ObjectImport, resolveIds } from '#postgres/import/import-objects'
import { openParams } from '#schema/open'
import { canonicalMailbox, mailboxDigest } from '../opt-in/opt-in.ts'
import { insertConsent } from '../opt-in/queries.ts'
import { deleteTags, insertContact, lockContacts, updateContact } from '../save/queries.ts'
import { toConsent } from '../shape.ts'
import type { ContactRow } from '../tables.ts'
import { type ContactPlan, identityOf, planContact, type StoredContact } from './exported-contact.ts'
import {
  isMailboxSuppressed,
  listConsents,
  listContactsOf,
  listExistingContacts,
  listPageToExport,
  type ListFilter,
} from './exported-queries.ts'

type Shop = { shopId: string; country: string | null }

/** A page of contacts, each with its consents and its private note. */
export async function exportContacts(
  db: Database,
  shopId: string,
  filter: ListFilter,
  page: PageRequest,
): Promise<Buffer> {
  const rows = await listPageToExport(db, shopId, filter, page)
  const consents = await listConsents(
    db,
    shopId,
    rows.map(({ id }) => id),
  )
  const exported = rows.map(({ private_note: privateNote, ...row }) =>
    exportedDocument(row, { privateNote, consents: (consents.get(row.id) ?? []).map(toConsent) }),
  )
  return toPage(exported, page)
}

export function importExportedContacts(
  db: Database,
  batch: ActionParams<'contacts.import_objects'>,
  shop: Shop,
  now: Date,
) {
  return importObjects(db, shop.shopId, batch, contactImport(shop), now)
}

/** The contacts of this shop by ids of another shop or of this one. */
export function resolveContacts(db: Database, shopId: string, ids: string[]) {
  const listExisting = (some: string[]) => listExistingContacts(db, shopId, some)
  return resolveIds(db, shopId, ids, { kinds: ['contact'], listExisting })
}

function contactImport(shop: Shop): ObjectImport<StoredContact, ContactPlan> {
  const { shopId } = shop
  return {
    kind: 'contact',
    async load(sql, ids, isLocked) {
      const rows = await listContactsOf(sql, shopId, { ids, email_key: null, phone: null }, isLocked)
      const stored = await withConsents(sql, shopId, rows)
      return new Map(stored.map((one) => [one.row.id, one]))
    },
    async plan(sql, before, { fields }, facts) {
      const opened = openParams(contactFields, fields)
      const { email, phone } = identityOf(before, opened, shop.country)
      const email_key = typeof email === 'string' ? emailKey(email) : null
      const found = await findOthers(sql, shopId, before, email_key, phone ?? null)
      const isSuppressed =
        typeof email === 'string' && (await isMailboxSuppressed(sql, shopId, mailboxDigest(canonicalMailbox(email))))
      return planContact(before, opened, shop, { ...found, isSuppressed }, facts)
    },
    async write(tx, before, { met, after, consents }) {
      const old = before ?? (met === null ? null : await locked(tx, shopId, met))
      if (old === null) {
        if (!(await insertContact(tx, shopId, after)))
          throw importProblem('conflict', 'Another save took the email or phone.')
      } else {
        const removed = without(old.row.tags, after.tags)
        if (removed.length > 0) await deleteTags(tx, shopId, after.id, removed)
        await updateContact(tx, shopId, after, without(after.tags, old.row.tags))
      }
      for (const record of consents) {
        await insertConsent(tx, shopId, { ...record, id: randomUUID(), contact_id: after.id })
      }
      return after.id
    },
  }
}

/** The contacts with that email or phone; none is asked for where the contact has both already. */
async function findOthers(
  sql: Sql,
  shopId: string,
  before: StoredContact | null,
  email_key: string | null,
  phone: string | null,
) {
  const wanted = {
    email_key: email_key === before?.row.email_key ? null : email_key,
    phone: phone === before?.row.phone ? null : phone,
  }
  if (wanted.email_key === null && wanted.phone === null) return { byEmail: null, byPhone: null }
  const rows = await withConsents(sql, shopId, await listContactsOf(sql, shopId, { ids: [], ...wanted }, false))
  return {
    byEmail: rows.find(({ row }) => wanted.email_key !== null && row.email_key === wanted.email_key) ?? null,
    byPhone: rows.find(({ row }) => wanted.phone !== null && row.phone === wanted.phone) ?? null,
  }
}

/** Throws where the contact changed since it was read; the object fails, and the same file sent again meets it. */
async function locked(tx: Sql, shopId: string, met: StoredContact): Promise<StoredContact> {
  const [row] = await lockContacts(tx, shopId, null, null, met.row.id)
  if (row === undefined || row.document !== met.row.document) {
    throw importProblem('conflict', 'The contact with this email or phone changed meanwhile.')
  }
  return met
}

async function withConsents(sql: Sql, shopId: string, rows: ContactRow[]): Promise<StoredContact[]> {
  const consents = await listConsents(
    sql,
    shopId,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ row, consents: consents.get(row.id) ?? [] }))
}

function without(tags: string[], excluded: string[]): string[] {
  const set = new Set(excluded)
  return tags.filter((tag) => !set.has(tag))
}
