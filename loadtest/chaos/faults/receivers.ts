// Receivers that are away, die, break off or refuse: what is sent to them then, and what arrives once they are well.
// docs/spec/webhooks.md.
import { setTimeout as sleep } from 'node:timers/promises'
import { isTaken, type Judgement, sentBetween } from '../../judge/deliveries.ts'
import { seconds, until } from '../../program.ts'
import { type Behaviour, type Endpoint, well } from '../../receiver.ts'
import { atRandomMoments, behave, type Fault, type Finding, oneOfEachShop, type Scene } from '../scene.ts'

// At most so many attempts are under way to the three shops, and so many to one endpoint.
const UNDER_WAY = 48
const ENDPOINT_UNDER_WAY = 4
const AWAY_MS = 120_000
const RECORDED_MS = 3_000
const ANSWER_MS = 50
// A request that was sent before an answer may be noted by a busy receiver so much later.
const NOTED_MS = 500

export const receiverFaults: Fault[] = [
  {
    name: 'receivers down 2 minutes',
    async happen(act) {
      await sleep(Math.random() * 10_000)
      await act.receiver.kill()
      const awayMs = act.minutes < 1 ? act.minutes * 60_000 : AWAY_MS // A short run is a trial.
      await sleep(awayMs)
      await act.receiver.start()
      return { repeatsMax: UNDER_WAY, notes: [`down for ${awayMs / 1_000} s`] }
    },
  },
  {
    name: 'receiver answers 200, then dies',
    async happen({ receiver, endpoints, ...act }) {
      const slow: Behaviour = { ...well, afterMs: ANSWER_MS } // So that there are some whose answer is lost.
      behave(endpoints, slow)
      await atRandomMoments(act, async (round) => {
        const chosen = atTurn(endpoints, round)
        behave(chosen, { kind: 'die' })
        await receiver.gone()
        behave(chosen, slow)
        await receiver.start()
      })
      behave(endpoints, well)
      return { repeatsMax: act.rounds * UNDER_WAY, notes: [`${act.rounds} deaths`] }
    },
  },
  {
    name: 'receiver breaks off after the body',
    async happen({ endpoints, ...act }) {
      await atRandomMoments(act, async (round) => {
        const chosen = atTurn(endpoints, round)
        behave(chosen, { kind: 'reset' })
        await sleep(500)
        behave(chosen, well)
      })
      return { notes: [`${act.rounds} times half a second`] }
    },
  },
  {
    name: '410, enabled again, failed ones replayed',
    async happen(act) {
      const from = new Date(Date.now() - 1_000).toISOString()
      const chosen = oneOfEachShop(act)
      behave(chosen, { kind: 'once', status: 410 })
      const areOff = await until(
        async () => (await states(act, chosen)).every(({ enabled }) => enabled === false),
        20_000,
      )
      const reasons = (await states(act, chosen)).map(({ disabledReason }) => disabledReason)
      const off = Date.now()
      await sleep(5_000)
      const on = Date.now()
      const replay = () => ({ from, to: new Date().toISOString(), which: 'failed' })
      for (const { shop, id } of chosen) await act.office(shop, 'PATCH', `/webhook-endpoints/${id}`, { enabled: true })
      for (const { shop, id } of chosen) await act.office(shop, 'POST', `/webhook-endpoints/${id}/replay`, replay())
      const isRight = areOff && reasons.every((reason) => reason === 'gone')
      return {
        breaches: isRight ? [] : [`turned off: ${reasons.join(', ')}`],
        review({ seen }) {
          const sent = chosen.flatMap((endpoint) => sentBetween(seen, endpoint, off + NOTED_MS, on)).length
          return { breaches: sent === 0 ? [] : [`${sent} sent while turned off`] }
        },
      }
    },
  },
  {
    name: '429 with Retry-After 60',
    async happen(act) {
      const chosen = oneOfEachShop(act)
      behave(chosen, { kind: 'once', status: 429, headers: { 'retry-after': '60' } })
      await sleep(65_000)
      return { review: (judgement) => reviewPauses(judgement, chosen) }
    },
  },
  {
    name: 'flapping, half of the responses 500',
    async happen(act) {
      const chosen = oneOfEachShop(act)
      // At the published waits a queue of which half fails takes days.
      act.webhookSettings.WEBHOOK_RETRY_SECONDS = ['0.1', '0.2', '0.5', ...Array(27).fill('1')].join(',')
      await restartWebhooks(act)
      behave(chosen, { kind: 'flap', part: 0.5 })
      await sleep(act.minutes * 60_000)
      behave(chosen, well)
      delete act.webhookSettings.WEBHOOK_RETRY_SECONDS
      await restartWebhooks(act)
      const areOn = (await states(act, chosen)).every(({ enabled }) => enabled === true)
      return {
        notes: ['waits scaled to 0.1, 0.2, 0.5, 27 times 1 s', '3 of 15 endpoints'],
        breaches: areOn ? [] : ['an endpoint was turned off'],
      }
    },
  },
]

/** The endpoint whose turn it is, of all. */
function atTurn(endpoints: Endpoint[], round: number): Endpoint[] {
  const index = round % endpoints.length
  return endpoints.slice(index, index + 1)
}

/** What the back office says of the endpoints. */
function states({ office }: Scene, endpoints: Endpoint[]) {
  return Promise.all(endpoints.map(({ shop, id }) => office(shop, 'GET', `/webhook-endpoints/${id}`)))
}

async function restartWebhooks({ cluster }: Scene): Promise<void> {
  for (const replica of cluster.of('webhooks')) await replica.restart('SIGTERM')
}

// From when the answer is recorded until the minute is over, nothing may come; what was under way at the answer may arrive.
function reviewPauses({ seen }: Judgement, chosen: Endpoint[]): Finding {
  let nextMs = Number.POSITIVE_INFINITY
  const breaches = chosen.flatMap((endpoint) => {
    const own = seen.filter((one) => one.endpoint === endpoint).map(({ arrival }) => arrival)
    const refused = own.find(({ answer }) => answer === 429)
    if (refused === undefined) return ['nothing was answered with 429']
    const later = own.filter(({ at }) => at > refused.at)
    const after = later.filter(({ at }) => at >= refused.at + RECORDED_MS)
    const early = after.filter(({ at }) => at < refused.at + 60_000).length
    const answered = later.length - after.length
    const hasCome = later.some((arrival) => arrival.id === refused.id && isTaken(arrival))
    nextMs = Math.min(nextMs, ...after.slice(0, 1).map(({ at }) => at - refused.at))
    return [
      ...(answered > ENDPOINT_UNDER_WAY ? [`${answered} attempts were still made`] : []),
      ...(early > 0 ? [`${early} attempts came within the minute`] : []),
      ...(hasCome ? [] : ['the refused one never came']),
    ]
  })
  return { notes: [`next attempt after ${seconds(nextMs)}`], breaches }
}
