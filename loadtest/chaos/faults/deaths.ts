// Deaths and orderly ends of processes: orders in mid-command, webhooks with many attempts under way, SIGTERM of each in turn.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Judgement } from '../../judge/deliveries.ts'
import { until } from '../../program.ts'
import { well } from '../../receiver.ts'
import { type Act, atRandomMoments, behave, failedCommands, type Fault, type Finding, slowest } from '../scene.ts'

const BURST = 20
const SLOW_MS = 1_500
const MANY = 30
const SENT_AGAIN_MS = 35_000
const KILLS_APART_MS = 20_000

export const deaths: Fault[] = [
  {
    name: 'kill -9 of orders in mid-command',
    async happen(act) {
      const replicas = act.cluster.of('orders')
      await atRandomMoments(act, async (round) => {
        act.traffic.burst(BURST)
        await sleep(Math.random() * 60)
        await replicas[round % replicas.length]?.restart('SIGKILL')
      })
    },
  },
  {
    name: 'kill -9 of webhooks, many in flight',
    async happen(act) {
      const interrupted: Interrupted[] = []
      await atRandomMoments(
        act,
        async (round) => void interrupted.push(...(await killWebhooks(act, round))),
        KILLS_APART_MS,
      )
      return {
        repeatsMax: interrupted.length,
        notes: [`${interrupted.length} in flight at ${act.rounds} deaths, kills ${KILLS_APART_MS / 1_000} s apart`],
        review: (judgement) => reviewSentAgain(judgement, interrupted),
      }
    },
  },
  {
    name: 'SIGTERM of orders and webhooks in turn',
    async happen(act) {
      const replicas = [...act.cluster.of('orders'), ...act.cluster.of('webhooks')]
      const tookMs: number[] = []
      await atRandomMoments(act, async (round) => {
        tookMs.push((await replicas[round % replicas.length]?.restart('SIGTERM')) ?? 0)
      })
      return { breaches: failedCommands(act), notes: [slowest('slowest end and start', tookMs)] }
    },
  },
]

type Interrupted = { key: string; killedAt: number }

// The receivers are slow for a moment, so that as much is under way as the limits allow. Attempts of the dead replica
// keep their lease, those of the other one are answered meanwhile.
async function killWebhooks({ cluster, endpoints }: Act, round: number): Promise<Interrupted[]> {
  const replicas = cluster.of('webhooks')
  const victim = replicas[round % replicas.length]
  behave(endpoints, { ...well, afterMs: SLOW_MS })
  await until(async () => {
    const leased = await cluster.query('select from webhooks.queue where lease_until is not null')
    return leased.length >= MANY
  }, SLOW_MS)
  const pid = victim?.pid()
  const killedAt = Date.now()
  victim?.signal('SIGKILL')
  behave(endpoints, well)
  await sleep(2 * SLOW_MS)
  const rows = await cluster.query<{ key: string }>(
    `select endpoint_id || ' ' || event_id as key from webhooks.queue
     where lease_until is not null and last_attempt_at <= to_timestamp($1::float8 / 1000)`,
    [killedAt],
  )
  await victim?.ready(pid)
  return rows.map(({ key }) => ({ key, killedAt }))
}

function reviewSentAgain({ seen }: Judgement, interrupted: Interrupted[]): Finding {
  const arrivals = Map.groupBy(seen, ({ endpoint, event }) => `${endpoint.id} ${event.id}`)
  // One that never came again was under way in the other replica and answered late; a lost one is judged elsewhere.
  const waits = interrupted.flatMap(({ key, killedAt }) => {
    const again = (arrivals.get(key) ?? []).find(({ arrival }) => arrival.at > killedAt + SLOW_MS)
    return again === undefined ? [] : [again.arrival.at - killedAt]
  })
  const late = waits.filter((ms) => ms > SENT_AGAIN_MS).length
  return {
    notes: [`${waits.length} sent again`, slowest('the slowest after', waits)],
    breaches: late === 0 ? [] : [`${late} were sent again later than after ${SENT_AGAIN_MS / 1_000} s`],
  }
}
