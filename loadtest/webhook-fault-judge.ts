// Owns the judgement of a webhook fault: what the database says must have come, against the receivers' logs. Nothing lost,
// repeats bounded, first tries in the order of the object, the same bytes under the same id, every signature verified.
import type { Endpoint, Ground } from './webhook-fault-ground.ts'
import type { Arrival } from './webhook-fault-sink.ts'

const GONE = 410

/** Where a fault begins in the outbox and in the logs, and the endpoints that were there before it. */
export type Mark = { position: number; receiver: number; neighbour: number; endpoints: Endpoint[] }
export type Happened = {
  id: string
  shopId: string
  objectId: string
  sequence: number
  at: number
  handedOverMs: number
  sum: string
}
/** All that came since the mark, in the order in which it came, each with its endpoint and its event. */
export type Seen = { arrival: Arrival; endpoint: Endpoint; event: Happened }
export type Judgement = {
  events: number
  expected: number
  received: number
  /** Attempts that followed an answer of failure, or none. */
  retries: number
  /** Attempts that followed a 2xx. */
  repeats: number
  lost: number
  disordered: number
  changed: number
  unverified: number
  /** Events that webhooks keeps not at all, twice, or with other bytes. */
  badlyStored: number
  slowestHandOverMs: number
  slowestArrivalMs: number
  seen: Seen[]
}

export async function mark({ ask, receiver, neighbour, endpoints }: Ground): Promise<Mark> {
  const [row] = await ask<{ position: number }>('select coalesce(max(position), 0)::int as position from orders.events')
  const lengths = { receiver: receiver.length(), neighbour: neighbour.length() }
  return { position: row?.position ?? 0, ...lengths, endpoints: [...endpoints] }
}

/** Waits until no more than that is owed; gives how long that took, or null when it did not end in time. */
export async function untilDrained({ ask }: Ground, ms: number, owedMax = 0): Promise<number | null> {
  const began = Date.now()
  for (;;) {
    const [row] = await ask<{ owed: number }>(owedText)
    if (row !== undefined && row.owed <= owedMax) return Date.now() - began
    if (Date.now() - began > ms) return null
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Judges all events since the mark. What was there throughout must have got all; what came meanwhile, what it was owed. */
export async function judge(ground: Ground, since: Mark): Promise<Judgement> {
  const events = new Map((await listHappened(ground, since.position)).map((event) => [event.id, event]))
  const seen = see(ground, since, events)
  const expected = new Set(await listExpected(ground, since, [...events.values()]))
  const idOf = new Map([...events.values()].map(({ id, objectId, sequence }) => [`${objectId} ${sequence}`, id]))
  const tried = new Set<string>()
  const taken = new Set<string>()
  const done = new Set<string>()
  const counts = { retries: 0, repeats: 0, disordered: 0, changed: 0, unverified: 0 }
  let slowestArrivalMs = 0
  for (const { arrival, endpoint, event } of seen) {
    const key = `${endpoint.id} ${event.id}`
    const before = `${endpoint.id} ${idOf.get(`${event.objectId} ${event.sequence - 1}`)}`
    if (arrival.sum !== event.sum) counts.changed += 1
    if (!arrival.isVerified) counts.unverified += 1
    if (taken.has(key)) counts.repeats += 1
    else if (tried.has(key)) counts.retries += 1
    else {
      // The event before it in its object must be through, or given up, before this one is tried at all.
      if (expected.has(before) && !done.has(before)) counts.disordered += 1
      slowestArrivalMs = Math.max(slowestArrivalMs, arrival.at - event.at)
    }
    tried.add(key)
    if (isTaken(arrival)) taken.add(key)
    if (isTaken(arrival) || arrival.answer === GONE) done.add(key)
  }
  return {
    ...counts,
    ...{ events: events.size, expected: expected.size, received: seen.length },
    lost: [...expected].filter((key) => !taken.has(key)).length,
    badlyStored: await countBadlyStored(ground, since.position),
    slowestHandOverMs: Math.max(0, ...[...events.values()].map(({ handedOverMs }) => handedOverMs)),
    ...{ slowestArrivalMs, seen },
  }
}

/** Whether the receiver answered that it has it. */
export function isTaken({ answer }: Arrival): boolean {
  return typeof answer === 'number' && answer >= 200 && answer < 300
}

function see({ receiver, neighbour, endpoints }: Ground, since: Mark, events: Map<string, Happened>): Seen[] {
  const all = new Map([...since.endpoints, ...endpoints].flatMap((one) => one.hooks.map((hook) => [hook, one])))
  const arrivals = [...receiver.arrivals(since.receiver), ...neighbour.arrivals(since.neighbour)]
  return arrivals
    .toSorted((one, other) => one.at - other.at)
    .flatMap((arrival) => {
      const [endpoint, event] = [all.get(arrival.hook), events.get(arrival.id)]
      return endpoint === undefined || event === undefined ? [] : [{ arrival, endpoint, event }]
    })
}

async function listHappened({ ask }: Ground, position: number): Promise<Happened[]> {
  const rows = await ask<{ id: string; shop: string; object: string; n: number; at: number; ms: number; sum: string }>(
    `select id, shop_id as shop, object_id as object, sequence::int as n,
       extract(epoch from happened_at)::float8 * 1000 as at,
       extract(epoch from published_at - happened_at)::float8 * 1000 as ms,
       encode(sha256(convert_to(body, 'UTF8')), 'hex') as sum
     from orders.events where position > $1 order by position`,
    [position],
  )
  return rows.map(({ id, shop, object, n, at, ms, sum }) => ({
    ...{ id, shopId: shop, objectId: object, sequence: n, at, handedOverMs: Math.round(ms), sum },
  }))
}

async function listExpected({ ask, endpoints }: Ground, since: Mark, events: Happened[]): Promise<string[]> {
  const throughout = since.endpoints.filter((endpoint) => endpoints.includes(endpoint))
  const sure = throughout.flatMap(({ id, shop }) =>
    events.filter(({ shopId }) => shopId === shop.id).map((event) => `${id} ${event.id}`),
  )
  const late = endpoints.filter((endpoint) => !since.endpoints.includes(endpoint)).map(({ id }) => id)
  const rows = await ask<{ key: string }>(
    `select endpoint_id || ' ' || event_id as key from webhooks.deliveries
     where endpoint_id = any($1) and event_id = any($2)`,
    [late, events.map(({ id }) => id)],
  )
  return [...sure, ...rows.map(({ key }) => key)]
}

async function countBadlyStored({ ask }: Ground, position: number): Promise<number> {
  const [row] = await ask<{ count: number }>(
    `select count(*)::int as count from (
       select e.id from orders.events e left join webhooks.events w on w.id = e.id and w.body = e.body
       where e.position > $1 group by e.id having count(w.id) <> 1) as bad`,
    [position],
  )
  return row?.count ?? 0
}

const owedText = `
  select (select count(*) from orders.events where published_at is null)::int
    + (select count(*) from webhooks.queue)::int as owed`
