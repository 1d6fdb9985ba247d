// SQL that finds and saves contacts with their tags.
import type { Sql } from '#postgres/connect'
import type { ContactRow } from '../tables.ts'

/** The contacts with that email or that phone, at most two. */
export function findPeople(db: Sql, shopId: string, emailKey: string | null, phone: string | null) {
  return db.rows<{ id: string; email_key: string | null }>(
    'select id, email_key from contacts where shop_id = $1 and (email_key = $2 or phone = $3)',
    [shopId, emailKey, phone],
  )
}

/** The contacts with one of these emails or phones. */
export function findAllPeople(db: Sql, shopId: string, emailKeys: string[], phones: string[]) {
  return db.rows<{ id: string; email_key: string | null; phone: string | null }>(
    `select id, email_key, phone from contacts where shop_id = $1 and email_key = any($2)
     union select id, email_key, phone from contacts where shop_id = $1 and phone = any($3)`,
    [shopId, emailKeys, phones],
  )
}

/** The contacts with that email or that phone as they are committed, without a lock; at most two. */
export function readPeople(db: Sql, shopId: string, emailKey: string | null, phone: string | null) {
  return db.rows<ContactRow>(
    `select * from contacts where shop_id = $1 and email_key = $2
     union all
     select * from contacts where shop_id = $1 and phone = $3 and (email_key = $2) is not true`,
    [shopId, emailKey, phone],
  )
}

/** Locks the contacts with that email, that phone or that id, at most three, in the order of their ids. */
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

/** Inserts the contact with its tags. False where another one of the shop has the email or phone by now; nothing is written then. */
export async function insertContact(tx: Sql, shopId: string, row: ContactRow): Promise<boolean> {
  const inserted = await tx.rows(
    `with inserted as (
       insert into contacts (shop_id, id, name, email, email_key, phone, tags, source, marketing_consent_at, line1, line2,
         city, region, postal_code, country, private_note, document, updated_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
       on conflict do nothing returning shop_id, id, created_at, tags
     ), tagged as (
       insert into contact_tags (shop_id, contact_id, created_at, tag)
       select shop_id, id, created_at, unnest(tags) from inserted on conflict do nothing
     )
     select id from inserted`,
    [...columnsOf(shopId, row), row.created_at],
  )
  return inserted.length > 0
}

/** `addedTags`: those of the row's tags that the contact did not have. */
export async function updateContact(tx: Sql, shopId: string, row: ContactRow, addedTags: string[]): Promise<void> {
  await tx.write(
    `with tagged as (
       insert into contact_tags (shop_id, contact_id, created_at, tag)
       select $1, $2, $19, unnest($20::text[]) on conflict do nothing
     )
     update contacts set name = $3, email = $4, email_key = $5, phone = $6, tags = $7, source = $8,
       marketing_consent_at = $9, line1 = $10, line2 = $11, city = $12, region = $13, postal_code = $14, country = $15,
       private_note = $16, document = $17, updated_at = $18
     where shop_id = $1 and id = $2`,
    [...columnsOf(shopId, row), row.created_at, addedTags],
  )
}

export async function deleteTags(tx: Sql, shopId: string, id: string, tags: string[]): Promise<void> {
  await tx.write('delete from contact_tags where shop_id = $1 and contact_id = $2 and tag = any($3)', [
    shopId,
    id,
    tags,
  ])
}

/** The number of import keys of the contact. */
export async function countReferences(tx: Sql, shopId: string, id: string): Promise<number> {
  const [row] = await tx.rows<{ count: number }>(
    'select count(*)::int as count from external_references where shop_id = $1 and object_id = $2',
    [shopId, id],
  )
  return row?.count ?? 0
}

function columnsOf(shopId: string, row: ContactRow): unknown[] {
  return [
    ...[shopId, row.id, row.name, row.email, row.email_key, row.phone, row.tags, row.source, row.marketing_consent_at],
    ...[row.line1, row.line2, row.city, row.region, row.postal_code, row.country, row.private_note],
    ...[row.document, row.updated_at],
  ]
}
