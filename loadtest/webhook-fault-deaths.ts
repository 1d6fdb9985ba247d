// Owns the deaths and the orderly ends of processes: orders in mid-command, webhooks with many attempts under way, SIGTERM
// of each in turn. States and events 7.4, 8.4 and 8.6.
import { setTimeout as pause } from 'node:timers/promises'
import type { Ground } from './webhook-fault-ground.ts'
import { until } from './webhook-fault-ground.ts'
import type { Judgement } from './webhook-fault-judge.ts'
import { atRandomMoments, type Fault, type Finding, nothing, slowest } from './webhook-fault-scene.ts'

const BURST = 20
const SLOW_MS = 1_500
const MANY = 30
const SENT_AGAIN_MS = 35_000
const KILLS_APART_MS = 20_000

export const deaths: Fault[] = [
  {
    name: 'kill -9 of orders in mid-command',
    async happen({ ground, traffic, ...scene }) {
      const replicas = ground.stage.replicas.of('orders')
      await atRandomMoments(scene, async (round) => {
        const victim = replicas[round % replicas.length]
        const pid = victim?.pid()
        await traffic.burst(BURST)
        await pause(Math.random() * 60)
        victim?.signal('SIGKILL')
        await victim?.ready(pid)
      })
      return nothing
    },
  },
  {
    name: 'kill -9 of webhooks, many in flight',
    async happen({ ground, ...scene }) {
      const interrupted: Interrupted[] = []
      await atRandomMoments(
        scene,
        async (round) => {
          interrupted.push(...(await killWebhooks(ground, round)))
        },
        KILLS_APART_MS,
      )
      return {
        ...nothing,
        repeatsMax: interrupted.length,
        notes: [`${interrupted.length} in flight at ${scene.rounds} deaths, kills ${KILLS_APART_MS / 1_000} s apart`],
        review: (judgement) => reviewSentAgain(judgement, interrupted),
      }
    },
  },
  {
    name: 'SIGTERM of orders and webhooks in turn',
    async happen({ ground, traffic, ...scene }) {
      const replicas = [...ground.stage.replicas.of('orders'), ...ground.stage.replicas.of('webhooks')]
      const tookMs: number[] = []
      await atRandomMoments(scene, async (round) => {
        const replica = replicas[round % replicas.length]
        const pid = replica?.pid()
        const began = performance.now()
        replica?.signal('SIGTERM')
        await replica?.ready(pid)
        tookMs.push(performance.now() - began)
      })
      const failed = traffic.counts().failedCount
      const wrong = failed === 0 ? [] : [`${failed} commands failed`]
      return { ...nothing, wrong, notes: [slowest('slowest end and start', tookMs)] }
    },
  },
]

type Interrupted = { key: string; killedAt: number }

// The receivers are made slow for a moment, so that as much is under way as the caps allow; what the dead one had keeps its
// lease, what the other one had is answered meanwhile.
async function killWebhooks({ stage, endpoints, ask }: Ground, round: number): Promise<Interrupted[]> {
  const replicas = stage.replicas.of('webhooks')
  const victim = replicas[round % replicas.length]
  const behave = (afterMs: number) => {
    for (const { receiver, hooks } of endpoints) receiver.behave(hooks, { kind: 'answer', status: 200, afterMs })
  }
  behave(SLOW_MS)
  await until(async () => {
    const [row] = await ask<{ count: number }>(
      'select count(*)::int as count from webhooks.queue where lease_until is not null',
    )
    return (row?.count ?? 0) >= MANY
  }, SLOW_MS)
  const pid = victim?.pid()
  const killedAt = Date.now()
  victim?.signal('SIGKILL')
  behave(0)
  await pause(2 * SLOW_MS)
  const rows = await ask<{ key: string }>(
    `select endpoint_id || ' ' || event_id as key from webhooks.queue
     where lease_until is not null and last_attempt_at <= to_timestamp($1::float8 / 1000)`,
    [killedAt],
  )
  await victim?.ready(pid)
  return rows.map(({ key }) => ({ key, killedAt }))
}

function reviewSentAgain({ seen }: Judgement, interrupted: Interrupted[]): Finding {
  const arrivals = Map.groupBy(seen, ({ endpoint, event }) => `${endpoint.id} ${event.id}`)
  // One that never came again was under way in the other replica and landed late; what is lost is judged elsewhere.
  const waits = interrupted.flatMap(({ key, killedAt }) => {
    const again = (arrivals.get(key) ?? []).find(({ arrival }) => arrival.at > killedAt + SLOW_MS)
    return again === undefined ? [] : [again.arrival.at - killedAt]
  })
  const late = waits.filter((ms) => ms > SENT_AGAIN_MS).length
  return {
    notes: [`${waits.length} sent again`, slowest('the slowest after', waits)],
    wrong: late === 0 ? [] : [`${late} were sent again later than after ${SENT_AGAIN_MS / 1_000} s`],
  }
}
