// What sellers and machines change while events flow: secrets, URLs, endpoints that are turned off or deleted, and the clock of
// a worker. docs/spec/webhooks.md.
import { setTimeout as pause } from 'node:timers/promises'
import type { Judgement, Seen } from '../../judge-deliveries.ts'
import type { Process } from '../../process.ts'
import { pick, seconds } from '../../program.ts'
import type { Endpoint } from '../../receiver-process.ts'
import {
  atRandomMoments,
  behave,
  type Fault,
  type Finding,
  forTheRest,
  nothing,
  oneOfEachShop,
  type Scene,
} from './scene.ts'

const OVERLAP_S = 60
const UNDER_WAY = 4
const OFF_MS = 3_000
// A request that was sent before an answer may be noted by a busy receiver so much later.
const NOTED_MS = 500
const FIRST_WAIT_MS = 5_000

export const changeFaults: Fault[] = [
  {
    name: 'secrets rotated',
    async happen(act) {
      let turn = 0
      await atRandomMoments(act, async () => {
        const endpoint = act.endpoints[turn % act.endpoints.length]
        turn += 1
        if (endpoint !== undefined) await rotate(act, endpoint)
      })
      return { ...nothing, notes: [`${act.rounds} rotations, the new secret alone is known after 3 s`] }
    },
  },
  {
    name: 'endpoints disabled, enabled, moved, deleted',
    async happen(act) {
      const checks: ((seen: Seen[]) => string | null)[] = []
      let heldCount = 0
      await atRandomMoments(act, async (round) => {
        const endpoint = pick(act.endpoints)
        if (round % 3 === 0) heldCount += await turnOffAndOn(act, endpoint, checks)
        else if (round % 3 === 1) checks.push(await move(act, endpoint))
        else checks.push(await deleteAndReplace(act, endpoint))
      })
      return {
        ...nothing,
        notes: [`${act.rounds} changes`, `${heldCount} counted as held`],
        review: ({ seen }): Finding => ({ notes: [], breaches: checks.flatMap((check) => check(seen) ?? []) }),
      }
    },
  },
  {
    name: 'clock of a worker +10, -10 min, jump back',
    async happen(act) {
      const [replica] = act.cluster.of('webhooks')
      const chosen = oneOfEachShop(act)
      const began = performance.now()
      const partMs = (act.minutes * 60_000) / 3
      const ahead: number[] = []
      behave(chosen, { kind: 'flap', part: 0.05 })
      for (const _jump of [1, 2, 3]) {
        replica?.signal('SIGUSR2')
        await pause(partMs)
        ahead.push(Math.round(await aheadS(replica)))
      }
      behave(chosen, { kind: 'answer', status: 200 })
      await forTheRest(act, began)
      const isTold = ahead.map((s, index) => Math.abs(s - ([600, -600, 0][index] ?? 0)) < 30).every(Boolean)
      return {
        ...nothing,
        notes: [`measured as ${ahead.join(', ')} s ahead`],
        breaches: isTold ? [] : ['the metric does not show it'],
        review: reviewWaits,
      }
    },
  },
]

async function rotate({ office }: Scene, endpoint: Endpoint): Promise<void> {
  const { secret } = await office(endpoint.shop, 'POST', `/webhook-endpoints/${endpoint.id}/rotate-secret`, {
    overlapSeconds: OVERLAP_S,
  })
  const { receiver, hooks } = endpoint
  for (const hook of hooks) receiver.trust(hook, [String(secret), endpoint.secret])
  endpoint.secret = String(secret)
  await pause(OFF_MS)
  for (const hook of hooks) receiver.trust(hook, [endpoint.secret])
}

async function turnOffAndOn(
  { office }: Scene,
  endpoint: Endpoint,
  checks: ((seen: Seen[]) => string | null)[],
): Promise<number> {
  const path = `/webhook-endpoints/${endpoint.id}`
  await office(endpoint.shop, 'PATCH', path, { enabled: false })
  const off = Date.now()
  await pause(OFF_MS)
  const { waiting } = await office(endpoint.shop, 'GET', path)
  const on = Date.now()
  await office(endpoint.shop, 'PATCH', path, { enabled: true })
  checks.push((seen) => {
    const sent = between(seen, endpoint, off + NOTED_MS, on).length
    return sent === 0 ? null : `${sent} sent while turned off`
  })
  return Number(waiting)
}

async function move({ office, receivers: [receiver] }: Scene, endpoint: Endpoint) {
  const [old = ''] = endpoint.hooks
  const hook = `${old}-moved`
  receiver.trust(hook, [endpoint.secret])
  await office(endpoint.shop, 'PATCH', `/webhook-endpoints/${endpoint.id}`, { url: receiver.url(hook) })
  const at = Date.now()
  endpoint.hooks.unshift(hook)
  return (seen: Seen[]) => {
    const late = between(seen, endpoint, at + NOTED_MS, Number.POSITIVE_INFINITY).filter(
      ({ arrival }) => arrival.hook === old,
    ).length
    return late <= UNDER_WAY ? null : `${late} sent to the old URL`
  }
}

async function deleteAndReplace(scene: Scene, endpoint: Endpoint) {
  await scene.office(endpoint.shop, 'DELETE', `/webhook-endpoints/${endpoint.id}`)
  const at = Date.now()
  scene.endpoints.splice(scene.endpoints.indexOf(endpoint), 1)
  await scene.addEndpoint(endpoint.shop)
  return (seen: Seen[]) => {
    const sent = between(seen, endpoint, at + NOTED_MS, Number.POSITIVE_INFINITY).length
    return sent === 0 ? null : `${sent} sent after it was deleted`
  }
}

function between(seen: Seen[], endpoint: Endpoint, from: number, to: number): Seen[] {
  return seen.filter((one) => one.endpoint === endpoint && one.arrival.at > from && one.arrival.at < to)
}

async function aheadS(replica: Process | undefined): Promise<number> {
  const text = await (await fetch(`${replica?.opsUrl}/metrics`)).text()
  return Number(/^storefront_webhook_clock_ahead_seconds (\S+)$/m.exec(text)?.[1])
}

// What failed is tried again after five seconds and a fifth at most; a wrong clock would make it at once or much later.
function reviewWaits({ seen }: Judgement): Finding {
  const waits: number[] = []
  for (const own of Map.groupBy(seen, ({ endpoint, event }) => `${endpoint.id} ${event.id}`).values()) {
    const [first, second] = own
    if (first?.arrival.answer === 500 && second !== undefined) waits.push(second.arrival.at - first.arrival.at)
  }
  const [least, most] = [Math.min(...waits), Math.max(...waits)]
  return {
    notes: [`${waits.length} retries after ${seconds(least)} to ${seconds(most)}`],
    breaches: least < FIRST_WAIT_MS ? ['a retry came too early'] : [],
  }
}
