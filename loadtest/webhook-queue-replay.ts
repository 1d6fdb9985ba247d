// Owns the replay whose worker is killed half-way: what had been delivered is sent once more, with kill -9 in the middle and
// another worker for the rest. Nothing may be lost, only what was under way may come twice, and objects keep their order.
// Only the pace of the replay is not the product's ten a second: at that, 100,000 take nearly three hours.
import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { makePace, type Pace } from '../services/webhooks/delivery/delivery-config.ts'
import type { Ground } from './webhook-queue-ground.ts'
import { askFor, makeEvent, makeShop, type NewEvent, writeDelivered, writeEvents } from './webhook-queue-shops.ts'
import type { Arrival } from './webhook-queue-sink.ts'
import type { Row } from './webhook-queue-table.ts'

export type ReplaySize = { count: number; objects: number; pace: Partial<Pace> }

const CHUNK = 1_000
const HOUR_MS = 3_600_000
const LOOK_MS = 100
const PER_SECOND = 2_000
const { endpointAtOnce } = makePace([])

export async function measureReplay(ground: Ground, { count, objects, pace }: ReplaySize): Promise<Row[]> {
  const url = await ground.database('replay')
  const first = await ground.worker(url, { perSecond: PER_SECOND, ...pace })
  const shop = await makeShop(first.broker, [ground.sink.url('/ok')])
  const [endpointId = ''] = shop.endpointIds
  const db = await ground.schema(url, 1)
  const events = makeHistory(shop.id, count, objects)
  for (let from = 0; from < count; from += CHUNK) {
    const chunk = events.slice(from, from + CHUNK)
    await writeEvents(db, chunk)
    await writeDelivered(db, endpointId, chunk)
  }
  const askedAt = performance.now()
  const replay = { from: new Date(Date.now() - 24 * HOUR_MS).toISOString() }
  const params = { id: endpointId, replay }
  const made = (await askFor(first.broker, shop.id, 'replays.create', params)) as { id: string; count: number }
  const answeredMs = performance.now() - askedAt
  await arrived(ground, count / 2)
  await first.end('SIGKILL')
  const killedAt = performance.now()
  const [{ flying } = { flying: 0 }] = await db.rows<{ flying: number }>(
    'select count(*)::integer as flying from queue where lease_until is not null',
  )
  const before = await ground.sink.count()
  const second = await ground.worker(url, { perSecond: PER_SECOND, ...pace })
  await arrived(ground, before + 1)
  const resumedMs = performance.now() - killedAt
  while ((await openOf(db)) > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  const tookS = (performance.now() - askedAt) / 1_000
  await second.end('SIGTERM')
  await db.close()
  await ground.drop(url)
  const { lost, again, disordered, changed } = judge(events, await ground.sink.take())
  return [
    {
      what: 'deliveries replayed',
      figure: `${made.count} of ${objects} objects`,
      must: String(count),
      holds: made.count === count,
    },
    { what: 'the request was answered after', figure: `${answeredMs.toFixed(0)} ms` },
    { what: 'killed after, under way then', figure: `${before} arrivals, ${flying} under way` },
    { what: 'gone on after, with the start of the other worker', figure: `${(resumedMs / 1_000).toFixed(1)} s` },
    { what: 'whole time', figure: `${tookS.toFixed(0)} s, ${(count / tookS).toFixed(0)} a second` },
    { what: 'lost', figure: String(lost), must: '0', holds: lost === 0 },
    { what: 'came twice', figure: String(again), must: `at most ${endpointAtOnce}`, holds: again <= endpointAtOnce },
    { what: 'out of the order of their object', figure: String(disordered), must: '0', holds: disordered === 0 },
    { what: 'with another body or not as a replay', figure: String(changed), must: '0', holds: changed === 0 },
  ]

  async function openOf(schema: typeof db): Promise<number> {
    const [row] = await schema.rows<{ open: number }>(
      `select ((select count(*) from replays where status = 'running') + (select count(*) from queue))::integer as open`,
    )
    return row?.open ?? 0
  }
}

// Within the last hours, the objects in turn.
function makeHistory(shopId: string, count: number, objects: number): NewEvent[] {
  const objectIds = Array.from({ length: objects }, () => randomUUID())
  const beganAt = Date.now() - 12 * HOUR_MS
  return Array.from({ length: count }, (_, number) => {
    const now = new Date(beganAt + Math.floor((number * 11 * HOUR_MS) / count))
    return makeEvent(shopId, objectIds[number % objects] ?? '', Math.floor(number / objects) + 1, now)
  })
}

async function arrived(ground: Ground, count: number): Promise<void> {
  while ((await ground.sink.count()) < count) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
}

function judge(expected: NewEvent[], arrivals: Arrival[]) {
  const events = new Map(expected.map((event) => [event.id, event]))
  const seen = new Set<string>()
  const last = new Map<string, number>()
  const found = { lost: 0, again: 0, disordered: 0, changed: 0 }
  for (const { id, sum, reason } of arrivals) {
    const event = events.get(id)
    if (event === undefined || reason !== 'replay' || sum !== crc32(event.body)) found.changed += 1
    if (event === undefined) continue
    if (seen.has(id)) {
      found.again += 1
      continue
    }
    seen.add(id)
    if (event.sequence < (last.get(event.object_id) ?? 0)) found.disordered += 1
    last.set(event.object_id, event.sequence)
  }
  found.lost = expected.length - seen.size
  return found
}
