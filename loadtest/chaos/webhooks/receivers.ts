// Receivers that are away, die, break off or refuse: what is sent to them then, and what comes once they are well.
// docs/spec/webhooks.md.
import { setTimeout as pause } from 'node:timers/promises'
import { isTaken, type Judgement, type Seen } from '../../judge-deliveries.ts'
import { seconds, until } from '../../program.ts'
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

// At most so many attempts are under way to the three shops, and so many to one endpoint.
const UNDER_WAY = 48
const ENDPOINT_UNDER_WAY = 4
const AWAY_MS = 120_000
const RECORDED_MS = 3_000
const ANSWER_MS = 50

export const receiverFaults: Fault[] = [
  {
    name: 'receivers down 2 minutes',
    async happen(act) {
      const [receiver] = act.receivers
      const began = performance.now()
      await pause(Math.random() * 10_000)
      await receiver.kill()
      const awayMs = act.minutes < 1 ? act.minutes * 60_000 : AWAY_MS // A short run is for a look.
      await pause(awayMs)
      await receiver.start()
      await forTheRest(act, began)
      return { ...nothing, repeatsMax: UNDER_WAY, notes: [`down for ${awayMs / 1_000} s`] }
    },
  },
  {
    name: 'receiver answers 200, then dies',
    async happen({ receivers: [receiver], endpoints, ...act }) {
      behave(endpoints, { ...well, afterMs: ANSWER_MS }) // So that there are some whose answer is lost.
      await atRandomMoments(act, async (round) => {
        const [hook = ''] = endpoints[round % endpoints.length]?.hooks ?? []
        receiver.behave([hook], { kind: 'die' })
        await receiver.gone()
        receiver.behave([hook], { ...well, afterMs: ANSWER_MS })
        await receiver.start()
      })
      behave(endpoints, well)
      return { ...nothing, repeatsMax: act.rounds * UNDER_WAY, notes: [`${act.rounds} deaths`] }
    },
  },
  {
    name: 'receiver breaks off after the body',
    async happen({ receivers: [receiver], endpoints, ...act }) {
      await atRandomMoments(act, async (round) => {
        const hooks = endpoints[round % endpoints.length]?.hooks ?? []
        receiver.behave(hooks, { kind: 'reset' })
        await pause(500)
        receiver.behave(hooks, well)
      })
      return { ...nothing, notes: [`${act.rounds} times half a second`] }
    },
  },
  {
    name: '410, enabled again, failed ones replayed',
    async happen(act) {
      const began = performance.now()
      const from = new Date(Date.now() - 1_000).toISOString()
      const chosen = oneOfEachShop(act)
      for (const endpoint of chosen) behave([endpoint], { kind: 'once', status: 410 })
      const areOff = await until(async () => (await states(act, chosen)).every(({ enabled }) => !enabled), 20_000)
      const reasons = (await states(act, chosen)).map(({ disabledReason }) => disabledReason)
      const off = Date.now()
      await pause(5_000)
      const on = Date.now()
      for (const { shop, id } of chosen) await act.office(shop, 'PATCH', `/webhook-endpoints/${id}`, { enabled: true })
      const to = new Date().toISOString()
      for (const { shop, id } of chosen)
        await act.office(shop, 'POST', `/webhook-endpoints/${id}/replay`, { from, to, which: 'failed' })
      await forTheRest(act, began)
      const breaches =
        areOff && reasons.every((reason) => reason === 'gone') ? [] : [`turned off: ${reasons.join(', ')}`]
      return {
        ...nothing,
        breaches,
        review({ seen }) {
          const sent = seen.filter((one) => isOf(one, chosen) && one.arrival.at > off + 500 && one.arrival.at < on)
          return { notes: [], breaches: sent.length === 0 ? [] : [`${sent.length} sent while turned off`] }
        },
      }
    },
  },
  {
    name: '429 with Retry-After 60',
    async happen(act) {
      const began = performance.now()
      const chosen = oneOfEachShop(act)
      behave(chosen, { kind: 'once', status: 429, headers: { 'retry-after': '60' } })
      await forTheRest(act, began)
      await pause(Math.max(0, 65_000 - (performance.now() - began)))
      return { ...nothing, review: (judgement) => reviewPauses(judgement, chosen) }
    },
  },
  {
    name: 'flapping, half of the responses 500',
    async happen(act) {
      const chosen = oneOfEachShop(act)
      const before = act.webhookSettings.WEBHOOK_RETRY_SECONDS
      // At the published waits a queue of which half fails takes days.
      act.webhookSettings.WEBHOOK_RETRY_SECONDS = ['0.1', '0.2', '0.5', ...Array(27).fill('1')].join(',')
      await restartWebhooks(act)
      const began = performance.now()
      behave(chosen, { kind: 'flap', part: 0.5 })
      await forTheRest(act, began)
      behave(chosen, well)
      if (before === undefined) delete act.webhookSettings.WEBHOOK_RETRY_SECONDS
      await restartWebhooks(act)
      const on = (await states(act, chosen)).every(({ enabled }) => enabled)
      return {
        ...nothing,
        notes: ['waits scaled to 0.1, 0.2, 0.5, 27 times 1 s', '3 of 15 endpoints'],
        breaches: on ? [] : ['an endpoint was turned off'],
      }
    },
  },
]

const well = { kind: 'answer', status: 200 } as const

async function states({ office }: Scene, endpoints: Endpoint[]) {
  return Promise.all(
    endpoints.map(async ({ shop, id }) => {
      const { enabled, disabledReason } = await office(shop, 'GET', `/webhook-endpoints/${id}`)
      return { enabled: enabled === true, disabledReason }
    }),
  )
}

async function restartWebhooks({ cluster }: Scene): Promise<void> {
  for (const replica of cluster.of('webhooks')) await replica.restart('SIGTERM')
}

function isOf({ endpoint }: Seen, chosen: Endpoint[]): boolean {
  return chosen.includes(endpoint)
}

// From when the answer is recorded until the minute is over, nothing may come; what was under way at the answer may arrive.
function reviewPauses({ seen }: Judgement, chosen: Endpoint[]): Finding {
  const breaches: string[] = []
  let nextMs = Number.POSITIVE_INFINITY
  for (const endpoint of chosen) {
    const own = seen.filter((one) => one.endpoint === endpoint).map(({ arrival }) => arrival)
    const refused = own.find(({ answer }) => answer === 429)
    if (refused === undefined) {
      breaches.push('nothing was answered with 429')
      continue
    }
    const later = own.filter(({ at }) => at > refused.at)
    const answered = later.filter(({ at }) => at < refused.at + RECORDED_MS).length
    const early = later.filter(({ at }) => at >= refused.at + RECORDED_MS && at < refused.at + 60_000).length
    if (answered > ENDPOINT_UNDER_WAY) breaches.push(`${answered} attempts were still made`)
    if (early > 0) breaches.push(`${early} attempts came within the minute`)
    const next = later.find(({ at }) => at >= refused.at + RECORDED_MS)
    if (next !== undefined) nextMs = Math.min(nextMs, next.at - refused.at)
    if (!later.some((arrival) => arrival.id === refused.id && isTaken(arrival)))
      breaches.push('the refused one never came')
  }
  return { notes: [`next attempt after ${seconds(nextMs)}`], breaches }
}
