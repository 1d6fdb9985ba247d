// SQL that imports contacts in batches. That of single contacts: save/queries.ts
import type { Sql } from '#postgres/connect'
import { type ContactRow, ContactTable } from '../tables.ts'

const columnNames = Object.keys(ContactTable.columns)
const columns = columnNames.join(', ')
const changingNames = columnNames.filter((name) => !['shop_id', 'id', 'created_at'].includes(name))

/** Locks the contacts with one of these emails, phones or ids, in the order of their ids. */
export function lockPeople(
  tx: Sql,
  shopId: string,
  { emails, phones, ids }: { emails: string[]; phones: string[]; ids: string[] },
): Promise<ContactRow[]> {
  return tx.rows(
    `select ${columns} from contacts where shop_id = $1 and id in (
       select id from contacts where shop_id = $1 and email_key = any($2)
       union select id from contacts where shop_id = $1 and phone = any($3)
       union select unnest($4::uuid[]))
     order by id for update`,
    [shopId, emails, phones, ids],
  )
}

/** The number of import keys of each of the contacts. */
export function countAllReferences(
  tx: Sql,
  shopId: string,
  ids: string[],
): Promise<{ object_id: string; count: number }[]> {
  return tx.rows(
    `select object_id, count(*)::int as count from external_references
     where shop_id = $1 and object_id = any($2::uuid[]) group by object_id`,
    [shopId, ids],
  )
}

/** Returns how many were inserted: not those whose email or phone another contact of the shop has by now. */
export async function insertContacts(tx: Sql, shopId: string, rows: ContactRow[]): Promise<number> {
  // In one order, so that two imports of the same people wait for each other instead of ending in a deadlock.
  const [inserted] = await tx.rows<{ count: number }>(
    `with inserted as (
       insert into contacts (${columns}) select ${columns} from json_populate_recordset(null::contacts, $2)
       where shop_id = $1 order by email_key, phone
       on conflict do nothing returning 1)
     select count(*)::int as count from inserted`,
    [shopId, JSON.stringify(rows)],
  )
  return inserted?.count ?? 0
}

export async function updateContacts(tx: Sql, shopId: string, rows: ContactRow[]): Promise<void> {
  await tx.write(
    `update contacts c set (${changingNames.join(', ')}) = (select ${changingNames.map((name) => `r.${name}`).join(', ')})
     from json_populate_recordset(null::contacts, $2) as r where c.shop_id = $1 and c.id = r.id`,
    [shopId, JSON.stringify(rows)],
  )
}

export async function insertTagsOfAll(
  tx: Sql,
  shopId: string,
  tags: { contact_id: string; created_at: Date; tag: string }[],
): Promise<void> {
  await tx.write(
    `insert into contact_tags (shop_id, contact_id, created_at, tag)
     select $1, contact_id, created_at, tag
     from json_to_recordset($2) as t (contact_id uuid, created_at timestamptz, tag text)
     on conflict do nothing`,
    [shopId, JSON.stringify(tags)],
  )
}
