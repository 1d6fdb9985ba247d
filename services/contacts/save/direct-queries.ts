// SQL that saves a contact by one statement, which takes the stamp of the change itself and commits by itself. Why nothing is lost:
// save-directly.ts
import type { Sql } from '#postgres/connect'
import type { ContactRow } from '../tables.ts'

/** What a statement stamped, as it is stored. */
export type Stamped = Pick<ContactRow, 'document' | 'created_at' | 'updated_at'>

// As JSON has an instant.
const TEXT = `to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as text`
const TAG = `
  insert into contact_tags (shop_id, contact_id, created_at, tag)
  select shop_id, id, created_at, unnest($4::text[]) from written on conflict do nothing`

/**
 * Inserts a contact of a public request with its tags. `pieces`: its document without the stamp, which belongs between any two of them.
 * Null, with nothing written, where another contact of the shop has the email or phone.
 */
export async function insertStamped(
  db: Sql,
  shopId: string,
  { id, name, email, email_key, phone, tags, source }: ContactRow,
  pieces: string[],
): Promise<Stamped | null> {
  const [stamped] = await db.rows<Stamped>(
    `with stamp as materialized (
       select at, ${TEXT} from (select begin_change($1) as at) s
     ), written as (
       insert into contacts (shop_id, id, name, email, email_key, phone, tags, source, document, created_at, updated_at)
       select $1, $2, $5, $6, $7, $8, $4, $9, array_to_string($3::text[], text), at, at from stamp
       on conflict do nothing returning shop_id, id, document, created_at, updated_at
     ), tagged as (${TAG})
     select document, created_at, updated_at from written`,
    [shopId, id, pieces, tags, name, email, email_key, phone, source],
  )
  return stamped ?? null
}

/**
 * Updates what a public request may change, where the stored row still has the document and stamp of `before`; `pieces` as above. Null, with
 * nothing written, where it has others or is gone.
 */
export async function updateStamped(
  db: Sql,
  shopId: string,
  before: ContactRow,
  { id, name, email, email_key, phone, tags }: ContactRow,
  addedTags: string[],
  pieces: string[],
): Promise<Stamped | null> {
  const [stamped] = await db.rows<Stamped>(
    `with stamp as materialized (
       select at, ${TEXT} from (select greatest(begin_change($1), $5::timestamptz + interval '1 ms') as at) s
     ), written as (
       update contacts set name = $7, email = $8, email_key = $9, phone = $10, tags = $11,
         document = array_to_string($3::text[], text), updated_at = at
       from stamp where shop_id = $1 and id = $2 and updated_at = $5 and document = $6
       returning shop_id, id, document, created_at, updated_at
     ), tagged as (${TAG})
     select document, created_at, updated_at from written`,
    [shopId, id, pieces, addedTags, before.updated_at, before.document, name, email, email_key, phone, tags],
  )
  return stamped ?? null
}
