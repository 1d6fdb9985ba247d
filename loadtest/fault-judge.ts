// Owns what must hold: for each fault, how many calls may fail and how soon all is well again; at the end, that nothing
// that was answered is lost and nothing was done twice. security-and-faults.md, "Faults and what must hold".
import pg from 'pg'
import type { Kind, Made } from './fault-traffic.ts'
import type { Shop } from './stage.ts'

export type Figures = {
  fault: string
  calls: number
  failed: number
  byKind: string
  slowestMs: number
  /** From the moment when what was broken was back, or for a death from the death, to the last failed call. */
  healthyMs: number
  wrong: string[]
}
/** What may be seen of a fault. */
export type Bounds = {
  /** How many calls may fail; null where an outage fails all of them, which then must fail fast. */
  failedMax: number | null
  healthyMsMax: number
  /** How many must fail at least, or the fault was none. */
  failedMin?: number
  /** Which calls may fail at all; all kinds where it is absent. */
  mayFail?: Kind[]
  /** Of each kind, while the fault lasts. */
  failedShareMax?: number
  /** How long no call of a kind may succeed while the fault lasts: above it, a part that fails has become an outage. */
  deadMsMax?: number
  /** Only calls through the gateway that was broken may fail. */
  onlyItsOwn?: boolean
  slowestMsMax?: number
}
/** When the fault began and when what was broken was back, the gateway that was broken, and what was seen beside the calls. */
export type Happened = { from: number; backAt: number; via?: string; wrong?: string[] }

const FAST_MS = 10_000
const HANDED_OVER_MS = 60_000
const kinds: Kind[] = ['read', 'agent', 'contact', 'order']
// What a fault may look like to a client. All else (401, 404, 409, an empty page) would be a wrong answer.
const honest = /^(500|503|tool 500|reset.*|refused|timeout)$/

/** The figures of one fault from the calls made during it, and what breaks its bounds. */
export function judgeFault(fault: string, made: Made[], happened: Happened, bounds: Bounds): Figures {
  const { from, backAt, via } = happened
  const failed = made.filter(({ outcome }) => outcome !== 'ok')
  const slowestMs = Math.round(Math.max(0, ...made.map(({ ms }) => ms)))
  const healthyMs = Math.max(0, ...failed.map(({ at }) => at - backAt))
  const wrong = [...(happened.wrong ?? [])]
  const dishonest = [...new Set(failed.map(({ outcome }) => outcome).filter((outcome) => !honest.test(outcome)))]
  if (dishonest.length > 0) wrong.push(`wrong answers: ${dishonest.join(', ')}`)
  if (bounds.failedMax !== null && failed.length > bounds.failedMax) {
    wrong.push(`${failed.length} failed calls, at most ${bounds.failedMax} may`)
  }
  const { failedMin = 0 } = bounds
  if (failed.length < failedMin) wrong.push(`${failed.length} calls failed, so the fault was none`)
  const others = bounds.onlyItsOwn === true ? failed.filter((one) => one.via !== via) : []
  if (others.length > 0) wrong.push(`${others.length} calls failed that went through another gateway`)
  if (healthyMs > bounds.healthyMsMax) wrong.push(`well again after ${healthyMs} ms, must be ${bounds.healthyMsMax}`)
  const { slowestMsMax = FAST_MS, mayFail = kinds } = bounds
  if (slowestMs > slowestMsMax) wrong.push(`a call took ${slowestMs} ms`)
  const during = made.filter(({ at }) => at >= from && at <= backAt)
  for (const kind of kinds) {
    const calls = during.filter((one) => one.kind === kind)
    const lost = calls.filter(({ outcome }) => outcome !== 'ok').length
    if (lost > 0 && !mayFail.includes(kind)) wrong.push(`${lost} of ${calls.length} calls failed: ${kind}`)
    const { failedShareMax = 1, deadMsMax = Number.POSITIVE_INFINITY } = bounds
    if (lost > failedShareMax * calls.length) wrong.push(`${lost} of ${calls.length} calls failed: ${kind}`)
    const deadMs = longestWithout(calls, from, backAt)
    if (deadMs > deadMsMax) wrong.push(`no call succeeded for ${deadMs} ms: ${kind}`)
  }
  const groups = Map.groupBy(failed, ({ kind, outcome }) => `${kind} ${outcome}`)
  const byKind = [...groups].map(([name, calls]) => `${calls.length} ${name}`).join(', ')
  return { fault, calls: made.length, failed: failed.length, byKind, slowestMs, healthyMs, wrong }
}

