// Owns receivers that are away, die, break off or refuse: what is sent to them then, and what comes once they are well.
// States and events 4.2 and 4.3, "One attempt".
import { setTimeout as pause } from 'node:timers/promises'
import { type Endpoint, type Ground, until } from './webhook-fault-ground.ts'
import { isTaken, type Judgement, type Seen } from './webhook-fault-judge.ts'
import { atRandomMoments, type Fault, forTheRest, nothing } from './webhook-fault-scene.ts'
import type { Behaviour } from './webhook-fault-sink.ts'

// At most so many attempts are under way to the three shops, and so many to one endpoint.
const UNDER_WAY = 48
const ENDPOINT_UNDER_WAY = 4
const AWAY_MS = 120_000
const LANDED_MS = 3_000
const ANSWERED_MS = 50

export const receiverFaults: Fault[] = [
  {
    name: 'receivers down 2 minutes',
    async happen(scene) {
      const { receiver } = scene.ground
      const began = performance.now()
      await pause(Math.random() * 10_000)
      await receiver.kill()
      const awayMs = scene.minutes < 1 ? scene.minutes * 60_000 : AWAY_MS // A short run is for a look.
      await pause(awayMs)
      await receiver.start()
      await forTheRest(scene, began)
      return { ...nothing, repeatsMax: UNDER_WAY, notes: [`down for ${awayMs / 1_000} s`] }
    },
  },
  {
    name: 'receiver answers 200, then dies',
    async happen({ ground: { receiver, endpoints }, ...scene }) {
      behave(endpoints, { ...well, afterMs: ANSWERED_MS }) // So that there are some whose answer is lost.
      await atRandomMoments(scene, async (round) => {
        const [hook = ''] = endpoints[round % endpoints.length]?.hooks ?? []
        receiver.behave([hook], { kind: 'die' })
        await receiver.gone()
        receiver.behave([hook], { ...well, afterMs: ANSWERED_MS })
        await receiver.start()
      })
      behave(endpoints, well)
      return { ...nothing, repeatsMax: scene.rounds * UNDER_WAY, notes: [`${scene.rounds} deaths`] }
    },
  },
  {
    name: 'receiver breaks off after the body',
    async happen({ ground: { receiver, endpoints }, ...scene }) {
      await atRandomMoments(scene, async (round) => {
        const hooks = endpoints[round % endpoints.length]?.hooks ?? []
        receiver.behave(hooks, { kind: 'reset' })
        await pause(500)
        receiver.behave(hooks, well)
      })
      return { ...nothing, notes: [`${scene.rounds} times half a second`] }
    },
  },
  {
    name: '410, turned on again, failed ones replayed',
    async happen(scene) {
      const { ground } = scene
      const began = performance.now()
      const from = new Date(Date.now() - 1_000).toISOString()
      const chosen = oneOfEachShop(ground)
      for (const endpoint of chosen) behave([endpoint], { kind: 'once', status: 410 })
      const areOff = await until(async () => (await states(ground, chosen)).every(({ enabled }) => !enabled), 20_000)
      const reasons = (await states(ground, chosen)).map(({ disabledReason }) => disabledReason)
      const off = Date.now()
      await pause(5_000)
      const on = Date.now()
      for (const { shop, id } of chosen)
        await ground.office(shop, 'PATCH', `/webhook-endpoints/${id}`, { enabled: true })
      const to = new Date().toISOString()
      for (const { shop, id } of chosen)
        await ground.office(shop, 'POST', `/webhook-endpoints/${id}/replay`, { from, to, which: 'failed' })
      await forTheRest(scene, began)
      const wrong = areOff && reasons.every((reason) => reason === 'gone') ? [] : [`turned off: ${reasons.join(', ')}`]
      return {
        ...nothing,
        wrong,
        review({ seen }) {
          const sent = seen.filter((one) => isOf(one, chosen) && one.arrival.at > off + 500 && one.arrival.at < on)
          return { notes: [], wrong: sent.length === 0 ? [] : [`${sent.length} sent while turned off`] }
        },
      }
    },
  },
  {
    name: '429 with Retry-After 60',
    async happen(scene) {
      const began = performance.now()
      const chosen = oneOfEachShop(scene.ground)
      behave(chosen, { kind: 'once', status: 429, headers: { 'retry-after': '60' } })
      await forTheRest(scene, began)
      await pause(Math.max(0, 65_000 - (performance.now() - began)))
      return { ...nothing, review: (judgement) => reviewPauses(judgement, chosen) }
    },
  },
  {
    name: 'flapping, half of the answers 500',
    async happen(scene) {
      const chosen = oneOfEachShop(scene.ground)
      const before = scene.ground.webhookSettings.WEBHOOK_RETRY_SECONDS
      // At the published waits a queue of which half fails takes days.
      scene.ground.webhookSettings.WEBHOOK_RETRY_SECONDS = ['0.1', '0.2', '0.5', ...Array(27).fill('1')].join(',')
      await rollWebhooks(scene.ground)
      const began = performance.now()
      behave(chosen, { kind: 'flap', part: 0.5 })
      await forTheRest(scene, began)
      behave(chosen, well)
      if (before === undefined) delete scene.ground.webhookSettings.WEBHOOK_RETRY_SECONDS
      await rollWebhooks(scene.ground)
      const on = (await states(scene.ground, chosen)).every(({ enabled }) => enabled)
      return {
        ...nothing,
        notes: ['waits scaled to 0.1, 0.2, 0.5, 27 times 1 s', '3 of 15 endpoints'],
        wrong: on ? [] : ['an endpoint was turned off'],
      }
    },
  },
]

