// Faults of the hand-over of events: a death after the commit and before the relay, one between call and flag, and two relays
// at once. Locks in the database hold the relay at the wanted moment. docs/spec/events.md.
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
        const position = await holdBack(cluster, () => killOrders(cluster))
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
      let killed: Promise<void> = Promise.resolve()
      await atRandomMoments(act, async () => {
        const rows = await cluster.session()
        await holdBack(cluster, async () => {
          await rows.query('begin; select from orders.events where published_at is null for update')
        })
        try {
          if (await until(() => isBlocked(cluster, MARKING), WAIT_MS)) caught += 1
          killed = killOrders(cluster)
          // The server would go on for a client that is gone.
          await cluster.query(`select pg_terminate_backend(pid) from (select ${blockedText(MARKING)}) as gone`)
        } finally {
          await rows.end()
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
        const lock = await cluster.session()
        try {
          await lock.query('begin; select from webhooks.schedules order by shop_id for update')
          await until(() => isBlocked(cluster, STORING), WAIT_MS / 4)
          await cluster.query(cutRelayText)
          if (await until(() => isBlocked(cluster, STORING, 2), WAIT_MS / 4)) both += 1
        } finally {
          await lock.end()
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

async function isBlocked({ query }: Cluster, statement: string, times = 1): Promise<boolean> {
  return (await query(`select ${blockedText(statement)}`)).length >= times
}

async function killOrders({ of }: Cluster): Promise<void> {
  await Promise.all(of('orders').map((replica) => replica.restart('SIGKILL')))
}

async function countUnpublished({ query }: Cluster, position = Number.MAX_SAFE_INTEGER): Promise<number> {
  const text = 'select from orders.events where published_at is null and position <= $1'
  return (await query(text, [position])).length
}

const MARKING = 'update events set published_at'
const STORING = 'select shop_id from schedules'
const blockedText = (statement: string) =>
  `pid from pg_stat_activity where wait_event_type = 'Lock' and query like '${statement}%' and pid <> pg_backend_pid()`
const cutRelayText = `
  select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
    and objid::bigint = (hashtext('event-relay:orders')::bigint & 4294967295)`
