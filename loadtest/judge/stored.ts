// Invariants of the stored data, by name, for every program that breaks something. They hold whenever no request is under
// way and nothing is owed any more: docs/spec/data-model.md, docs/spec/order-states.md, docs/spec/subscription-states.md.
import type { Cluster } from '../cluster.ts'
import { until } from '../program.ts'

const OWED_MS = 90_000 // The timers of a killed process are taken over after 30 s.

/** Waits until nothing is owed; returns every broken invariant, one line each. */
export async function storedBreaches(cluster: Cluster): Promise<string[]> {
  const breaches = await owedBreaches(cluster)
  for (const [name, text] of Object.entries(invariants)) {
    const count = await countOf(cluster, text)
    if (count > 0) breaches.push(`${name}: ${count} breaches`)
  }
  return breaches
}

/** Waits until nothing is owed; returns what still is, one line each. */
export async function owedBreaches(cluster: Cluster): Promise<string[]> {
  const breaches: string[] = []
  for (const [name, text] of Object.entries(owed)) {
    const isPaid = await until(async () => (await countOf(cluster, text)) === 0, OWED_MS, 100)
    if (!isPaid) breaches.push(`${name}: ${await countOf(cluster, text)} still wait`)
  }
  return breaches
}

async function countOf({ query }: Cluster, text: string): Promise<number> {
  const [row] = await query<{ count: number }>(`select count(*)::int as count from ${text}`)
  return row?.count ?? 0
}

// Each is what follows `select count(*) from`, and counts breaches.
const owed: Record<string, string> = {
  'every event of an order is handed over': 'orders.events where published_at is null',
  'every event of a membership is handed over': 'subscriptions.events where published_at is null',
  'every message is sent': `(select from orders.outbox where sent_at is null
    union all select from catalog.outbox where sent_at is null
    union all select from contacts.outbox where sent_at is null
    union all select from subscriptions.outbox where sent_at is null
    union all select from webhooks.outbox where sent_at is null) waiting`,
  'every timer fires': 'subscriptions.timers where due_at <= now()',
}

const events = `(select id, object_id, sequence, type, body from orders.events
  union all select id, object_id, sequence, type, body from subscriptions.events) e`
const lastEvent = `select distinct on (object_id) object_id, body from`
const endsWithDocument = `right(e.body, length(o.document) + 9) <> ',"data":' || o.document || '}'`
const isAgain = `from_status in ('shipped', 'completed')`

// The events that each move fires, written down once more, so that a mistake cannot be in product and judge alike.
const orderMoves = `select order_id as id, position, case move
    when 'place' then case when to_payment_status = 'paid' then 'order.created order.paid' else 'order.created' end
    when 'confirm' then 'order.confirmed' || case when o.has_booking then ' booking.confirmed' else '' end
    when 'ship' then case when ${isAgain} then 'order.updated' else 'order.shipped' end
    when 'cancel' then case when amount_cents is null then '' else 'order.refunded ' end || 'order.cancelled'
      || case when o.has_booking then ' booking.cancelled' else '' end
    when 'mark_paid' then 'order.paid' when 'payment_pending' then 'order.updated'
    when 'payment_failed' then 'order.updated' when 'complete' then 'order.completed' when 'refund' then 'order.refunded'
    when 'dispute' then 'order.disputed' when 'resolve_dispute' then 'order.dispute_closed'
    when 'reschedule' then 'booking.rescheduled' when 'change' then 'order.updated'
    else 'not described here: ' || move end as fired
  from orders.order_history h join orders.orders o on o.shop_id = h.shop_id and o.id = h.order_id`
const isOver = `to_status = 'canceled'`
const subscriptionMoves = `select subscription_id as id, position, case move
    when 'create' then 'subscription.created' when 'renew' then 'subscription.renewed'
    when 'payment_failed' then 'subscription.payment_failed' || case when ${isOver} then ' subscription.ended' else '' end
    when 'cancel' then 'subscription.cancelled' when 'resume' then 'subscription.resumed'
    when 'end' then 'subscription.cancelled subscription.ended'
    else case when ${isOver} then 'subscription.ended' else 'subscription.updated' end end as fired
  from subscriptions.subscription_history`
const unlikeHistory = (moves: string, table: string) => `(
  select id, string_agg(fired, ' ' order by position) as types from (${moves}) m group by id) h
  full join (select object_id, string_agg(type, ' ' order by sequence) as types from ${table} group by 1) e
    on e.object_id = h.id
  where e.types is distinct from h.types`
const brokenHistory = (table: string, id: string) => `(
  select position, row_number() over w as place, from_status, lag(to_status) over w as before
  from ${table} window w as (partition by ${id} order by position)) h
  where position <> place or from_status is distinct from before`
const notWhereHistoryEnds = (objects: string, table: string, id: string, isElsewhere: string) => `${objects} o join (
  select distinct on (${id}) * from ${table} order by ${id}, position desc) h on h.${id} = o.id where ${isElsewhere}`
const isImportShop = 'shop_id in (select shop_id from auth.imports)'

