// One window of the benchmark: one request goes to one form over so many connections, on each of them again as soon as the last response
// is complete, and the CPU that the form's processes spent meanwhile is divided by the number of responses.
// Every key is used at most 3.6 times a second: the real budget of 240 a minute is enforced, counted and never exceeded. When no key has
// rested enough, the next request waits.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../program.ts'
import { cpuPerRequest, readCpu } from '../usage.ts'
import type { Form, FormName } from './form.ts'
import { type BenchShop, keySets, requestOf, type Scenario } from './scenarios.ts'

export type Window = {
  scenario: string
  connections: number
  form: FormName
  round: number
  requests: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  bytes: number
  /** Microseconds of CPU a request, by process and in all. */
  cpuUs: Record<string, number>
  sumUs: number
}
export type How = { connections: number; warmMs: number; measureMs: number }
/** A response that is not 200 ends the measurement with an error. */
export type Measure = (form: Form, scenario: Scenario, how: How) => Promise<Omit<Window, 'round'>>
type Key = { shop: BenchShop; key: string; restedAt: number }

const KEY_RESTS_MS = 1_000 / 3.6

/** Returns a function that measures with the keys of these shops. */
export function openMeasure(shops: BenchShop[]): Measure {
  // The first keys of all shops, then the second ones.
  const allKeys = keySets.map((set): [string, Key[]] => {
    const all = shops.flatMap((shop) => shop.keys[set].map((key, index) => ({ shop, key, restedAt: 0, index })))
    return [set, all.toSorted((a, b) => a.index - b.index)]
  })
  const keysOf = new Map(allKeys)
  let turn = 0

  return async (form, scenario, { connections, warmMs, measureMs }) => {
    const keys = keysOf.get(`${form.name}-${scenario.gateway}`) ?? []
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const latencies: number[] = []
    let [from, until, size] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0]

    async function readFirst() {
      await sleep(warmMs)
      const before = readCpu(await form.processes())
      from = performance.now()
      until = from + measureMs
      return before
    }

    async function sendInTurn(): Promise<void> {
      while (performance.now() < until) {
        turn += 1
        const floor = { shop: shops[turn % shops.length], key: null }
        const { shop, key } = form.name === 'floor' ? floor : await restedKey(keys)
        if (shop === undefined) throw new Error('There are no shops.')
        const next = requestOf(scenario, shop, key, turn)
        const at = performance.now()
        const { status, bytes } = await exchange(agent, form.ports[scenario.gateway], next)
        const now = performance.now()
        if (status !== 200) throw new Error(`${form.name}, ${scenario.name}: an answer was ${status}.`)
        if (now < from || now > until) continue
        latencies.push(now - at)
        size = bytes
      }
    }

    const [before] = await Promise.all([readFirst(), ...Array.from({ length: connections }, sendInTurn)])
    const cpuUs = cpuPerRequest(before, readCpu(await form.processes()), latencies.length)
    agent.destroy()
    return {
      scenario: scenario.name,
      connections,
      form: form.name,
      requests: latencies.length,
      bytes: size,
      cpuUs,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      perSecond: (latencies.length * 1_000) / measureMs,
      sumUs: Object.values(cpuUs).reduce((sum, us) => sum + us, 0),
    }
  }
}

/** The first key that has rested: as few are in use as the rate needs, each as busy as it may be. */
async function restedKey(keys: Key[]): Promise<Key> {
  for (;;) {
    const now = performance.now()
    const key = keys.find(({ restedAt }) => restedAt <= now)
    if (key === undefined) await sleep(5)
    else return Object.assign(key, { restedAt: now + KEY_RESTS_MS })
  }
}

function exchange(agent: Agent, port: number, { body, ...sent }: ReturnType<typeof requestOf>) {
  return new Promise<{ status: number; bytes: number }>((resolve, reject) => {
    const outgoing = request({ agent, host: '127.0.0.1', port, ...sent }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, bytes }))
      response.once('error', reject)
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
