// Owns the judgement over orders after the chaos, from the database, what the callers were told and what webhooks was handed:
// an event exists if and only if its change is committed, sequences have no gaps, nothing is half done, nothing was done
// twice, everything was handed over. The events that each line of a history must have fired are written here once more.
import type { Database } from '#postgres/connect'
import { shop } from './chaos-callers.ts'
import type { RefundsOf } from './chaos-order-commands.ts'
import type { Outside } from './chaos-outside.ts'

type OrderRow = {
  id: string
  status: string
  payment_status: string
  refunded_cents: number
  has_booking: boolean
  event_seq: number
  document: string
}
type HistoryRow = {
  order_id: string
  position: number
  move: string
  from_status: string | null
  to_status: string
  from_payment_status: string | null
  to_payment_status: string
  amount_cents: number | null
}
type EventRow = { object_id: string; sequence: number; type: string; body: string; id: string }

const WAIT_MS = 60_000

/** What is wrong, one line each; prints the counts. */
export async function judge(db: Database, refundsOf: RefundsOf, outside: Outside): Promise<string[]> {
  const wrong = await untilHandedOver(db, outside)
  const orders = await db.rows<OrderRow>('select * from orders where shop_id = $1', [shop.shopId])
  const history = await db.rows<HistoryRow>('select * from order_history where shop_id = $1 order by position', [
    shop.shopId,
  ])
  const events = await db.rows<EventRow>('select * from events where shop_id = $1 order by sequence', [shop.shopId])
  const historyOf = Map.groupBy(history, (row) => row.order_id)
  const eventsOf = Map.groupBy(events, (row) => row.object_id)
  for (const order of orders) {
    const found = problemsOf(order, historyOf.get(order.id) ?? [], eventsOf.get(order.id) ?? [], refundsOf)
    wrong.push(...found.map((problem) => `order ${order.id}: ${problem}`))
  }
  const ids = new Set(orders.map(({ id }) => id))
  if (ids.size !== refundsOf.size) wrong.push(`${ids.size} orders exist, ${refundsOf.size} were answered`)
  for (const id of refundsOf.keys()) if (!ids.has(id)) wrong.push(`order ${id} was answered and does not exist`)
  for (const id of eventsOf.keys()) if (!ids.has(id)) wrong.push(`events of an order that does not exist: ${id}`)
  wrong.push(...problemsOfHandOver(events, outside), ...(await halves(db)))
  print(`${orders.length} orders, ${history.length} lines of history, ${events.length} events`)
  return wrong
}

function problemsOf(order: OrderRow, history: HistoryRow[], events: EventRow[], refundsOf: RefundsOf): string[] {
  const problems: string[] = []
  const check = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem)
  }
  check(
    history.every(({ position }, index) => position === index + 1),
    'its history has gaps',
  )
  check(
    events.every(({ sequence }, index) => sequence === index + 1),
    'its sequence has gaps',
  )
  check(events.length === order.event_seq, `${events.length} events, but it counted ${order.event_seq}`)
  const wanted = history.flatMap((row) => firedBy(row, order.has_booking)).join(' ')
  check(events.map(({ type }) => type).join(' ') === wanted, 'its events are not those of its history')
  for (const [index, row] of history.entries()) {
    const before = history[index - 1]
    check(
      row.from_status === (before?.to_status ?? null),
      `line ${row.position} does not begin where the last one ended`,
    )
    check(
      row.from_payment_status === (before?.to_payment_status ?? null),
      `so with the payment of line ${row.position}`,
    )
  }
  const last = history.at(-1)
  check(
    last?.to_status === order.status && last.to_payment_status === order.payment_status,
    'it is not where its history ends',
  )
  const given = history.filter(({ move }) => move === 'refund' || move === 'cancel')
  const sum = given.reduce((total, { amount_cents }) => total + (amount_cents ?? 0), 0)
  check(sum === order.refunded_cents, `${order.refunded_cents} refunded, but its history says ${sum}`)
  const refunds = history.filter(({ move }) => move === 'refund').map(({ amount_cents }) => amount_cents ?? 0)
  const told = refundsOf.get(order.id) ?? []
  check(sorted(refunds) === sorted(told), `callers were told of refunds ${sorted(told)}, it has ${sorted(refunds)}`)
  check(events.at(-1)?.body.endsWith(`,"data":${order.document}}`) === true, 'its last event is not what it is')
  return problems
}

