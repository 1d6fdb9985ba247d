// Owns what happens to that on which all stands: the bus goes away or comes back again and again, the database dies or cuts
// its connections, the way between orders and webhooks is shut. No process dies, so nothing may come twice.
import { setTimeout as pause } from 'node:timers/promises'
import type { Stage } from './stage.ts'
import { atRandomMoments, type Fault, forTheRest, nothing, seconds, slowest } from './webhook-fault-scene.ts'

const AWAY_MS = 30_000
const SHUT_MS = 60_000
// Each at a random moment of its part; the embedded server is started again at most five times a minute.
const DEATHS_APART_MS = 15_500

export const outages: Fault[] = [
  {
    name: 'NATS stopped 30 s',
    async happen(scene) {
      const began = performance.now()
      await pause(Math.random() * 10_000)
      await scene.ground.stage.nats.stop()
      await pause(AWAY_MS)
      await scene.ground.stage.nats.start()
      const readyMs = await untilReady(scene.ground.stage)
      await forTheRest(scene, began)
      return { ...nothing, notes: [`all ready after ${seconds(readyMs)}`] }
    },
  },
  {
    name: 'NATS restarted',
    async happen({ ground: { stage }, ...scene }) {
      const readyMs: number[] = []
      await atRandomMoments(scene, async () => {
        await stage.nats.stop()
        await stage.nats.start()
        readyMs.push(await untilReady(stage))
      })
      return { ...nothing, notes: [`${scene.rounds} times`, slowest('all ready after at most', readyMs)] }
    },
  },
  {
    name: 'PostgreSQL killed and restarted',
    async happen({ ground: { stage, ask }, ...scene }) {
      const backMs: number[] = []
      await atRandomMoments(
        scene,
        async () => {
          const began = performance.now()
          stage.killDatabase()
          await ask('select 1')
          await untilReady(stage)
          backMs.push(performance.now() - began)
        },
        DEATHS_APART_MS,
      )
      return { ...nothing, notes: [`${scene.rounds} times`, slowest('all ready after at most', backMs)] }
    },
  },
  {
    name: 'database connections cut',
    async happen({ ground: { ask }, ...scene }) {
      let cut = 0
      await atRandomMoments(scene, async () => {
        cut += (await ask(cutText)).length
      })
      return { ...nothing, notes: [`${cut} connections in ${scene.rounds} cuts`] }
    },
  },
  {
    name: 'partition of orders and webhooks, 60 s',
    async happen(scene) {
      const { gate, stage } = scene.ground
      const began = performance.now()
      await pause(Math.random() * 10_000)
      gate.silence()
      await pause(SHUT_MS)
      gate.heal()
      const readyMs = await untilReady(stage)
      await forTheRest(scene, began)
      const failed = scene.traffic.counts().failedCount
      return {
        ...nothing,
        notes: [`all ready after ${seconds(readyMs)}`],
        wrong: failed === 0 ? [] : [`${failed} commands failed`],
      }
    },
  },
]

async function untilReady({ replicas }: Stage): Promise<number> {
  const began = performance.now()
  await Promise.all(replicas.all.map((replica) => replica.ready()))
  return performance.now() - began
}

const cutText = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
