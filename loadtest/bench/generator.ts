// Sends the requests of the benchmark, in a process of its own, so that its work counts for nobody else: on each of so many
// connections it sends the next request the moment the last response is complete.
// Every key is used at most 3.6 times a second: the real budget of 240 a minute is enforced, counted and never exceeded. When
// no key has rested enough the generator waits, and counts that.
// node generator.ts <shops.json>; orders come on stdin as JSON lines, `begun` and results go to stdout likewise.
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { type BenchRequest, type BenchShop, type KeySet, keySets, type Scenario, scenarios } from './scenarios.ts'

/** `keySet` null addresses the floor. */
export type Order = {
  port: number
  scenario: string
  keySet: KeySet | null
  connections: number
  warmMs: number
  measureMs: number
}
/** `statuses` of everything that was not 200; `waits` counts waits for a rested key. */
export type Seen = {
  requests: number
  seconds: number
  p50Ms: number
  p99Ms: number
  bytes: number
  statuses: Record<string, number>
  waits: number
}

const KEY_RESTS_MS = 1_000 / 3.6
const shops = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as BenchShop[]

type Key = { shop: BenchShop; key: string; restedAt: number }
type Keys = { inUse: Key[]; idle: Key[] }
const allKeys = Object.fromEntries(keySets.map((set) => [set, keysOf(set)])) as Record<KeySet, Key[]>
let turn = 0

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await carryOut(JSON.parse(line) as Order))}\n`)
}

async function carryOut(order: Order): Promise<Seen> {
  const scenario = scenarioNamed(order.scenario)
  const keys = order.keySet === null ? null : { inUse: [], idle: [...allKeys[order.keySet]] }
  const agent = new Agent({ keepAlive: true, maxSockets: order.connections })
  const began = performance.now()
  const from = began + order.warmMs
  const until = from + order.measureMs
  const latencies: number[] = []
  const seen = { bytes: 0, statuses: {} as Record<string, number>, waits: 0 }
  setTimeout(() => process.stdout.write('{"begun":true}\n'), order.warmMs)

  async function sendInTurn(): Promise<void> {
    while (performance.now() < until) {
      const next = await nextOf(scenario, keys, seen)
      const at = performance.now()
      const { status, bytes } = await exchange(agent, order.port, next)
      const now = performance.now()
      if (status !== 200) seen.statuses[status] = (seen.statuses[status] ?? 0) + 1
      if (now < from || now > until) continue
      latencies.push(now - at)
      seen.bytes = bytes
    }
  }
  await Promise.all(Array.from({ length: order.connections }, sendInTurn))
  agent.destroy()
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  return { requests: latencies.length, seconds: order.measureMs / 1_000, p50Ms: at(0.5), p99Ms: at(0.99), ...seen }
}

function scenarioNamed(wanted: string): Scenario {
  const scenario = scenarios.find(({ name }) => name === wanted)
  if (scenario === undefined) throw new Error(`There is no scenario ${wanted}.`)
  return scenario
}

async function nextOf(scenario: Scenario, keys: Keys | null, seen: { waits: number }): Promise<BenchRequest> {
  turn += 1
  const number = turn
  const shopOfTurn = shops[number % shops.length]
  if (keys === null && shopOfTurn !== undefined) return scenario.floorRequest(shopOfTurn, number)
  if (keys === null) throw new Error('There are no shops.')
  const { shop, key } = await restedKey(keys, seen)
  return scenario.request(shop, key, number)
}

// As few keys as the rate needs, each as busy as it may be: the first of those in use has rested longest, and where it has
// not rested enough an idle one is taken into use.
async function restedKey({ inUse, idle }: Keys, seen: { waits: number }): Promise<Key> {
  for (;;) {
    const now = performance.now()
    const [list] = [inUse, idle].filter(([head]) => head !== undefined && head.restedAt <= now)
    const chosen = list?.shift()
    if (chosen !== undefined) {
      chosen.restedAt = now + KEY_RESTS_MS
      inUse.push(chosen)
      return chosen
    }
    seen.waits += 1
    await pause(5)
  }
}

// The first keys of all shops, then the second ones.
function keysOf(set: KeySet): Key[] {
  const all = shops.flatMap((shop) => shop.keys[set].map((key, index) => ({ shop, key, restedAt: 0, index })))
  return all.toSorted((a, b) => a.index - b.index)
}

function exchange(agent: Agent, port: number, { method, path, headers, body }: BenchRequest) {
  return new Promise<{ status: number; bytes: number }>((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, bytes }))
      response.once('error', reject)
    })
    sent.once('error', reject)
    sent.end(body ?? undefined)
  })
}
