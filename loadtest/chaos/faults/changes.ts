// What sellers and machines change while events flow: secrets, URLs, endpoints that are turned off or deleted, and the clock of
// a worker. docs/spec/webhooks.md.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Judgement, type Seen, sentBetween } from '../../judge/deliveries.ts'
import { pick, seconds } from '../../program.ts'
import { type Endpoint, well } from '../../receiver.ts'
import { readMetric } from '../../usage.ts'
import { atRandomMoments, behave, type Fault, type Finding, firstOf, oneOfEachShop, type Scene } from '../scene.ts'

const OVERLAP_S = 60
const UNDER_WAY = 4
const OFF_MS = 3_000
// A request that was sent before an answer may be noted by a busy receiver so much later.
const NOTED_MS = 500
const FIRST_WAIT_MS = 5_000
const AHEAD_S = [600, -600, 0]
/** What is wrong with the arrivals, once all is drained. */
type Check = (seen: Seen[]) => string | null
/** `held` is how many deliveries were counted as waiting. */
type Change = { check: Check; held?: number }

export const changeFaults: Fault[] = [
  {
    name: 'secrets rotated',
    async happen(act) {
      await atRandomMoments(act, async (round) => {
        const endpoint = act.endpoints[round % act.endpoints.length]
        if (endpoint !== undefined) await rotate(act, endpoint)
      })
      return { notes: [`${act.rounds} rotations, the new secret alone is known after 3 s`] }
    },
  },
  {
    name: 'endpoints disabled, enabled, moved, deleted',
    async happen(act) {
      const checks: Check[] = []
      let heldCount = 0
      await atRandomMoments(act, async (round) => {
        const change = [turnOffAndOn, move, deleteAndReplace][round % 3]
        const changed = await change?.(act, pick(act.endpoints))
        if (changed !== undefined) checks.push(changed.check)
        heldCount += changed?.held ?? 0
      })
      return {
        notes: [`${act.rounds} changes`, `${heldCount} counted as held`],
        review: ({ seen }) => ({ breaches: checks.flatMap((check) => check(seen) ?? []) }),
      }
    },
  },
  {
    name: 'clock of a worker +10, -10 min, jump back',
    async happen(act) {
      const replica = firstOf(act, 'webhooks')
      const chosen = oneOfEachShop(act)
      const ahead: number[] = []
      behave(chosen, { kind: 'flap', part: 0.05 })
      for (const _jump of AHEAD_S) {
        replica.signal('SIGUSR2')
        await sleep((act.minutes * 60_000) / AHEAD_S.length)
        ahead.push(Math.round(await readMetric(replica, 'storefront_webhook_clock_ahead_seconds')))
      }
      behave(chosen, well)
      const isShown = ahead.every((s, index) => Math.abs(s - (AHEAD_S[index] ?? 0)) < 30)
      return {
        notes: [`measured as ${ahead.join(', ')} s ahead`],
        breaches: isShown ? [] : ['the metric does not show it'],
        review: reviewWaits,
      }
    },
  },
]

async function rotate({ office }: Scene, endpoint: Endpoint): Promise<void> {
  const path = `/webhook-endpoints/${endpoint.id}/rotate-secret`
  const { secret } = await office(endpoint.shop, 'POST', path, { overlapSeconds: OVERLAP_S })
  endpoint.secrets.unshift(String(secret))
  await sleep(OFF_MS)
  endpoint.secrets = [String(secret)]
}

async function turnOffAndOn({ office }: Scene, endpoint: Endpoint): Promise<Change> {
  const path = `/webhook-endpoints/${endpoint.id}`
  await office(endpoint.shop, 'PATCH', path, { enabled: false })
  const off = Date.now()
  await sleep(OFF_MS)
  const { waiting } = await office(endpoint.shop, 'GET', path)
  const on = Date.now()
  await office(endpoint.shop, 'PATCH', path, { enabled: true })
  return { check: noneSent('while turned off', endpoint, off, on), held: Number(waiting) }
}

async function move({ office, receiver }: Scene, endpoint: Endpoint): Promise<Change> {
  const [old] = endpoint.hooks
  const hook = `${old}-moved`
  endpoint.hooks.unshift(hook)
  await office(endpoint.shop, 'PATCH', `/webhook-endpoints/${endpoint.id}`, { url: receiver.url(hook) })
  const at = Date.now()
  const check = (seen: Seen[]) => {
    const late = sentBetween(seen, endpoint, at + NOTED_MS).filter(({ arrival }) => arrival.hook === old).length
    return late <= UNDER_WAY ? null : `${late} sent to the old URL`
  }
  return { check }
}

async function deleteAndReplace(scene: Scene, endpoint: Endpoint): Promise<Change> {
  await scene.office(endpoint.shop, 'DELETE', `/webhook-endpoints/${endpoint.id}`)
  const at = Date.now()
  scene.endpoints.splice(scene.endpoints.indexOf(endpoint), 1)
  await scene.addEndpoint(endpoint.shop)
  return { check: noneSent('after it was deleted', endpoint, at) }
}

function noneSent(when: string, endpoint: Endpoint, from: number, to?: number): Check {
  return (seen) => {
    const sent = sentBetween(seen, endpoint, from + NOTED_MS, to).length
    return sent === 0 ? null : `${sent} sent ${when}`
  }
}

// A failed delivery is tried again after five seconds and a fifth at most; with a wrong clock it would be at once or much later.
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
