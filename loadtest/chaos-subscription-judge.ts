// Owns the judgement over memberships after the chaos, from the database, what the callers were told and what webhooks was
// handed: an event exists if and only if its change is committed, sequences have no gaps, no timer fired twice or is
// forgotten, everything was handed over. The events that each line of a history must have fired are written here once more.
import type { Database } from '#postgres/connect'
import { shop } from './chaos-callers.ts'
import type { Outside } from './chaos-outside.ts'
import type { RenewalsOf } from './chaos-subscription-commands.ts'

type Row = { id: string; status: string; event_seq: number; document: string }
type HistoryRow = {
  subscription_id: string
  position: number
  who: string
  move: string
  from_status: string | null
  to_status: string
}
type EventRow = { id: string; object_id: string; sequence: number; type: string; body: string }

const WAIT_MS = 90_000 // A killed worker's timers come back after 30 s.

/** What is wrong, one line each; prints the counts. */
export async function judge(db: Database, renewalsOf: RenewalsOf, { received }: Outside): Promise<string[]> {
  const wrong = await untilQuiet(db)
  const rows = await db.rows<Row>('select * from subscriptions where shop_id = $1', [shop.shopId])
  const history = await db.rows<HistoryRow>(
    'select * from subscription_history where shop_id = $1 order by subscription_id, position',
    [shop.shopId],
  )
  const events = await db.rows<EventRow>('select * from events where shop_id = $1 order by object_id, sequence', [
    shop.shopId,
  ])
  const historyOf = Map.groupBy(history, (row) => row.subscription_id)
  const eventsOf = Map.groupBy(events, (row) => row.object_id)
  for (const row of rows) {
    const renewals = renewalsOf.get(row.id)
    if (renewals === undefined) wrong.push(`${row.id}: it exists and nobody was told of it`)
    const found = problemsOf(row, historyOf.get(row.id) ?? [], eventsOf.get(row.id) ?? [], renewals ?? 0)
    wrong.push(...found.map((problem) => `${row.id}: ${problem}`))
  }
  const ids = new Set(rows.map(({ id }) => id))
  for (const id of renewalsOf.keys()) if (!ids.has(id)) wrong.push(`${id}: it was answered and does not exist`)
  for (const id of eventsOf.keys()) if (!ids.has(id)) wrong.push(`${id}: events of what does not exist`)
  for (const { id, body } of events) {
    if (received.bodies.get(id) !== body) wrong.push(`event ${id} was not handed over as it is`)
  }
  if (received.bodies.size !== events.length) wrong.push('events were handed over that do not exist')
  if (received.changed > 0) wrong.push(`${received.changed} events came again with another body`)
  wrong.push(...(await halves(db)))
  const fired = history.filter(({ who }) => who === 'timer').length
  process.stdout.write(`${rows.length} memberships, ${history.length} lines of history, ${fired} of them by timers, `)
  process.stdout.write(`${events.length} events\n`)
  return wrong
}

function problemsOf(row: Row, history: HistoryRow[], events: EventRow[], renewals: number): string[] {
  const wanted = history.flatMap(firedBy).map((kind) => `subscription.${kind}`)
  const paid = history.filter(({ move }) => move === 'renew').length
  const checks: [boolean, string][] = [
    [history.every(({ position }, index) => position === index + 1), 'its history has gaps'],
    [events.every(({ sequence }, index) => sequence === index + 1), 'its sequence has gaps'],
    [events.length === row.event_seq, `${events.length} events, but it counted ${row.event_seq}`],
    [events.map(({ type }) => type).join(' ') === wanted.join(' '), 'its events are not those of its history'],
    [
      history.every(({ from_status }, index) => from_status === (history[index - 1]?.to_status ?? null)),
      'a line does not begin where the last one ended',
    ],
    [history.at(-1)?.to_status === row.status, 'it is not where its history ends'],
    [paid === renewals, `callers were told of ${renewals} payments, it has ${paid}`],
    [wanted.filter((kind) => kind === 'subscription.ended').length <= 1, 'it ended twice'],
    [events.at(-1)?.body.endsWith(`,"data":${row.document}}`) === true, 'its last event is not what it is'],
  ]
  return checks.flatMap(([holds, problem]) => (holds ? [] : [problem]))
}

function firedBy({ move, to_status }: HistoryRow): string[] {
  const isOver = to_status === 'canceled'
  switch (move) {
    case 'create':
      return ['created']
    case 'renew':
      return ['renewed']
    case 'payment_failed':
      return isOver ? ['payment_failed', 'ended'] : ['payment_failed']
    case 'cancel':
      return ['cancelled']
    case 'resume':
      return ['resumed']
    case 'end':
      return ['cancelled', 'ended']
    default:
      return [isOver ? 'ended' : 'updated'] // What time does.
  }
}

/** What a transaction that was cut in two would leave. */
async function halves(db: Database): Promise<string[]> {
  const [row] = await db.rows<Record<string, number>>(
    `select (select count(*) from idempotent_answers where answer is null)::int as "keys without an answer",
       (select count(*) from subscriptions where document::jsonb ->> 'status' <> status
         or (document::jsonb ->> 'cancelAtPeriodEnd')::boolean <> cancel_at_period_end
         or (document::jsonb ->> 'currentPeriodEnd')::timestamptz <> current_period_end)::int
         as "documents that differ from rows",
       (select count(*) from timers t join subscriptions s on s.id = t.subscription_id
         where s.status in ('canceled', 'unpaid'))::int as "timers of what is over",
       (select count(*) from subscriptions s where (cancel_at_period_end or billing_mode = 'manual'
         or status = 'incomplete') and status not in ('canceled', 'unpaid')
         and not exists (select 1 from timers t where t.subscription_id = s.id))::int as "memberships without a timer"`,
  )
  return Object.entries(row ?? {}).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]))
}

async function untilQuiet(db: Database): Promise<string[]> {
  const end = Date.now() + WAIT_MS
  for (;;) {
    const [row] = await db.rows<{ events: number; timers: number }>(
      `select (select count(*) from events where published_at is null)::int as events,
         (select count(*) from timers where due_at <= now())::int as timers`,
    )
    if (row?.events === 0 && row.timers === 0) return []
    if (Date.now() > end) return [`${row?.events} events were not handed over, ${row?.timers} timers did not fire`]
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