function firedBy(row: HistoryRow, hasBooking: boolean): string[] {
  const booked = (kind: string) => (hasBooking ? [kind] : [])
  const isAgain = row.from_status === 'shipped' || row.from_status === 'completed'
  switch (row.move) {
    case 'place':
      return row.to_payment_status === 'paid' ? ['order.created', 'order.paid'] : ['order.created']
    case 'confirm':
      return ['order.confirmed', ...booked('booking.confirmed')]
    case 'ship':
      return [isAgain ? 'order.updated' : 'order.shipped']
    case 'cancel':
      return [
        ...(row.amount_cents === null ? [] : ['order.refunded']),
        'order.cancelled',
        ...booked('booking.cancelled'),
      ]
    default:
      return [single[row.move] ?? `no event is known for ${row.move}`]
  }
}

const single: Record<string, string> = {
  mark_paid: 'order.paid',
  payment_pending: 'order.updated',
  payment_failed: 'order.updated',
  complete: 'order.completed',
  refund: 'order.refunded',
  dispute: 'order.disputed',
  resolve_dispute: 'order.dispute_closed',
  reschedule: 'booking.rescheduled',
  change: 'order.updated',
}

function problemsOfHandOver(events: EventRow[], { received }: Outside): string[] {
  const wrong: string[] = []
  const known = new Set(events.map(({ id }) => id))
  for (const { id, body } of events)
    if (received.bodies.get(id) !== body) wrong.push(`event ${id} was not handed over as it is`)
  for (const id of received.bodies.keys())
    if (!known.has(id)) wrong.push(`event ${id} was handed over and does not exist`)
  if (received.changed > 0) wrong.push(`${received.changed} events came again with another body`)
  return wrong
}

/** What a transaction that was cut in two would leave. */
async function halves(db: Database): Promise<string[]> {
  const [row] = await db.rows<Record<string, number>>(
    `select (select count(*) from orders o where not exists (select 1 from order_lines l where l.order_id = o.id))::int
         as "orders without lines",
       (select count(*) from idempotent_answers where answer is null)::int as "keys without an answer",
       (select count(*) from orders where payment_status = 'disputed' and id not in
         (select order_id from disputes where state = 'open'))::int as "disputed orders without a dispute",
       (select count(*) from disputes d join orders o on o.id = d.order_id
         where d.state = 'open' and o.payment_status <> 'disputed')::int as "open disputes of orders that are not disputed",
       (select count(*) from orders where document::jsonb ->> 'status' <> status
         or document::jsonb ->> 'paymentStatus' <> payment_status
         or (document::jsonb -> 'refunded' ->> 'cents')::bigint <> refunded_cents)::int as "documents that differ from rows",
       (select count(*) from orders where refunded_cents > total_cents)::int as "orders that gave back more than they cost"`,
  )
  return Object.entries(row ?? {}).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]))
}

async function untilHandedOver(db: Database, outside: Outside): Promise<string[]> {
  const end = Date.now() + WAIT_MS
  for (;;) {
    const [row] = await db.rows<{ events: number; messages: number }>(
      `select (select count(*) from events where published_at is null)::int as events,
         (select count(*) from outbox where sent_at is null)::int as messages`,
    )
    if (row?.events === 0 && row.messages === 0) break
    if (Date.now() > end) return [`${row?.events} events and ${row?.messages} messages were not handed over`]
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const owed = await db.rows<{ id: string }>("select body::jsonb ->> 'order_id' as id from outbox")
  const missing = owed.filter(({ id }) => !outside.settled.has(id))
  return missing.length === 0 ? [] : [`${missing.length} placed orders were not settled in the catalogue`]
}

function sorted(amounts: number[]): string {
  return amounts.toSorted((a, b) => a - b).join(' ')
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
