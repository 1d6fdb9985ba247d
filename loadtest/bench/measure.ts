// One window of the benchmark: one request goes to one form over so many connections, on each of them again as soon as the last response
// is complete. The CPU that the form's processes spent until everything was answered and relayed is divided by the number of responses.
// Every key is used at most 3.6 times a second: the real budget of 240 a minute is enforced, counted and never exceeded. When no key has
// rested enough, the next request waits. The back office has no budget.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../program.ts'
import { cpuPerRequest, readCpu } from '../usage.ts'
import type { Form, FormName } from './form.ts'
import { type BenchShop, clientRequest, keySets, type OfficeShop, officeRequest, type Scenario } from './scenario.ts'

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
  /** How long messages and events waited after the last response. */
  relayedMs: number
}
export type How = { connections: number; warmMs: number; measureMs: number }
/** A response that is neither 200 nor 201 ends the measurement with an error. */
export type Measure = (form: Form, scenario: Scenario, how: How) => Promise<Omit<Window, 'round'>>
type Key = { shop: BenchShop; key: string; restedAt: number }

const KEY_RESTS_MS = 1_000 / 3.6

// More than any form ships on two cores, so that orders which are not shipped do not run out.
const SHIPPED_PER_S_MAX = 2_500

/** Returns a function that measures with the keys of `shops`, and with the back office in `officeShops`. */
export function openMeasure(shops: BenchShop[], officeShops: OfficeShop[]): Measure {
  // The first keys of all shops, then the second ones.
  const allKeys = keySets.map((set): [string, Key[]] => {
    const all = shops.flatMap((shop) => shop.keys[set].map((key, index) => ({ shop, key, restedAt: 0, index })))
    return [set, all.toSorted((a, b) => a.index - b.index)]
  })
  const keysOf = new Map(allKeys)
  let turn = 0

  async function nextRequest(form: Form, scenario: Scenario) {
    turn += 1
    const isFloor = form.name === 'floor'
    if (scenario.gateway === 'admin') {
      const office = { shop: officeShops[turn % officeShops.length], id: '' }
      const { shop, id } = scenario.ships === true ? form.unshipped.next() : office
      if (shop === undefined) throw new Error('There are no shops.')
      return officeRequest(scenario, shop, id, turn, isFloor)
    }
    const keys = keysOf.get(`${form.name}-${scenario.gateway}`) ?? []
    const { shop, key } = isFloor ? { shop: shops[turn % shops.length], key: null } : await restedKey(keys)
    if (shop === undefined) throw new Error('There are no shops.')
    return clientRequest(scenario, shop, key, turn)
  }

  return async (form, scenario, { connections, warmMs, measureMs }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    if (scenario.gateway === 'admin' && scenario.ships === true) {
      await form.unshipped.fill(Math.ceil(((warmMs + measureMs) / 1_000) * SHIPPED_PER_S_MAX))
    }

    /** Sends for so long; returns how long the requests took, and the bytes of the last response. */
    async function send(ms: number) {
      const latencies: number[] = []
      let size = 0
      const began = performance.now()
      async function sendInTurn(): Promise<void> {
        while (performance.now() < began + ms) {
          const next = await nextRequest(form, scenario)
          const at = performance.now()
          const { status, bytes } = await exchange(agent, form.ports[scenario.gateway], next)
          latencies.push(performance.now() - at)
          size = bytes
          if (status !== 200 && status !== 201) {
            throw new Error(`${form.name}, ${scenario.name}: an answer was ${status}.`)
          }
        }
      }
      await Promise.all(Array.from({ length: connections }, sendInTurn))
      return { latencies, size, tookMs: performance.now() - began }
    }

    if (warmMs > 0) await send(warmMs)
    await form.relayed()
    const before = readCpu(await form.processes())
    const { latencies, size, tookMs } = await send(measureMs)
    const endedAt = performance.now()
    await form.relayed()
    const relayedMs = performance.now() - endedAt
    const cpuUs = cpuPerRequest(before, readCpu(await form.processes()), latencies.length)
    agent.destroy()
    return {
      scenario: scenario.name,
      connections,
      form: form.name,
      requests: latencies.length,
      bytes: size,
      cpuUs,
      relayedMs,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      perSecond: (latencies.length * 1_000) / tookMs,
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

function exchange(agent: Agent, port: number, { body, ...sent }: ReturnType<typeof clientRequest>) {
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
