// Outages of what the services need: NATS leaves, or restarts again and again, PostgreSQL dies or cuts its connections, a
// partition between orders and webhooks. No process dies, so nothing may come twice.
import { setTimeout as pause } from 'node:timers/promises'
import { seconds } from '../../program.ts'
import { atRandomMoments, type Fault, forTheRest, nothing, slowest, untilReady } from './scene.ts'

const AWAY_MS = 30_000
const PARTITION_MS = 60_000
// Each at a random moment of its part; the embedded server is started again at most five times a minute.
const DEATHS_APART_MS = 15_500

export const outages: Fault[] = [
  {
    name: 'NATS stopped 30 s',
    async happen(act) {
      const began = performance.now()
      await pause(Math.random() * 10_000)
      await act.cluster.nats.stop()
      await pause(AWAY_MS)
      await act.cluster.nats.start()
      const readyMs = await untilReady(act.cluster)
      await forTheRest(act, began)
      return { ...nothing, notes: [`all ready after ${seconds(readyMs)}`] }
    },
  },
  {
    name: 'NATS restarted',
    async happen({ cluster, ...act }) {
      const readyMs: number[] = []
      await atRandomMoments(act, async () => {
        await cluster.nats.stop()
        await cluster.nats.start()
        readyMs.push(await untilReady(cluster))
      })
      return { ...nothing, notes: [`${act.rounds} times`, slowest('all ready after at most', readyMs)] }
    },
  },
  {
    name: 'PostgreSQL killed and restarted',
    async happen({ cluster, ...act }) {
      const backMs: number[] = []
      await atRandomMoments(
        act,
        async () => {
          const began = performance.now()
          cluster.killDatabase()
          await cluster.query('select 1')
          await untilReady(cluster)
          backMs.push(performance.now() - began)
        },
        DEATHS_APART_MS,
      )
      return { ...nothing, notes: [`${act.rounds} times`, slowest('all ready after at most', backMs)] }
    },
  },
  {
    name: 'database connections cut',
    async happen({ cluster, ...act }) {
      let cut = 0
      await atRandomMoments(act, async () => {
        cut += (await cluster.query(cutText)).length
      })
      return { ...nothing, notes: [`${cut} connections in ${act.rounds} cuts`] }
    },
  },
  {
    name: 'partition of orders and webhooks, 60 s',
    async happen(act) {
      const { bus, cluster, traffic } = act
      const began = performance.now()
      await pause(Math.random() * 10_000)
      bus.silence()
      await pause(PARTITION_MS)
      bus.heal()
      const readyMs = await untilReady(cluster)
      await forTheRest(act, began)
      const failed = traffic.counts().failedCount
      return {
        ...nothing,
        notes: [`all ready after ${seconds(readyMs)}`],
        breaches: failed === 0 ? [] : [`${failed} commands failed`],
      }
    },
  },
]

const cutText = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
