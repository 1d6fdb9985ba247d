// Owns all SQL of the contacts service: one exported function for each statement, the shop always first.
import type { ActionParams } from '#contracts/actions'
import { afterCursor, conditions, listChangedPacked, listPacked, type PagePart, timeConditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { ContactRow } from './tables.ts'

type ListFilter = Omit<ActionParams<'contacts.list'>, 'limit' | 'cursor' | 'tag' | 'email'>

/** A page of contacts, newest first. Lives on contacts_newest or contacts_consented; of few changes on contacts_changed. */
export function listContacts(db: Sql, shopId: string, filter: ListFilter, page: PageRequest): Promise<PagePart[]> {
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    filter.consented === 'true' ? ['marketing_consent_at is not null'] : null,
    ...timeConditions(filter),
    afterCursor('created_at, id', page),
  ])
  const text = `select document, created_at, id from contacts where ${where}
    order by created_at desc, id desc limit ${next(page.rowsMax)}`
  return listChangedPacked(db, page, { text, values, table: 'contacts', shopId, filter })
}

/** The same for one email: at most one row, by contacts_email, so it needs no order and no limit. */
export function listContactsByEmail(
  db: Sql,
  shopId: string,
  filter: ListFilter & { email_key: string; tag?: string | undefined },
  page: PageRequest,
): Promise<PagePart[]> {
  const { where, values } = conditions([
    ['shop_id = ?', shopId],
    ['email_key = ?', filter.email_key],
    ['? = any(tags)', filter.tag],
    filter.consented === 'true' ? ['marketing_consent_at is not null'] : null,
    ...timeConditions(filter),
    afterCursor('created_at, id', page),
  ])
  const text = `select document, created_at, id from contacts where ${where}`
  return listPacked(db, page, { text, values })
}

/**
 * The same for one tag. Walks contact_tags, whose key has the order of the list, and looks at each contact by its key:
 * `offset 0` keeps the planner from turning that round when it misjudges how many the other filters leave.
 */
export function listContactsByTag(
  db: Sql,
  shopId: string,
  filter: ListFilter & { tag: string },
  page: PageRequest,
): Promise<PagePart[]> {
  const { where, values, next } = conditions([
    ['t.shop_id = ?', shopId],
    ['t.tag = ?', filter.tag],
    filter.consented === 'true' ? ['c.marketing_consent_at is not null'] : null,
    ['c.updated_at >= ?', filter.updated_after],
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
  return listPacked(db, page, { text, values })
}

/** The document of one contact, or null. */
export async function findContactDocument(db: Sql, shopId: string, id: string): Promise<string | null> {
  const [row] = await db.rows<{ document: string }>('select document from contacts where shop_id = $1 and id = $2', [
    shopId,
    id,
  ])
  return row?.document ?? null
}

/** Whose email or phone it is: at most two contacts. */
export function findPeople(db: Sql, shopId: string, emailKey: string | null, phone: string | null) {
  return db.rows<{ id: string; email_key: string | null }>(
    'select id, email_key from contacts where shop_id = $1 and (email_key = $2 or phone = $3)',
    [shopId, emailKey, phone],
  )
}

/** Whose emails and phones these are. */
export function findAllPeople(db: Sql, shopId: string, emailKeys: string[], phones: string[]) {
  return db.rows<{ id: string; email_key: string | null; phone: string | null }>(
    `select id, email_key, phone from contacts where shop_id = $1 and email_key = any($2)
     union select id, email_key, phone from contacts where shop_id = $1 and phone = any($3)`,
    [shopId, emailKeys, phones],
  )
}

/** The contacts with that email, that phone or that id, at most three, locked in the order of their ids. */
export function lockContacts(
  tx: Sql,
  shopId: string,
  emailKey: string | null,
  phone: string | null,
  id: string | null,
) {
  return tx.rows<ContactRow>(
    `select * from contacts where shop_id = $1 and (email_key = $2 or phone = $3 or id = $4)
     order by id for update`,
    [shopId, emailKey, phone, id],
  )
}

export async function insertContact(tx: Sql, shopId: string, row: ContactRow): Promise<void> {
  await tx.rows(
    `insert into contacts (shop_id, id, name, email, email_key, phone, tags, source, marketing_consent_at, line1, line2,
       city, region, postal_code, country, private_note, document, updated_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
    [...changing(shopId, row), row.created_at],
  )
}

export async function updateContact(tx: Sql, shopId: string, row: ContactRow): Promise<void> {
  await tx.rows(
    `update contacts set name = $3, email = $4, email_key = $5, phone = $6, tags = $7, source = $8,
       marketing_consent_at = $9, line1 = $10, line2 = $11, city = $12, region = $13, postal_code = $14, country = $15,
       private_note = $16, document = $17, updated_at = $18
     where shop_id = $1 and id = $2`,
    changing(shopId, row),
  )
}

export async function insertTags(tx: Sql, shopId: string, id: string, createdAt: Date, tags: string[]): Promise<void> {
  await tx.rows(
    `insert into contact_tags (shop_id, contact_id, created_at, tag)
     select $1, $2, $3, tag from unnest($4::text[]) as tag on conflict do nothing`,
    [shopId, id, createdAt, tags],
  )
}

export async function deleteTags(tx: Sql, shopId: string, id: string, tags: string[]): Promise<void> {
  await tx.rows('delete from contact_tags where shop_id = $1 and contact_id = $2 and tag = any($3)', [shopId, id, tags])
}

/** Deletes the contact with its tags, links, consents and what imports know of it; gives who it was, or null. */
export async function deleteContact(tx: Sql, shopId: string, id: string) {
  const [row] = await tx.rows<Pick<ContactRow, 'id' | 'email_key' | 'phone'>>(
    `with known as (delete from external_references where shop_id = $1 and object_id = $2)
     delete from contacts where shop_id = $1 and id = $2 returning id, email_key, phone`,
    [shopId, id],
  )
  return row ?? null
}

/** Deletes messages that were handed over. All shops: this is housekeeping. */
export async function deleteSentMessages(db: Sql): Promise<void> {
  await db.rows('delete from outbox where sent_at is not null') // All shops.
}

/** How many keys stand for the contact. */
export async function countReferences(tx: Sql, shopId: string, id: string): Promise<number> {
  const [row] = await tx.rows<{ count: number }>(
    'select count(*)::int as count from external_references where shop_id = $1 and object_id = $2',
    [shopId, id],
  )
  return row?.count ?? 0
}

/** The next contacts by id, locked; null begins. All shops: this renders documents again. */
export function lockContactsAfter(tx: Sql, id: string | null, rowsMax: number): Promise<ContactRow[]> {
  return tx.rows(
    `select * from contacts where id > coalesce($1, '00000000-0000-0000-0000-000000000000'::uuid)
     order by id limit $2 for update`, // All shops.
    [id, rowsMax],
  )
}

export async function updateDocuments(tx: Sql, ids: string[], documents: string[]): Promise<void> {
  await tx.rows(
    `update contacts as c set document = d.document from unnest($1::uuid[], $2::text[]) as d (id, document)
     where c.id = d.id`, // All shops.
    [ids, documents],
  )
}

function changing(shopId: string, row: ContactRow): unknown[] {
  return [
    shopId,
    row.id,
    row.name,
    row.email,
    row.email_key,
    row.phone,
    row.tags,
    row.source,
    row.marketing_consent_at,
    row.line1,
    row.line2,
    row.city,
    row.region,
    row.postal_code,
    row.country,
    row.private_note,
    row.document,
    row.updated_at,
  ]
}