// The longest time in which no call succeeded, by when they were answered.
function longestWithout(calls: Made[], from: number, until: number): number {
  const well = calls.filter(({ outcome }) => outcome === 'ok').map(({ at, ms }) => Math.round(at + ms))
  const moments = [from, ...well.filter((at) => at < until).toSorted((one, other) => one - other), until]
  return Math.max(...moments.map((at, index) => at - (moments[index - 1] ?? at)))
}

/** What is lost, doubled or owed, one line each. */
export async function judgeEnd(databaseUrl: string, shop: Shop, made: Made[]): Promise<string[]> {
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  try {
    const wrong = await untilHandedOver(db)
    const contacts = await countsOf(
      db,
      'select email as mark, count(*)::int as n from contacts.contacts where shop_id = $1 group by 1',
      shop,
    )
    const orders = await countsOf(
      db,
      'select note as mark, count(*)::int as n from orders.orders where shop_id = $1 group by 1',
      shop,
    )
    for (const { kind, mark, outcome } of made) {
      if (kind === 'read' || kind === 'agent') continue
      const n = (kind === 'contact' ? contacts.get(`${mark}@example.com`) : orders.get(mark)) ?? 0
      if (outcome === 'ok' && n !== 1) wrong.push(`${kind} ${mark} was answered and is there ${n} times`)
      if (n > 1) wrong.push(`${kind} ${mark} is there ${n} times`)
    }
    const { rows } = await db.query(endText)
    for (const [what, n] of Object.entries((rows as Record<string, number>[])[0] ?? {})) {
      if (n !== 0) wrong.push(`${n} ${what}`)
    }
    return wrong
  } finally {
    await db.end()
  }
}

async function countsOf(db: pg.Client, text: string, shop: Shop): Promise<Map<string, number>> {
  const { rows } = await db.query(text, [shop.id])
  return new Map((rows as { mark: string; n: number }[]).map(({ mark, n }) => [mark, n]))
}

async function untilHandedOver(db: pg.Client): Promise<string[]> {
  const until = Date.now() + HANDED_OVER_MS
  for (;;) {
    const { rows } = await db.query(owedText)
    const [{ events, messages } = { events: 0, messages: 0 }] = rows as { events: number; messages: number }[]
    if (events === 0 && messages === 0) return []
    if (Date.now() > until) return [`${events} events and ${messages} messages were not handed over`]
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const owedText = `
  select (select count(*) from orders.events where published_at is null)::int as events,
    (select count(*) from orders.outbox where sent_at is null)::int
      + (select count(*) from catalog.outbox where sent_at is null)::int as messages`

const endText = `
  select
    (select count(*) from orders.events e where not exists (select from webhooks.events w where w.id = e.id))::int
      as "events that webhooks never heard of",
    (select count(*) from (select id from webhooks.events group by id having count(*) > 1) twice)::int
      as "events that webhooks keeps twice",
    (select count(*) from (select object_id from webhooks.events group by object_id
       having max(sequence) <> count(*) or min(sequence) <> 1) gaps)::int as "objects whose sequence has gaps",
    (select count(*) from orders.orders o where not exists (select from orders.order_lines l where l.order_id = o.id))::int
      as "orders without lines",
    (select count(*) from orders.orders o where event_seq <> (select count(*) from orders.events e where e.object_id = o.id))::int
      as "orders whose events are not those they fired",
    (select count(*) from orders.idempotent_answers where answer is null)::int as "remembered requests without an answer"`
