// Faults of the hand-over of events: a death after the commit and before the relay, one between call and flag, and two relays
// at once. Locks in the database hold the relay at the wanted moment. docs/spec/events.md.
import type pg from 'pg'
import type { Cluster } from '../../cluster.ts'
import { until } from '../../program.ts'
import { atRandomMoments, type Fault, slowest } from '../scene.ts'

const ENOUGH = 10
const WAIT_MS = 8_000
const HANDED_OVER_MS = 5_000

export const relayFaults: Fault[] = [
  {
    name: 'kill -9 of orders after commit, before relay',
    async happen({ cluster, ...act }) {
      const waitsMs: number[] = []
      await atRandomMoments(act, async () => {
        const position = await holdBack(cluster, async () => killOrders(cluster))
        const began = performance.now()
        await until(async () => (await countUnpublished(cluster, position)) === 0, WAIT_MS)
        waitsMs.push(performance.now() - began)
      })
      const late = waitsMs.filter((ms) => ms > HANDED_OVER_MS).length
      return {
        notes: [slowest('handed over after the start at the latest in', waitsMs)],
        breaches: late === 0 ? [] : [`${late} times it took longer than ${HANDED_OVER_MS / 1_000} s`],
      }
    },
  },
  {
    name: 'kill -9 of the relay between call and flag',
    async happen({ cluster, ...act }) {
      let caught = 0
      await atRandomMoments(act, async () => {
        const blocked = await holdFlags(cluster)
        let killed: Promise<void> = Promise.resolve()
        try {
          if (await isMarking(cluster)) caught += 1
          killed = killOrders(cluster)
          await cluster.query(endMarkingText) // The server would go on for a client that is gone.
        } finally {
          await letGo(blocked)
        }
        await killed
      })
      return { notes: [`caught there ${caught} times`] }
    },
  },
  {
    name: 'two relays by force, lock connection cut',
    async happen({ cluster, ...act }) {
      let both = 0
      await atRandomMoments(act, async () => {
        const turns = await cluster.session()
        try {
          await turns.query('begin; select from webhooks.turns order by shop_id for update')
          const calling = (count: number) =>
            until(async () => (await cluster.query<{ pid: number }>(storingText)).length >= count, WAIT_MS / 4)
          await calling(1)
          await cluster.query(cutRelayText)
          if (await calling(2)) both += 1
        } finally {
          await letGo(turns)
        }
      })
      return { notes: [`two were storing at once ${both} times`] }
    },
  },
]

// While this session holds the relay's lock, events gather; then `work` happens to them, and the lock is released.
async function holdBack(cluster: Cluster, work: () => Promise<void>): Promise<number> {
  const lock = await cluster.session()
  try {
    await lock.query("select pg_advisory_lock(hashtext('event-relay:orders'))")
    await until(async () => (await countUnpublished(cluster)) >= ENOUGH, WAIT_MS)
    const [row] = await cluster.query<{ position: number }>('select max(position)::int as position from orders.events')
    await work()
    return row?.position ?? 0
  } finally {
    await lock.end()
  }
}

async function holdFlags(cluster: Cluster): Promise<pg.Client> {
  const rows = await cluster.session()
  await holdBack(cluster, async () => {
    await rows.query('begin; select from orders.events where published_at is null for update')
  })
  return rows
}

function isMarking(cluster: Cluster): Promise<boolean> {
  return until(async () => (await cluster.query(markingText)).length > 0, WAIT_MS)
}

async function killOrders({ of }: Cluster): Promise<void> {
  await Promise.all(of('orders').map((replica) => replica.restart('SIGKILL')))
}

async function countUnpublished({ query }: Cluster, position = Number.MAX_SAFE_INTEGER): Promise<number> {
  const [row] = await query<{ count: number }>(
    'select count(*)::int as count from orders.events where published_at is null and position <= $1',
    [position],
  )
  return row?.count ?? 0
}

async function letGo(session: pg.Client): Promise<void> {
  await session.query('rollback')
  await session.end()
}

const blockedText = (statement: string) =>
  `pid from pg_stat_activity where wait_event_type = 'Lock' and query like '${statement}%' and pid <> pg_backend_pid()`
const markingText = `select ${blockedText('update events set published_at')}`
const endMarkingText = `select pg_terminate_backend(pid) from (select ${blockedText('update events set published_at')}) as gone`
const storingText = `select ${blockedText('select shop_id from turns')}`
const cutRelayText = `
  select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
    and objid::bigint = (hashtext('event-relay:orders')::bigint & 4294967295)`
