// The SQL of subscriptions. Timers and history have their own queries.ts.
import { afterCursor, anyOf, conditions, merged } from '#paging/list'
import type { PageRequest, PageRow } from '#paging/page'
import type { Sql } from '#postgres/connect'
import { movedColumns, type SubscriptionKey, type SubscriptionRow, subscriptionColumnNames } from './tables.ts'

/** A page of subscriptions, newest first. Uses subscriptions_newest or subscriptions_status. */
export function listSubscriptions(
  db: Sql,
  shopId: string,
  status: readonly string[] | undefined,
  page: PageRequest,
): Promise<PageRow[]> {
  return db.rows(...pageOf('document', shopId, status, page))
}

/** The same page with the anchors of the periods. */
export function listSubscriptionsToExport(
  db: Sql,
  shopId: string,
  status: readonly string[] | undefined,
  page: PageRequest,
): Promise<(PageRow & Pick<SubscriptionRow, 'anchor_at' | 'periods'>)[]> {
  return db.rows(...pageOf('document, anchor_at, periods', shopId, status, page))
}

function pageOf(
  columns: string,
  shopId: string,
  status: readonly string[] | undefined,
  page: PageRequest,
): [text: string, values: unknown[]] {
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    anyOf('status', 'status', status),
    afterCursor('created_at, id', page),
  ])
  const limitAt = next(page.rowsMax)
  const order = 'created_at desc, id desc'
  const one = `select ${columns}, created_at, id from subscriptions where ${where} order by ${order} limit ${limitAt}`
  return [merged(one, { filters: { status }, next, order, limitAt }), values]
}

/** Memberships of a contact behind a position, newest first: at most `rowsMax`. Uses subscriptions_contact. */
export function listOfContact(
  db: Sql,
  shopId: string,
  contactId: string,
  after: { created_at: Date; id: string } | null,
  rowsMax: number,
): Promise<Pick<SubscriptionRow, 'id' | 'document' | 'created_at'>[]> {
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    ['client_id = ?', contactId],
    after === null ? null : ['(created_at, id) < (?, ?)', after.created_at, after.id],
  ])
  return db.rows(
    `select id, document, created_at from subscriptions where ${where}
     order by created_at desc, id desc limit ${next(rowsMax)}`,
    values,
  )
}

export async function findDocument(db: Sql, shopId: string, id: string): Promise<string | null> {
  const [row] = await db.rows<{ document: string }>(
    'select document from subscriptions where shop_id = $1 and id = $2',
    [shopId, id],
  )
  return row?.document ?? null
}

/** The subscriptions with these ids, in the order of the ids. */
export function listSubscriptionsOf(
  db: Sql,
  shopId: string,
  ids: string[],
  isLocked: boolean,
): Promise<SubscriptionRow[]> {
  return db.rows(
    `select * from subscriptions where shop_id = $1 and id = any($2) order by id ${isLocked ? 'for update' : ''}`,
    [shopId, ids],
  )
}

export async function lockSubscription(tx: Sql, shopId: string, id: string): Promise<SubscriptionRow | null> {
  const [row] = await tx.rows<SubscriptionRow>(
    'select * from subscriptions where shop_id = $1 and id = $2 for update',
    [shopId, id],
  )
  return row ?? null
}

/** The next subscriptions of all shops after `after`, by shop and id, locked; null for the first ones. */
export function lockSubscriptionsAfter(
  tx: Sql,
  after: SubscriptionKey | null,
  rowsMax: number,
): Promise<SubscriptionRow[]> {
  // All shops: every document is rendered again.
  return tx.rows(
    `select * from subscriptions
     where (shop_id, id) > (coalesce($1, '00000000-0000-0000-0000-000000000000')::uuid,
       coalesce($2, '00000000-0000-0000-0000-000000000000')::uuid)
     order by shop_id, id limit $3 for update`,
    [after?.shop_id ?? null, after?.id ?? null, rowsMax],
  )
}

/** Replaces the documents of these locked subscriptions, of any shop. */
export async function updateDocuments(tx: Sql, rows: (SubscriptionKey & { document: string })[]): Promise<void> {
  await tx.write(
    `update subscriptions s set document = d.document
     from json_to_recordset($1) as d (shop_id uuid, id uuid, document text)
     where s.shop_id = d.shop_id and s.id = d.id`,
    [JSON.stringify(rows)],
  )
}

export async function insertSubscription(tx: Sql, row: SubscriptionRow): Promise<void> {
  // All shops: the row has its shop_id.
  await tx.write(
    `insert into subscriptions (${columns}) select ${columns} from json_populate_record(null::subscriptions, $1)`,
    [JSON.stringify(row)],
  )
}

export async function updateSubscription(tx: Sql, shopId: string, row: SubscriptionRow): Promise<void> {
  await tx.write(
    `update subscriptions
     set (${changingColumns}) = (select ${changingColumns} from json_populate_record(null::subscriptions, $3))
     where shop_id = $1 and id = $2`,
    [shopId, row.id, JSON.stringify(row)],
  )
}

/** Writes what a move changes of a locked subscription. */
export async function updateMoved(tx: Sql, row: SubscriptionRow): Promise<void> {
  await tx.write(UPDATE_MOVED, [row.shop_id, row.id, ...movedColumns.map((column) => row[column])])
}

const fixed: readonly string[] = ['id', 'shop_id', 'created_at']
const columns = subscriptionColumnNames.join(', ')
const changingColumns = subscriptionColumnNames.filter((name) => !fixed.includes(name)).join(', ')

const UPDATE_MOVED = `
  update subscriptions set ${movedColumns.map((column, index) => `${column} = $${index + 3}`).join(', ')}
  where shop_id = $1 and id = $2`
