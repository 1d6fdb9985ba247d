// Owns what befalls the hand-over of events: a death after the commit and before the relay, one between call and flag, and
// two relays at once. Locks of the database hold the relay at the moment that is wanted. States and events 8.2.
import type pg from 'pg'
import { type Ground, until } from './webhook-fault-ground.ts'
import { atRandomMoments, type Fault, nothing, slowest } from './webhook-fault-scene.ts'

const ENOUGH = 10
const WAIT_MS = 8_000
const HANDED_OVER_MS = 5_000

export const relayFaults: Fault[] = [
  {
    name: 'kill -9 of orders after commit, before relay',
    async happen({ ground, ...scene }) {
      const waitsMs: number[] = []
      await atRandomMoments(scene, async () => {
        const position = await holdBack(ground, async () => killOrders(ground))
        const began = performance.now()
        await until(async () => (await countUnpublished(ground, position)) === 0, WAIT_MS)
        waitsMs.push(performance.now() - began)
      })
      const late = waitsMs.filter((ms) => ms > HANDED_OVER_MS).length
      return {
        ...nothing,
        notes: [slowest('handed over after the start at the latest in', waitsMs)],
        wrong: late === 0 ? [] : [`${late} times it took longer than ${HANDED_OVER_MS / 1_000} s`],
      }
    },
  },
  {
    name: 'kill -9 of the relay between call and flag',
    async happen({ ground, ...scene }) {
      let caught = 0
      await atRandomMoments(scene, async () => {
        const blocked = await holdFlags(ground)
        let killed: Promise<void> = Promise.resolve()
        try {
          if (await isMarking(ground)) caught += 1
          killed = killOrders(ground)
          await ground.ask(endMarkingText) // The server would go on for a client that is gone.
        } finally {
          await letGo(blocked)
        }
        await killed
      })
      return { ...nothing, notes: [`caught there ${caught} times`] }
    },
  },
  {
    name: 'two relays by force, lock connection cut',
    async happen({ ground, ...scene }) {
      let both = 0
      await atRandomMoments(scene, async () => {
        const turns = await ground.session()
        try {
          await turns.query('begin; select from webhooks.turns order by shop_id for update')
          const calling = (count: number) =>
            until(async () => (await ground.ask<{ pid: number }>(storingText)).length >= count, WAIT_MS / 4)
          await calling(1)
          await ground.ask(cutRelayText)
          if (await calling(2)) both += 1
        } finally {
          await letGo(turns)
        }
      })
      return { ...nothing, notes: [`two were storing at once ${both} times`] }
    },
  },
]

// While another holds the relay's lock, commits gather; then `work` happens to them, and the lock is free.
async function holdBack(ground: Ground, work: () => Promise<void>): Promise<number> {
  const lock = await ground.session()
  try {
    await lock.query("select pg_advisory_lock(hashtext('event-relay:orders'))")
    await until(async () => (await countUnpublished(ground)) >= ENOUGH, WAIT_MS)
    const [row] = await ground.ask<{ position: number }>('select max(position)::int as position from orders.events')
    await work()
    return row?.position ?? 0
  } finally {
    await lock.end()
  }
}

async function holdFlags(ground: Ground): Promise<pg.Client> {
  const rows = await ground.session()
  await holdBack(ground, async () => {
    await rows.query('begin; select from orders.events where published_at is null for update')
  })
  return rows
}

function isMarking(ground: Ground): Promise<boolean> {
  return until(async () => (await ground.ask(markingText)).length > 0, WAIT_MS)
}

async function killOrders({ stage }: Ground): Promise<void> {
  const replicas = stage.replicas.of('orders')
  const pids = replicas.map((replica) => replica.pid())
  for (const replica of replicas) replica.signal('SIGKILL')
  await Promise.all(replicas.map((replica, index) => replica.ready(pids[index])))
}

async function countUnpublished({ ask }: Ground, position = Number.MAX_SAFE_INTEGER): Promise<number> {
  const [row] = await ask<{ count: number }>(
    'select count(*)::int as count from orders.events where published_at is null and position <= $1',
    [position],
  )
  return row?.count ?? 0
}

async function letGo(session: pg.Client): Promise<void> {
  await session.query('rollback')
  await session.end()
}

const blockedText = (query: string) =>
  `pid from pg_stat_activity where wait_event_type = 'Lock' and query like '${query}%' and pid <> pg_backend_pid()`
const markingText = `select ${blockedText('update events set published_at')}`
const endMarkingText = `select pg_terminate_backend(pid) from (select ${blockedText('update events set published_at')}) as gone`
const storingText = `select ${blockedText('select shop_id from turns')}`
const cutRelayText = `
  select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
    and objid::bigint = (hashtext('event-relay:orders')::bigint & 4294967295)`