const invariants: Record<string, string> = {
  'no event lost': `${events} where not exists (select from webhooks.events w where w.id = e.id)`,
  'no event changed on its way': `${events} join webhooks.events w using (id) where w.body <> e.body`,
  'no event without its object': `${events} where object_id not in (
    select id from orders.orders union all select id from subscriptions.subscriptions)`,
  'no event handed over that does not exist': `webhooks.events w where not exists (select from ${events} where e.id = w.id)
    and split_part(w.type, '.', 1) in ('order', 'booking', 'subscription')`,
  'no event stored twice': `(select from webhooks.events group by id having count(*) > 1) twice`,
  'sequence without gaps': `(select from webhooks.events group by object_id
    having max(sequence) <> count(*) or min(sequence) <> 1) gaps`,
  'orders count their events': `orders.orders o where event_seq <> (
    select count(*) from orders.events e where e.shop_id = o.shop_id and e.object_id = o.id)`,
  'memberships count their events': `subscriptions.subscriptions o where event_seq <> (
    select count(*) from subscriptions.events e where e.shop_id = o.shop_id and e.object_id = o.id)`,
  'events of orders are those of the history': unlikeHistory(orderMoves, 'orders.events'),
  'events of memberships are those of the history': unlikeHistory(subscriptionMoves, 'subscriptions.events'),
  'histories of orders are whole': brokenHistory('orders.order_history', 'order_id'),
  'histories of memberships are whole': brokenHistory('subscriptions.subscription_history', 'subscription_id'),
  'orders are where their history ends': notWhereHistoryEnds(
    'orders.orders',
    'orders.order_history',
    'order_id',
    'h.to_status <> o.status or h.to_payment_status <> o.payment_status',
  ),
  'memberships are where their history ends': notWhereHistoryEnds(
    'subscriptions.subscriptions',
    'subscriptions.subscription_history',
    'subscription_id',
    'h.to_status <> o.status',
  ),
  'a membership ends once': `(select from subscriptions.events where type = 'subscription.ended'
    group by object_id having count(*) > 1) twice`,
  'the last event of an order is what it is': `orders.orders o join (${lastEvent} orders.events
    order by object_id, sequence desc) e on e.object_id = o.id where ${endsWithDocument}`,
  'the last event of a membership is what it is': `subscriptions.subscriptions o join (${lastEvent} subscriptions.events
    order by object_id, sequence desc) e on e.object_id = o.id where ${endsWithDocument}`,
  'refunds add up': `orders.orders o where event_seq > 0 and refunded_cents <> (
    select coalesce(sum(amount_cents), 0) from orders.order_history h
    where h.shop_id = o.shop_id and h.order_id = o.id and move in ('refund', 'cancel')) or refunded_cents > total_cents`,
  'orders are what their lines make up': `orders.orders o, lateral (
      select count(*) as n, max(position) as last, sum(quantity) as units, sum(subtotal_cents) as cents
      from orders.order_lines where shop_id = o.shop_id and order_id = o.id) l
    where (l.last, l.units, l.cents) is distinct from (l.n - 1, o.item_count, o.subtotal_cents)
      or subtotal_cents - discount_cents + delivery_fee_cents + tax_cents <> total_cents`,
  'no line without an order': 'orders.order_lines where order_id not in (select id from orders.orders)',
  'disputed orders have an open dispute, and no other has': `orders.orders o where (payment_status = 'disputed')
    <> exists (select from orders.disputes d where d.shop_id = o.shop_id and d.order_id = o.id and d.state = 'open')`,
  'documents of orders are what their rows are': `orders.orders where document::jsonb ->> 'status' <> status
    or document::jsonb ->> 'paymentStatus' <> payment_status
    or (document::jsonb -> 'refunded' ->> 'cents')::bigint <> refunded_cents`,
  'documents of memberships are what their rows are': `subscriptions.subscriptions
    where document::jsonb ->> 'status' <> status
      or (document::jsonb ->> 'cancelAtPeriodEnd')::boolean <> cancel_at_period_end
      or (document::jsonb ->> 'currentPeriodEnd')::timestamptz <> current_period_end`,
  'remembered requests have an answer': `(select from orders.idempotent_answers where answer is null
    union all select from subscriptions.idempotent_answers where answer is null) half`,
  'stock of orders is settled': `orders.orders o where event_seq > 0
    and exists (select from orders.order_lines l where l.shop_id = o.shop_id and l.order_id = o.id and l.product_id is not null)
    and not exists (select from catalog.reservations r where r.shop_id = o.shop_id and r.reservation_id = o.id and r.state = 'settled')`,
  'reservations are explained': `catalog.reservations where answer is null
    or (state = 'settled' and reservation_id not in (select id from orders.orders))`,
  'stock never negative': `(select from catalog.products where stock < 0
    union all select from catalog.variants where stock < 0) below`,
  'no timer of what is over': `subscriptions.timers t join subscriptions.subscriptions s on s.shop_id = t.shop_id and s.id = t.subscription_id
    where s.status in ('canceled', 'unpaid')`,
  'memberships have their timer': `subscriptions.subscriptions s
    where (cancel_at_period_end or billing_mode = 'manual' or status = 'incomplete')
      and status not in ('canceled', 'unpaid')
      and not exists (select from subscriptions.timers t where t.shop_id = s.shop_id and t.subscription_id = s.id)`,
  'placed orders have events, imported ones none': `orders.orders where ${isImportShop} = (event_seq > 0)`,
  'keys of imports have their objects': `(select from catalog.external_references where object_id not in (
      select id from catalog.products union all select id from catalog.variants)
    union all select from contacts.external_references where object_id not in (select id from contacts.contacts)) keys`,
  'imported objects have their key': `(select shop_id, id from catalog.products
      where id not in (select object_id from catalog.external_references)
    union all select shop_id, id from contacts.contacts
      where id not in (select object_id from contacts.external_references)
    union all select shop_id, id from orders.orders
      where id not in (select object_id from orders.external_references where kind = 'order')) o where ${isImportShop}`,
}
