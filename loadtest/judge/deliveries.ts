// Judges deliveries of webhooks: the events in the database against the requests that the receiver got. Nothing lost,
// repeats counted, first attempts in the order of the object, the same bytes under the same id, every signature verified.
import type { Cluster } from '../cluster.ts'
import { seconds, until } from '../program.ts'
import type { Arrival, Endpoint, Receiver } from '../receiver.ts'

const GONE = 410

/** What is judged: the cluster's events, the receiver's arrivals, and the endpoints of this moment. */
export type Deliveries = { cluster: Cluster; receiver: Receiver; endpoints: Endpoint[] }
/** Where a fault begins in the outbox, and the endpoints that existed before it. */
export type Mark = { position: number; endpoints: Endpoint[] }
type StoredEvent = {
  id: string
  shopId: string
  objectId: string
  sequence: number
  at: number
  handedOverMs: number
  sum: string
}
/** An arrival with its endpoint and its event. */
export type Seen = { arrival: Arrival; endpoint: Endpoint; event: StoredEvent }
export type Judgement = {
  events: number
  expected: number
  received: number
  /** Attempts after an answer of failure, or after none. */
  retries: number
  /** Attempts after a 2xx. */
  repeats: number
  lost: number
  disordered: number
  changed: number
  unverified: number
  /** Arrivals of events that do not exist, or that belong to another shop. */
  unknown: number
  /** Events that webhooks has stored not at all, twice, or with other bytes. */
  badlyStored: number
  slowestHandOverMs: number
  slowestArrivalMs: number
  /** All arrivals since the mark, in their order. */
  seen: Seen[]
}

/** The mark of this moment; what has come until now is forgotten. */
export async function mark({ cluster, receiver, endpoints }: Deliveries): Promise<Mark> {
  receiver.arrivals.length = 0
  const text = 'select coalesce(max(position), 0)::int as position from orders.events'
  const [row] = await cluster.query<{ position: number }>(text)
  return { position: row?.position ?? 0, endpoints: [...endpoints] }
}

/** Waits until at most `owedMax` are owed; returns how long that took, or null when it did not end in time. */
export async function untilDrained({ cluster }: Deliveries, ms: number, owedMax = 0): Promise<number | null> {
  const began = Date.now()
  const owed = async () => (await cluster.query<{ owed: number }>(owedText))[0]?.owed ?? 0
  return (await until(async () => (await owed()) <= owedMax, ms, 200)) ? Date.now() - began : null
}

/**
 * Judges all events since the mark. An endpoint that existed throughout must have received all of its shop's; one that was
 * made meanwhile, those that it was owed.
 */
export async function judgeDeliveries(on: Deliveries, since: Mark): Promise<Judgement> {
  const events = new Map((await storedEvents(on, since.position)).map((event) => [event.id, event]))
  const { arrivals } = on.receiver
  const seen = arrivals.flatMap((arrival): Seen[] => {
    const { endpoint } = arrival
    const event = events.get(arrival.id)
    return endpoint !== undefined && event?.shopId === endpoint.shop.id ? [{ arrival, endpoint, event }] : []
  })
  const expected = new Set(await expectedKeys(on, since, [...events.values()]))
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
      // The event before it in its object must be delivered, or have failed for good, before this one is tried at all.
      if (expected.has(before) && !done.has(before)) counts.disordered += 1
      slowestArrivalMs = Math.max(slowestArrivalMs, arrival.at - event.at)
    }
    tried.add(key)
    if (isTaken(arrival)) taken.add(key)
    if (isTaken(arrival) || arrival.answer === GONE) done.add(key)
  }
  const unknown = arrivals.length - seen.length
  return {
    ...counts,
    unknown,
    events: events.size,
    expected: expected.size,
    received: seen.length,
    lost: [...expected].filter((key) => !taken.has(key)).length,
    badlyStored: await countBadlyStored(on, since.position),
    slowestHandOverMs: Math.max(0, ...[...events.values()].map(({ handedOverMs }) => handedOverMs)),
    slowestArrivalMs,
    seen,
  }
}

/** The broken invariants, one line each; `repeatsMax` is how many attempts may have followed a 2xx. */
export function deliveryBreaches(judgement: Judgement, repeatsMax: number): string[] {
  const { events, repeats, lost, disordered, changed, unverified, badlyStored } = judgement
  const breaches: [boolean, string][] = [
    [events === 0, 'no event happened'],
    [lost > 0, `no event lost: ${lost} deliveries never came`],
    [repeats > repeatsMax, `repeats bounded: ${repeats} repeats, at most ${repeatsMax}`],
    [disordered > 0, `order per object: ${disordered} came before the one before them`],
    [changed > 0, `bytes unchanged: ${changed} came with other bytes`],
    [unverified > 0, `signatures verify: ${unverified} did not`],
    [badlyStored > 0, `events stored once: ${badlyStored} are not, byte for byte`],
  ]
  return breaches.filter(([isBroken]) => isBroken).map(([, line]) => line)
}

/** The figures in one line. */
export function deliveriesLine(judgement: Judgement, repeatsMax: number): string {
  const { events, expected, received, retries, repeats, lost, disordered, changed, unverified } = judgement
  return [
    `${events} events, ${expected} deliveries expected, ${received} received,`,
    `${retries} after a failure, ${repeats} repeats (at most ${repeatsMax}),`,
    `lost ${lost}, disordered ${disordered}, changed ${changed}, unverified ${unverified},`,
    `slowest hand-over ${seconds(judgement.slowestHandOverMs)}, slowest arrival ${seconds(judgement.slowestArrivalMs)}`,
  ].join(' ')
}

/** Whether the receiver answered that it has it. */
export function isTaken({ answer }: Arrival): boolean {
  return typeof answer === 'number' && answer >= 200 && answer < 300
}

/** What came to an endpoint between two moments. */
export function sentBetween(seen: Seen[], endpoint: Endpoint, from: number, to = Number.POSITIVE_INFINITY): Seen[] {
  return seen.filter((one) => one.endpoint === endpoint && one.arrival.at > from && one.arrival.at < to)
}

async function storedEvents({ cluster }: Deliveries, position: number): Promise<StoredEvent[]> {
  return cluster.query<StoredEvent>(
    `select id, shop_id as "shopId", object_id as "objectId", sequence::int as sequence,
       extract(epoch from happened_at)::float8 * 1000 as at,
       extract(epoch from published_at - happened_at)::float8 * 1000 as "handedOverMs",
       encode(sha256(convert_to(body, 'UTF8')), 'hex') as sum
     from orders.events where position > $1 order by position`,
    [position],
  )
}

async function expectedKeys({ cluster, endpoints }: Deliveries, since: Mark, events: StoredEvent[]): Promise<string[]> {
  const throughout = since.endpoints.filter((endpoint) => endpoints.includes(endpoint))
  const sure = throughout.flatMap(({ id, shop }) =>
    events.filter(({ shopId }) => shopId === shop.id).map((event) => `${id} ${event.id}`),
  )
  const late = endpoints.filter((endpoint) => !since.endpoints.includes(endpoint)).map(({ id }) => id)
  const rows = await cluster.query<{ key: string }>(
    `select endpoint_id || ' ' || event_id as key from webhooks.deliveries
     where endpoint_id = any($1) and event_id = any($2)`,
    [late, events.map(({ id }) => id)],
  )
  return [...sure, ...rows.map(({ key }) => key)]
}

async function countBadlyStored({ cluster }: Deliveries, position: number): Promise<number> {
  const [row] = await cluster.query<{ count: number }>(
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
