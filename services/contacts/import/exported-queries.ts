// SQL of the export of contacts and of the import of such contacts.
import { afterCursor, conditions, timeConditions, type TimeFilter } from '#paging/list'
import type { PageRequest, PageRow } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { ConsentRow, ContactRow } from '../tables.ts'
import type { ConsentRecord } from './exported-consent.ts'

export type ListFilter = TimeFilter & {
  tag?: string | undefined
  email_key?: string | undefined
  consented?: string | undefined
}

/** A page of contacts, newest first, with their private notes. Uses contacts_newest, contacts_consented or contacts_email. */
export function listPageToExport(db: Sql, shopId: string, filter: ListFilter, page: PageRequest) {
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    ['email_key = ?', filter.email_key],
    ['? = any(tags)', filter.tag],
    filter.consented === 'true' ? ['marketing_consent_at is not null'] : null,
    ...timeConditions(filter, page),
    afterCursor('created_at, id', page),
  ])
  return db.rows<PageRow & { private_note: string | null }>(
    `select document, private_note, created_at, id from contacts where ${where}
     order by created_at desc, id desc limit ${next(page.rowsMax)}`,
    values,
  )
}

/** The consent records of these contacts, oldest first. Uses consents_contact. */
export async function listConsents(
  db: Sql,
  shopId: string,
  contactIds: string[],
): Promise<Map<string, ConsentRecord[]>> {
  const byContact = new Map<string, ConsentRecord[]>()
  if (contactIds.length === 0) return byContact
  const rows = await db.rows<Omit<ConsentRow, 'shop_id' | 'id'>>(
    `select contact_id, kind, email, at, address, agent, text_version, source from consents
     where shop_id = $1 and contact_id = any($2) order by contact_id, at, id`,
    [shopId, contactIds],
  )
  for (const { contact_id, ...record } of rows) {
    const records = byContact.get(contact_id)
    if (records === undefined) byContact.set(contact_id, [record])
    else records.push(record)
  }
  return byContact
}

type Wanted = { ids: string[]; email_key: string | null; phone: string | null }

/** The contacts with one of these ids, that email or that phone, in the order of their ids. */
export function listContactsOf(db: Sql, shopId: string, { ids, email_key, phone }: Wanted, isLocked: boolean) {
  return db.rows<ContactRow>(
    `select * from contacts where shop_id = $1 and (id = any($2) or email_key = $3 or phone = $4)
     order by id ${isLocked ? 'for update' : ''}`,
    [shopId, ids, email_key, phone],
  )
}

/** The contacts with these ids that exist. */
export async function listExistingContacts(db: Sql, shopId: string, ids: string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>('select id from contacts where shop_id = $1 and id = any($2)', [
    shopId,
    ids,
  ])
  return rows.map(({ id }) => id)
}

export async function isMailboxSuppressed(db: Sql, shopId: string, digest: Buffer): Promise<boolean> {
  const rows = await db.rows('select 1 from suppressed_mailboxes where shop_id = $1 and mailbox_digest = $2', [
    shopId,
    digest,
  ])
  return rows.length > 0
}
