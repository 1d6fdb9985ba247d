// Bad receivers beside good ones: of one shop an endpoint that hangs, one that drips and one that sends 10 GB. What the others
// wait is compared with the same load without them, before and after; the memory of the webhooks processes stays flat.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../../cluster.ts'
import { type Judgement, type Seen, untilDrained } from '../../judge/deliveries.ts'
import { quantile } from '../../program.ts'
import { type Behaviour, type Endpoint, well } from '../../receiver.ts'
import { GROWTH_MB_MAX } from '../../memory.ts'
import { residentMb } from '../../usage.ts'
import { behave, type Fault, type Finding } from '../scene.ts'

const SLOWER_MAX = 1.2
const DRAINED_MS = 300_000
const kinds: Behaviour[] = [{ kind: 'hang' }, { kind: 'drip' }, { kind: 'flood' }]

export const badReceiverFaults: Fault[] = [
  {
    name: 'one hangs, one drips, one sends 10 GB',
    async happen(act) {
      const [shop] = act.shops
      const bad = act.endpoints.filter((endpoint) => endpoint.shop === shop).slice(0, kinds.length)
      const partMs = act.minutes * 60_000
      const before = await span(partMs, act.cluster)
      for (const [index, kind] of kinds.entries()) behave(bad.slice(index, index + 1), kind)
      const during = await span(partMs, act.cluster)
      behave(bad, well)
      await untilDrained(act, DRAINED_MS, 100) // Under load some deliveries are always under way.
      const after = await span(partMs, act.cluster)
      const grownMb = during.memoryMb - before.memoryMb
      return {
        notes: [`memory ${before.memoryMb} MB before, ${during.memoryMb} MB at most`],
        breaches: grownMb > GROWTH_MB_MAX ? [`the memory grew by ${grownMb} MB`] : [],
        review: (judgement) => reviewWaits(judgement, bad, [before, during, after]),
      }
    },
  },
]

type Span = { from: number; to: number; memoryMb: number }

async function span(ms: number, { of }: Cluster): Promise<Span> {
  const from = Date.now()
  let memoryMb = 0
  while (Date.now() < from + ms) {
    memoryMb = Math.max(memoryMb, ...of('webhooks').map((replica) => residentMb(replica.pid())))
    await sleep(500)
  }
  return { from, to: Date.now(), memoryMb }
}

function reviewWaits({ seen }: Judgement, bad: Endpoint[], spans: [before: Span, during: Span, after: Span]): Finding {
  const others = seen.filter(({ arrival, endpoint }) => arrival.attempt === 1 && !bad.includes(endpoint))
  const { own = [], foreign = [] } = Object.groupBy(others, ({ endpoint: { shop } }) => {
    return shop === bad[0]?.shop ? 'own' : 'foreign'
  })
  const [before, during, after] = spans
  const p99 = (among: Span[]) => quantile(waitsOf(others, among), 0.99)
  const grown = p99([during]) / p99([before, after]) - 1
  const line = (group: Seen[]) => spans.map((one) => waitsLine(waitsOf(group, [one]))).join(', ')
  return {
    notes: [`their shop's others: ${line(own)}`, `other shops: ${line(foreign)} (before, with them, after)`],
    breaches: grown > SLOWER_MAX - 1 ? [`the others' p99 grew by ${Math.round(grown * 100)} %`] : [],
  }
}

function waitsOf(seen: Seen[], spans: Span[]): number[] {
  return seen
    .filter(({ event }) => spans.some(({ from, to }) => event.at >= from && event.at < to))
    .map(({ arrival, event }) => arrival.at - event.at)
}

function waitsLine(waits: number[]): string {
  return `p50 ${Math.round(quantile(waits, 0.5))} p99 ${Math.round(quantile(waits, 0.99))} ms`
}
