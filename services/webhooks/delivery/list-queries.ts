// SQL of the lists of deliveries, of endpoints and of a whole shop, newest event first (docs/spec/webhooks.md#delivery-log). A delivery's
// id begins with the instant of its event, so the order of the ids is that of the instants.
import type { ActionParams } from '#contracts/actions'
import { firstIdAt, happenedAtOf } from '#contracts/delivery-id'
import { afterCursor, anyOf, conditions, merged } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import { kindsOf } from '../events/queries.ts'
import type { DeliveryRow } from '../tables.ts'

export type ListedDelivery = DeliveryRow & { due_at: Date | null; is_pending: boolean }
type State = DeliveryRow['state']
/** `event`: kinds, and families (`order.*`). */
export type ListFilter = { states: readonly State[] | undefined; event_id?: string | undefined } & Omit<
  ActionParams<'deliveries.list'>,
  'id' | 'status' | 'limit' | 'cursor'
>

/** The delivery with its place in the queue; conditions follow. */
export const LISTED = `select d.*, q.due_at, coalesce(q.state = 'pending', false) as is_pending
  from deliveries d left join lateral (
    select due_at, state from queue where shop_id = d.shop_id and id = d.id and not is_single offset 0) q on true`

/**
 * A page of the deliveries of these endpoints, newest event first. Indexes: deliveries_newest, deliveries_state, deliveries_type,
 * deliveries_object.
 */
export function listDeliveries(
  db: Sql,
  shopId: string,
  endpointIds: readonly string[],
  { states, event, event_id, object_id, created_after, created_before }: ListFilter,
  page: PageRequest,
): Promise<ListedDelivery[]> {
  const kinds = kindsOf(event)
  const [only, ...others] = endpointIds
  const list = conditions([
    others.length === 0 ? ['d.endpoint_id = ?', only] : ['d.endpoint_id = wanted_endpoint::uuid'],
    // Written this way, no plan reads the deliveries of the whole shop by its indexes.
    ['(d.shop_id = ?) is true', shopId],
    anyOf('d.state', 'state', states),
    anyOf('d.type', 'type', kinds),
    ['d.object_id = ?', object_id],
    ['d.event_id = ?', event_id],
    ['d.happened_at = ?', event_id && happenedAtOf(event_id)],
    ['d.happened_at >= ?', created_after],
    ['d.happened_at < ?', created_before],
    // Repeats a part of the cursor condition, because PostgreSQL prunes partitions by this form only.
    page.after === null ? null : ['d.happened_at <= ?', page.after.createdAt],
    afterCursor('d.happened_at, d.id', page),
  ])
  const limitAt = list.next(page.rowsMax)
  const text = `${LISTED} where ${list.where} order by d.happened_at desc, d.id desc limit ${limitAt}`
  const filters = { endpoint: endpointIds, state: states, type: kinds }
  return db.rows(merged(text, { filters, next: list.next, order: 'happened_at desc, id desc', limitAt }), list.values)
}

/**
 * A page of the deliveries of all endpoints of a shop, newest event first, also of those that were deleted. Without a filter it is read
 * by the primary key, which is in the order of the ids; else by deliveries_shop_state, _type or _object. These have the instant, so that
 * no plan reads the whole shop by the primary key in their place.
 */
export function listShopDeliveries(
  db: Sql,
  shopId: string,
  filter: ListFilter,
  page: PageRequest,
): Promise<ListedDelivery[]> {
  const { states, event, event_id, object_id, created_after, created_before } = filter
  const kinds = kindsOf(event)
  const isById = states === undefined && kinds === undefined && object_id === undefined
  const at = event_id === undefined ? undefined : happenedAtOf(event_id)
  const [from, to] = [at ?? created_after, at === undefined ? created_before : new Date(at.getTime() + 1)]
  const list = conditions([
    ['d.shop_id = ?', shopId],
    anyOf('d.state', 'state', states),
    anyOf('d.type', 'type', kinds),
    ['d.object_id = ?', object_id],
    ['d.event_id = ?', event_id],
    ['d.happened_at = ?', at],
    ['d.happened_at >= ?', created_after],
    ['d.happened_at < ?', created_before],
    isById && from !== undefined ? ['d.id >= ?', firstIdAt(from)] : null,
    isById && to !== undefined ? ['d.id < ?', firstIdAt(to)] : null,
    // For the partitions, as above.
    page.after === null ? null : ['d.happened_at <= ?', page.after.createdAt],
    isById ? ['d.id < ?', page.after?.id] : afterCursor('d.happened_at, d.id', page),
  ])
  const limitAt = list.next(page.rowsMax)
  const order = (row: string) => `${isById ? '' : `${row}happened_at desc, `}${row}id desc`
  const text = `${LISTED} where ${list.where} order by ${order('d.')} limit ${limitAt}`
  const filters = { state: states, type: kinds }
  return db.rows(merged(text, { filters, next: list.next, order: order(''), limitAt }), list.values)
}
