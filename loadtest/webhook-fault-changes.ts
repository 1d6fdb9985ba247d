// Owns what sellers and machines change while events flow: secrets, URLs, endpoints that are turned off or deleted, and the
// clock of a worker. States and events 3.3, 5.3, 5.5 and 8.5.
import { setTimeout as pause } from 'node:timers/promises'
import type { Replica } from './replicas.ts'
import type { Endpoint, Ground } from './webhook-fault-ground.ts'
import type { Judgement, Seen } from './webhook-fault-judge.ts'
import { behave, oneOfEachShop } from './webhook-fault-receivers.ts'
import { atRandomMoments, type Fault, type Finding, forTheRest, nothing } from './webhook-fault-scene.ts'

const OVERLAP_S = 60
const UNDER_WAY = 4
const OFF_MS = 3_000
// A request that was sent before an answer may be noted by a busy receiver so much later.
const NOTED_MS = 500
const FIRST_WAIT_MS = 5_000

export const changeFaults: Fault[] = [
  {
    name: 'secrets rotated',
    async happen({ ground, ...scene }) {
      let turn = 0
      await atRandomMoments(scene, async () => {
        const endpoint = ground.endpoints[turn % ground.endpoints.length]
        turn += 1
        if (endpoint !== undefined) await rotate(ground, endpoint)
      })
      return { ...nothing, notes: [`${scene.rounds} rotations, the new secret alone is known after 3 s`] }
    },
  },
  {
    name: 'endpoints turned off and on, moved, deleted',
    async happen({ ground, ...scene }) {
      const checks: ((seen: Seen[]) => string | null)[] = []
      let heldCount = 0
      await atRandomMoments(scene, async (round) => {
        const endpoint = ground.endpoints[Math.floor(Math.random() * ground.endpoints.length)]
        if (endpoint === undefined) return
        if (round % 3 === 0) heldCount += await turnOffAndOn(ground, endpoint, checks)
        else if (round % 3 === 1) checks.push(await move(ground, endpoint))
        else checks.push(await deleteAndReplace(ground, endpoint))
      })
      return {
        ...nothing,
        notes: [`${scene.rounds} changes`, `${heldCount} counted as held`],
        review: ({ seen }): Finding => ({ notes: [], wrong: checks.flatMap((check) => check(seen) ?? []) }),
      }
    },
  },
  {
    name: 'clock of a worker +10, -10 min, jump back',
    async happen(scene) {
      const [replica] = scene.ground.stage.replicas.of('webhooks')
      const chosen = oneOfEachShop(scene.ground)
      const began = performance.now()
      const partMs = (scene.minutes * 60_000) / 3
      const ahead: number[] = []
      behave(chosen, { kind: 'flap', part: 0.05 })
      for (const _jump of [1, 2, 3]) {
        replica?.signal('SIGUSR2')
        await pause(partMs)
        ahead.push(Math.round(await aheadS(replica)))
      }
      behave(chosen, { kind: 'answer', status: 200 })
      await forTheRest(scene, began)
      const told = ahead.map((s, index) => Math.abs(s - ([600, -600, 0][index] ?? 0)) < 30).every(Boolean)
      return {
        ...nothing,
        notes: [`measured as ${ahead.join(', ')} s ahead`],
        wrong: told ? [] : ['the measure does not tell'],
        review: reviewWaits,
      }
    },
  },
]

async function rotate({ office }: Ground, endpoint: Endpoint): Promise<void> {
  const { secret } = await office(endpoint.shop, 'POST', `/webhook-endpoints/${endpoint.id}/rotate-secret`, {
    overlapSeconds: OVERLAP_S,
  })
  const { receiver, hooks } = endpoint
  for (const hook of hooks) receiver.know(hook, [String(secret), endpoint.secret])
  endpoint.secret = String(secret)
  await pause(OFF_MS)
  for (const hook of hooks) receiver.know(hook, [endpoint.secret])
}

async function turnOffAndOn(
  { office }: Ground,
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

async function move({ office, receiver }: Ground, endpoint: Endpoint) {
  const [old = ''] = endpoint.hooks
  const hook = `${old}-moved`
  receiver.know(hook, [endpoint.secret])
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

async function deleteAndReplace(ground: Ground, endpoint: Endpoint) {
  await ground.office(endpoint.shop, 'DELETE', `/webhook-endpoints/${endpoint.id}`)
  const at = Date.now()
  ground.endpoints.splice(ground.endpoints.indexOf(endpoint), 1)
  await ground.addEndpoint(endpoint.shop)
  return (seen: Seen[]) => {
    const sent = between(seen, endpoint, at + NOTED_MS, Number.POSITIVE_INFINITY).length
    return sent === 0 ? null : `${sent} sent after it was deleted`
  }
}

function between(seen: Seen[], endpoint: Endpoint, from: number, to: number): Seen[] {
  return seen.filter((one) => one.endpoint === endpoint && one.arrival.at > from && one.arrival.at < to)
}

async function aheadS(replica: Replica | undefined): Promise<number> {
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
    notes: [`${waits.length} retries after ${(least / 1_000).toFixed(1)} to ${(most / 1_000).toFixed(1)} s`],
    wrong: least < FIRST_WAIT_MS ? ['a retry came too early'] : [],
  }
}
