// Owns all SQL of the contacts service: one exported function for each statement, the shop always first.
import type { ActionParams } from '#contracts/actions'
import type { PageRow, Want } from '#paging/page'
import { conditions } from '#postgres/conditions'
import type { Sql } from '#postgres/connect'

type ListFilter = Omit<ActionParams<'contacts.list'>, 'limit' | 'cursor' | 'tag'> & {
  tag?: string | undefined
  email_key?: string | undefined
}

/** A page of contacts, newest first. Lives on contacts_newest, contacts_consented or contacts_email. */
export function listContacts(db: Sql, shopId: string, filter: ListFilter, want: Want): Promise<PageRow[]> {
  const list = conditions([
    ['shop_id = ?', shopId],
    ['email_key = ?', filter.email_key],
    filter.consented === 'true' ? ['marketing_consent_at is not null'] : null,
    ...timeConditions('', filter),
    want.after === null ? null : ['(created_at, id) < (?, ?)', want.after.createdAt, want.after.id],
  ])
  return db.rows(
    `select document, created_at, id from contacts where ${list.where}
     order by created_at desc, id desc limit ${list.next(want.rowsMax)}`,
    list.values,
  )
}

/** The same for one tag. Walks contact_tags, whose key has the order of the list, and reads each contact by its key. */
export function listContactsByTag(
  db: Sql,
  shopId: string,
  filter: ListFilter & { tag: string },
  want: Want,
): Promise<PageRow[]> {
  const list = conditions([
    ['t.shop_id = ?', shopId],
    ['t.tag = ?', filter.tag],
    ['c.email_key = ?', filter.email_key],
    filter.consented === 'true' ? ['c.marketing_consent_at is not null'] : null,
    ...timeConditions('c.', filter),
    ['t.created_at >= ?', filter.created_after],
    ['t.created_at < ?', filter.created_before],
    want.after === null ? null : ['(t.created_at, t.contact_id) < (?, ?)', want.after.createdAt, want.after.id],
  ])
  return db.rows(
    `select c.document, c.created_at, c.id from contact_tags t join contacts c on c.id = t.contact_id where ${list.where}
     order by t.created_at desc, t.contact_id desc limit ${list.next(want.rowsMax)}`,
    list.values,
  )
}

/** The document of one contact, or null. */
export async function findContactDocument(db: Sql, shopId: string, id: string): Promise<string | null> {
  const [row] = await db.rows<{ document: string }>('select document from contacts where shop_id = $1 and id = $2', [
    shopId,
    id,
  ])
  return row?.document ?? null
}

// What changed before an instant was also created before it, so `updated_before` can bound the index range as well.
function timeConditions(alias: string, filter: ListFilter): [string, ...unknown[]][] {
  return [
    [`${alias}created_at >= ?`, filter.created_after],
    [`${alias}created_at < ?`, filter.created_before],
    [`${alias}updated_at >= ?`, filter.updated_after],
    [`${alias}updated_at < ?`, filter.updated_before],
    [`${alias}created_at < ?`, filter.updated_before],
  ]
}
