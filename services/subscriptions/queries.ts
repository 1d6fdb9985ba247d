// Owns all SQL of the subscriptions service: one exported function for each statement, the shop always first.
import type { UnrecoveredStatus } from '#contracts/objects/subscription'
import { afterCursor, conditions } from '#paging/list'
import type { PageRow, PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { HistoryRow } from './moves/move.ts'
import { type SubscriptionRow, subscriptionColumnNames, type TimerRow } from './tables.ts'

/** A page of subscriptions, newest first. Lives on subscriptions_newest or subscriptions_status. */
export function listSubscriptions(
  db: Sql,
  shopId: string,
  status: string | undefined,
  page: PageRequest,
): Promise<PageRow[]> {
  const { where, values, next } = conditions([
    ['shop_id = ?', shopId],
    ['status = ?', status],
    afterCursor('created_at, id', page),
  ])
  return db.rows(
    `select document, created_at, id from subscriptions where ${where}
     order by created_at desc, id desc limit ${next(page.rowsMax)}`,
    values,
  )
}

/** The document of one subscription, or null. */
export async function findDocument(db: Sql, shopId: string, id: string): Promise<string | null> {
  const [row] = await db.rows<{ document: string }>(
    'select document from subscriptions where shop_id = $1 and id = $2',
    [shopId, id],
  )
  return row?.document ?? null
}

export async function lockSubscription(tx: Sql, shopId: string, id: string): Promise<SubscriptionRow | null> {
  const [row] = await tx.rows<SubscriptionRow>(
    'select * from subscriptions where shop_id = $1 and id = $2 for update',
    [shopId, id],
  )
  return row ?? null
}

/** Subscriptions in the order of their ids, after the given one, locked. All shops: every document is rendered again. */
export function lockSubscriptionsAfter(tx: Sql, after: string | null, rowsMax: number): Promise<SubscriptionRow[]> {
  return tx.rows(
    `select * from subscriptions where id > coalesce($1, '00000000-0000-0000-0000-000000000000')::uuid
     order by id limit $2 for update`, // All shops.
    [after, rowsMax],
  )
}

/** New documents for rows that are locked. All shops: a batch may hold subscriptions of several. */
export async function saveDocuments(tx: Sql, documents: { id: string; document: string }[]): Promise<void> {
  await tx.rows(
    `update subscriptions s set document = d.document
     from json_to_recordset($1) as d (id uuid, document text) where s.id = d.id`, // All shops.
    [JSON.stringify(documents)],
  )
}

export async function insertSubscription(tx: Sql, row: SubscriptionRow): Promise<void> {
  // All shops: the row names its own.
  await tx.rows(
    `insert into subscriptions (${columns}) select ${columns} from json_populate_record(null::subscriptions, $1)`,
    [JSON.stringify(row)],
  )
}

export async function updateSubscription(tx: Sql, shopId: string, row: SubscriptionRow): Promise<void> {
  await tx.rows(
    `update subscriptions
     set (${changingColumns}) = (select ${changingColumns} from json_populate_record(null::subscriptions, $3))
     where shop_id = $1 and id = $2`,
    [shopId, row.id, JSON.stringify(row)],
  )
}

/** Adds a line behind the others of the subscription, which is locked or new in this transaction. */
export async function insertHistory(tx: Sql, shopId: string, row: Omit<HistoryRow, 'position'>): Promise<void> {
  await tx.rows(
    `insert into subscription_history (subscription_id, position, shop_id, at, who, move, from_status, to_status)
     select $2, coalesce(max(position), 0) + 1, $1, $3, $4, $5, $6, $7
     from subscription_history where shop_id = $1 and subscription_id = $2`,
    [shopId, row.subscription_id, row.at, row.who, row.move, row.from_status, row.to_status],
  )
}

/** A page of the history, newest first: before the given position. Lives on the primary key. */
export function listHistory(
  db: Sql,
  shopId: string,
  id: string,
  before: number,
  page: PageRequest,
): Promise<HistoryRow[]> {
  return db.rows(
    `select subscription_id, position, at, who, move, from_status, to_status
     from subscription_history where shop_id = $1 and subscription_id = $2 and position < $3
     order by position desc limit $4`,
    [shopId, id, before, page.rowsMax],
  )
}

/** Sets the one timer of the subscription; whoever held the old one holds nothing any more. */
export async function setTimer(tx: Sql, shopId: string, id: string, timer: Pick<TimerRow, 'move' | 'due_at'>) {
  await tx.rows(
    `insert into timers (shop_id, subscription_id, move, due_at) values ($1, $2, $3, $4)
     on conflict (subscription_id) do update
       set move = excluded.move, due_at = excluded.due_at, lease_until = null, lease_token = null`,
    [shopId, id, timer.move, timer.due_at],
  )
}

export async function deleteTimer(tx: Sql, shopId: string, id: string): Promise<void> {
  await tx.rows('delete from timers where shop_id = $1 and subscription_id = $2', [shopId, id])
}

export type ClaimedTimer = Pick<TimerRow, 'shop_id' | 'subscription_id' | 'due_at'>

/** Takes the timers that are due and not held, the oldest first, for so long. All shops: time works for all of them. */
export function claimTimers(db: Sql, token: string, leaseMs: number, rowsMax: number): Promise<ClaimedTimer[]> {
  return db.rows(
    `with due as materialized (
       select subscription_id from timers where due_at <= now() and (lease_until is null or lease_until <= now())
       order by due_at limit $3 for update skip locked)
     update timers t set lease_until = now() + make_interval(secs => $2), lease_token = $1
     from due where t.subscription_id = due.subscription_id
     returning t.shop_id, t.subscription_id, t.due_at`, // All shops.
    [token, leaseMs / 1_000, rowsMax],
  )
}

/** The timer if it is still held under this token, and what the time is; for a locked subscription. */
export async function findHeldTimer(tx: Sql, shopId: string, id: string, token: string) {
  const [row] = await tx.rows<Pick<TimerRow, 'move' | 'due_at'> & { now: Date }>(
    `select move, due_at, date_trunc('milliseconds', clock_timestamp()) as now
     from timers where shop_id = $1 and subscription_id = $2 and lease_token = $3 for update`,
    [shopId, id, token],
  )
  return row ?? null
}

/** What the shop wants of memberships that are never paid; canceled unless it says otherwise. */
export async function findUnrecovered(db: Sql, shopId: string): Promise<UnrecoveredStatus> {
  const [row] = await db.rows<{ unrecovered: UnrecoveredStatus }>(
    'select unrecovered from shop_settings where shop_id = $1',
    [shopId],
  )
  return row?.unrecovered ?? 'canceled'
}

export async function saveUnrecovered(db: Sql, shopId: string, unrecovered: UnrecoveredStatus): Promise<void> {
  await db.rows(
    `insert into shop_settings (shop_id, unrecovered) values ($1, $2)
     on conflict (shop_id) do update set unrecovered = excluded.unrecovered`,
    [shopId, unrecovered],
  )
}

const fixed: readonly string[] = ['id', 'shop_id', 'created_at']
const columns = subscriptionColumnNames.join(', ')
const changingColumns = subscriptionColumnNames.filter((name) => !fixed.includes(name)).join(', ')
