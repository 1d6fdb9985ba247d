// SQL that lists, renders and deletes contacts. Saving them: save/queries.ts; the double opt-in: opt-in/queries.ts
import type { ActionParams } from '#contracts/actions'
import { afterCursor, conditions, listChangedPacked, listPacked, type PackedRows, timeConditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { ContactKey, ContactRow } from './tables.ts'

type ListFilter = Omit<ActionParams<'contacts.list'>, 'limit' | 'cursor' | 'tag' | 'email'>

/** A page of contacts, newest first. Uses contacts_newest or contacts_consented, for few changed rows contacts_changed. */
export function listContacts(db: Sql, shopId: string, filter: ListFilter, page: PageRequest): Promise<PackedRows[]> {
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    filter.consented === 'true' ? ['marketing_consent_at is not null'] : null,
    ...timeConditions(filter, page),
    afterCursor('created_at, id', page),
  ])
  const text = `select document, created_at, id from contacts where ${where}
    order by created_at desc, id desc limit ${next(page.rowsMax)}`
  return listChangedPacked(db, page, { text, values, table: 'contacts', shopId, filter })
}

/** The same for one email: at most one row, by contacts_email, without order and limit. */
export function listContactsByEmail(
  db: Sql,
  shopId: string,
  filter: ListFilter & { email_key: string; tag?: string | undefined },
  page: PageRequest,
): Promise<PackedRows[]> {
  const { where, values } = conditions([
    ['shop_id = ?', shopId],
    ['email_key = ?', filter.email_key],
    ['? = any(tags)', filter.tag],
    filter.consented === 'true' ? ['marketing_consent_at is not null'] : null,
    ...timeConditions(filter, page),
    afterCursor('created_at, id', page),
  ])
  const text = `select document, created_at, id from contacts where ${where}`
  return listPacked(db, page, { text, values, table: 'contacts', shopId, filter })
}

/**
 * The same for one tag. Reads contact_tags, whose key has the order of the list, and each contact by its key. `offset 0` keeps
 * the planner from reversing that when it misjudges how many rows the other filters leave.
 */
export function listContactsByTag(
  db: Sql,
  shopId: string,
  filter: ListFilter & { tag: string },
  page: PageRequest,
): Promise<PackedRows[]> {
  const { where, values, next } = conditions([
    ['t.shop_id = ?', shopId],
    ['t.tag = ?', filter.tag],
    filter.consented === 'true' ? ['c.marketing_consent_at is not null'] : null,
    ['c.updated_at >= ?', filter.updated_after],
    ['(c.updated_at > ?) is not true', filter.updated_after && page.until],
    ['(t.created_at > ?) is not true', filter.created_after && page.until],
    ['c.updated_at < ?', filter.updated_before],
    ['t.created_at >= ?', filter.created_after],
    ['t.created_at < ?', filter.created_before],
    ['t.created_at < ?', filter.updated_before],
    afterCursor('t.created_at, t.contact_id', page),
  ])
  const text = `select c.document, t.created_at, t.contact_id as id from contact_tags t
    cross join lateral (
      select document, marketing_consent_at, updated_at from contacts
      where shop_id = t.shop_id and id = t.contact_id offset 0) c
    where ${where}
    order by t.created_at desc, t.contact_id desc limit ${next(page.rowsMax)}`
  return listPacked(db, page, { text, values, table: 'contacts', shopId, filter })
}

/** The document of one contact, or null. */
export async function findContactDocument(db: Sql, shopId: string, id: string): Promise<string | null> {
  const [row] = await db.rows<{ document: string }>('select document from contacts where shop_id = $1 and id = $2', [
    shopId,
    id,
  ])
  return row?.document ?? null
}

/** Deletes the contact with its tags, links, consents and references of imports. Null when the shop has no such contact. */
export async function deleteContact(tx: Sql, shopId: string, id: string) {
  const [row] = await tx.rows<Pick<ContactRow, 'id' | 'email_key' | 'phone' | 'document'>>(
    `with deleted_references as (delete from external_references where shop_id = $1 and object_id = $2)
     delete from contacts where shop_id = $1 and id = $2 returning id, email_key, phone, document`,
    [shopId, id],
  )
  return row ?? null
}

/** What identifies the person of an erased contact, as the message to orders says it; null once that message is gone. */
export async function findErasedPerson(db: Sql, shopId: string, id: string) {
  const [row] = await db.rows<{ body: string; sent_at: Date | null }>(
    "select body, sent_at from outbox where shop_id = $1 and object_id = $2 and kind = 'contact.erased'",
    [shopId, id],
  )
  return row ?? null
}

/** Deletes messages that were handed over. */
export async function deleteSentMessages(db: Sql): Promise<void> {
  await db.rows('delete from outbox where sent_at is not null') // All shops: housekeeping.
}

/** The next contacts of all shops after `after`, by shop and id, locked; null for the first ones. */
export function lockContactsAfter(tx: Sql, after: ContactKey | null, rowsMax: number): Promise<ContactRow[]> {
  return tx.rows(
    `select * from contacts
     where (shop_id, id) > (coalesce($1, '00000000-0000-0000-0000-000000000000')::uuid,
       coalesce($2, '00000000-0000-0000-0000-000000000000')::uuid)
     order by shop_id, id limit $3 for update`, // All shops: every document is rendered again.
    [after?.shop_id ?? null, after?.id ?? null, rowsMax],
  )
}

/** Replaces the documents of these locked contacts, of any shop. */
export async function updateDocuments(tx: Sql, rows: (ContactKey & { document: string })[]): Promise<void> {
  await tx.write(
    `update contacts as c set document = d.document
     from json_to_recordset($1) as d (shop_id uuid, id uuid, document text)
     where c.shop_id = d.shop_id and c.id = d.id`,
    [JSON.stringify(rows)],
  )
}
