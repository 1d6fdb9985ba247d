// Owns the claim beside a dead endpoint with a million deliveries that wait: milliseconds of one round and the pages that it
// touches, as a worker lives it, each claimed delivery landed before the next round, and no vacuum but the server's own.
import { readFileSync } from 'node:fs'
import { claim } from '../services/webhooks/delivery/claim.ts'
import { makePace } from '../services/webhooks/delivery/delivery-config.ts'
import { callTurns } from '../services/webhooks/delivery/queue-queries.ts'
import type { Answer } from '../services/webhooks/delivery/retry.ts'
import { settle } from '../services/webhooks/delivery/settle.ts'
import type { Flight } from '../services/webhooks/tables.ts'
import type { Database } from '#postgres/connect'
import type { Ground } from './webhook-queue-ground.ts'
import { fillQueue, makeShop, type Shop, type Waiting } from './webhook-queue-shops.ts'
import { percentile, type Row } from './webhook-queue-table.ts'

export type ClaimSize = { waiting: number; shops: number; rounds: number; sides: number }
type Side = {
  name: string
  claimer: Database
  lander: Database
  deadShopId: string
  /** The process of the claiming connection. */
  backend: number
  /** `ownMs`: without the time in which the two processes had no processor. */
  made: { ms: number; ownMs: number; pages: number }[]
  close(): Promise<void>
}

const MOST = 256
const WORST_MS = 20
const IDLE_ROUNDS = 8
const DUE: Waiting = { dueInS: -3_600, step: 0, isOneObject: false }
const states: [string, Waiting | null][] = [
  ['nothing waits', null],
  ['all due', DUE],
  ['none due for hours', { dueInS: 18_000, step: 5, isOneObject: false }],
  ['all behind one event', { ...DUE, isOneObject: true }],
]
const DUE_A_ROUND = 20 // Of each claim: four shops with four deliveries, and some to spare.
const delivered: Answer = { status: 200, error: null, retryAfter: null, date: null, excerpt: '', durationMs: 5 }
const refused: Answer = { ...delivered, status: null, error: 'connection' }
const pace = makePace([5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])

/** The states take turns, so that what else the machine does is the same for all of them. */
export async function measureClaim(ground: Ground, size: ClaimSize): Promise<Row[]> {
  const sides: Side[] = []
  for (const [name, waiting] of states.slice(0, size.sides)) sides.push(await openSide(ground, name, waiting, size))
  // Not before: a connection that had nothing to do while the others were filled may be another by now.
  for (const side of sides) side.backend = await backendOf(side.claimer)
  for (let round = 0; round < size.rounds; round += 1) {
    for (const side of sides) await makeRound(side)
  }
  const rows: Row[] = []
  for (const side of sides) {
    await side.close()
    rows.push(...rowsOf(side))
  }
  return rows
}

async function openSide(
  ground: Ground,
  name: string,
  waiting: Waiting | null,
  { waiting: count, shops, rounds }: ClaimSize,
): Promise<Side> {
  const url = await ground.database(`claim_${name.replaceAll(' ', '_')}`)
  const worker = await ground.worker(url, { processAtOnce: 0 })
  const dead = await makeShop(worker.broker, [ground.sink.url('/dead')])
  const alive: Shop[] = []
  for (let number = 0; number < shops; number += 1) alive.push(await makeShop(worker.broker, [ground.sink.url('/ok')]))
  await worker.end('SIGTERM')
  const [claimer, lander] = [await ground.schema(url, 1), await ground.schema(url, 1)]
  const [endpointId = ''] = dead.endpointIds
  await lander.rows("update endpoints set failures = 20, failing_since = now() - interval '1 day' where id = $1", [
    endpointId,
  ])
  // The plans are those of a worker that had nothing to do until now.
  for (let round = 0; round < IDLE_ROUNDS; round += 1) {
    await lander.rows('update turns set due_at = statement_timestamp()')
    await claim(claimer, pace, MOST)
  }
  if (waiting !== null) await fillQueue(lander, endpointId, count, waiting)
  const each = Math.ceil((rounds * DUE_A_ROUND) / shops)
  for (const { endpointIds } of alive) await fillQueue(lander, endpointIds[0] ?? '', each, DUE)
  return {
    ...{ name, claimer, lander, deadShopId: dead.id, backend: 0, made: [] },
    async close() {
      await claimer.close()
      await lander.close()
      await ground.drop(url)
    },
  }
}

async function backendOf(claimer: Database): Promise<number> {
  const [backend] = await claimer.rows<{ pid: number }>('select pg_backend_pid() as pid')
  return backend?.pid ?? 0
}

/** Claims and lands: what goes to the dead one fails, all else is delivered. */
async function makeRound(side: Side): Promise<void> {
  const { claimer, lander, deadShopId, backend, made } = side
  const pages = await pagesOf(side)
  const [waited, beganAt] = [waitedMs(process.pid) + waitedMs(backend), performance.now()]
  const { flights } = await claim(claimer, pace, MOST)
  const ms = performance.now() - beganAt
  const ownMs = Math.max(0, ms - (waitedMs(process.pid) + waitedMs(backend) - waited))
  made.push({ ms, ownMs, pages: (await pagesOf(side)) - pages })
  for (const [shopId, own] of Map.groupBy(flights, ({ shop_id }) => shop_id)) {
    await land(lander, shopId, own, shopId === deadShopId ? refused : delivered)
  }
}

function rowsOf({ name, made }: Side): Row[] {
  const shown = (values: number[], digits: number) =>
    [0.5, 0.99, 1].map((part) => percentile(values, part).toFixed(digits)).join(' / ')
  const ownMs = made.map((round) => round.ownMs)
  return [
    {
      what: `${name}: ms a round, p50 / p99 / most`,
      figure: `${shown(ownMs, 1)}, with waiting for a processor ${shown(
        made.map(({ ms }) => ms),
        1,
      )}`,
      must: `p99 at most ${WORST_MS} ms`,
      holds: percentile(ownMs, 0.99) <= WORST_MS,
    },
    {
      what: `${name}: pages a round, p50 / p99 / most`,
      figure: shown(
        made.map(({ pages }) => pages),
        0,
      ),
    },
  ]
}

async function land(lander: Database, shopId: string, flights: Flight[], answer: Answer): Promise<void> {
  await lander.transaction(async (tx) => {
    await callTurns(tx, [shopId])
    const landings = flights.map((flight) => ({ flight, answer, nowMs: Date.now(), chance: Math.random() }))
    await settle(tx, shopId, landings, pace)
  })
}

// What the claiming connection has touched so far, in PostgreSQL's own memory or outside of it.
async function pagesOf({ claimer, lander, backend }: Side): Promise<number> {
  await claimer.rows('select pg_stat_force_next_flush()')
  const [row] = await lander.rows<{ pages: number }>(
    `select sum(coalesce(hits, 0) + coalesce(reads, 0))::float8 as pages from pg_stat_get_backend_io($1)
     where object = 'relation'`,
    [backend],
  )
  return row?.pages ?? 0
}

// How long a process could have worked and had no processor.
function waitedMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1_000_000
}