const well = { kind: 'answer', status: 200 } as const

/** The first endpoint of each shop. */
export function oneOfEachShop({ shops, endpoints }: Ground): Endpoint[] {
  return shops.flatMap((shop) => endpoints.filter((endpoint) => endpoint.shop === shop).slice(0, 1))
}

/** Tells the receivers of these endpoints how to behave. */
export function behave(endpoints: Endpoint[], behaviour: Behaviour): void {
  for (const { receiver, hooks } of endpoints) receiver.behave(hooks, behaviour)
}

async function states({ office }: Ground, endpoints: Endpoint[]) {
  return Promise.all(
    endpoints.map(async ({ shop, id }) => {
      const { enabled, disabledReason } = await office(shop, 'GET', `/webhook-endpoints/${id}`)
      return { enabled: enabled === true, disabledReason }
    }),
  )
}

async function rollWebhooks({ stage }: Ground): Promise<void> {
  for (const replica of stage.replicas.of('webhooks')) {
    const pid = replica.pid()
    replica.signal('SIGTERM')
    await replica.ready(pid)
  }
}

function isOf({ endpoint }: Seen, chosen: Endpoint[]): boolean {
  return chosen.includes(endpoint)
}

// From when the answer has landed until the minute is over, nothing may come; what was under way at the answer may land.
function reviewPauses({ seen }: Judgement, chosen: Endpoint[]) {
  const wrong: string[] = []
  let nextMs = Number.POSITIVE_INFINITY
  for (const endpoint of chosen) {
    const own = seen.filter((one) => one.endpoint === endpoint).map(({ arrival }) => arrival)
    const refused = own.find(({ answer }) => answer === 429)
    if (refused === undefined) {
      wrong.push('nothing was answered with 429')
      continue
    }
    const later = own.filter(({ at }) => at > refused.at)
    const landing = later.filter(({ at }) => at < refused.at + LANDED_MS).length
    const early = later.filter(({ at }) => at >= refused.at + LANDED_MS && at < refused.at + 60_000).length
    if (landing > ENDPOINT_UNDER_WAY) wrong.push(`${landing} attempts were still made`)
    if (early > 0) wrong.push(`${early} attempts came within the minute`)
    const next = later.find(({ at }) => at >= refused.at + LANDED_MS)
    if (next !== undefined) nextMs = Math.min(nextMs, next.at - refused.at)
    if (!later.some((arrival) => arrival.id === refused.id && isTaken(arrival)))
      wrong.push('the refused one never came')
  }
  return { notes: [`next attempt after ${(nextMs / 1_000).toFixed(1)} s`], wrong }
}
