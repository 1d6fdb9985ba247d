// Calls that wait for events: what they cost, and how long an event takes from its order to the waiting caller.
// npm run load:events [-- --callers 500] [--shops 10] [--seconds 60] [--rate 5] [--kills 0]
// Starts the distributed form. Callers go on from their cursor with `wait=25`; orders are placed meanwhile, `rate` a second over
// all shops. Prints CPU and memory of each process at rest, with the callers waiting, and under orders; then p50 and p99 from the
// answer to the placed order to the caller. `kills` is how often webhooks is killed (kill -9) under orders. Ends with 1 where an event was
// missed or shown twice.
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Shop } from './admin-client.ts'
import { startCluster } from './cluster.ts'
import { readCpu, residentMb } from './process-usage.ts'
import { conclude, print, until, wholeNumber, word } from './program.ts'

type Page = { data: { id: string; data: { id: string } }[]; next_cursor: string }
type Caller = { shop: number; key: string; seen: Set<string>; repeats: number; failures: number }

const { values } = parseArgs({
  options: {
    callers: { type: 'string', default: '500' },
    shops: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '5' },
    kills: { type: 'string', default: '0' },
  },
})
const [callerCount, shopCount, seconds, rate] = (['callers', 'shops', 'seconds', 'rate'] as const).map((name) =>
  wholeNumber(name, values[name]),
) as [number, number, number, number]
const kills = Number(values.kills)

// One key a shop for all its callers: their budget is not what is measured.
const cluster = await startCluster({ env: { REQUESTS_PER_MINUTE: '100000' } })
const [gateway] = cluster.of('rest-gateway')
if (gateway === undefined) throw new Error('There is no REST gateway.')
const agent = new Agent({ keepAlive: true, maxSockets: callerCount + 10 })
const shops: Shop[] = []
for (let index = 0; index < shopCount; index += 1) shops.push(await cluster.admin.shop(`wait-${word()}`, 0, 1))

const answeredAt = new Map<string, number>() // By order: when placing it was answered.
const latencies: number[] = []
let isOver = false

function get(key: string, query: string): Promise<Page> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    request(`${gateway?.url}/api/v1/events${query}`, { headers, agent }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(JSON.parse(Buffer.concat(chunks).toString()) as Page)
        else reject(new Error(`GET /events answered ${answer.statusCode}.`))
      })
    })
      .on('error', reject)
      .end()
  })
}

async function follow(caller: Caller, from: string): Promise<void> {
  let cursor = from
  while (!isOver) {
    try {
      const page = await get(caller.key, `?cursor=${cursor}&wait=25&limit=100`)
      cursor = page.next_cursor
      for (const event of page.data) take(caller, event)
    } catch {
      caller.failures += 1
      await pause(200)
    }
  }
}

function take(caller: Caller, { id, data }: Page['data'][number]): void {
  if (caller.seen.has(id)) caller.repeats += 1
  else latencies.push(performance.now() - (answeredAt.get(data.id) ?? performance.now()))
  caller.seen.add(id)
}

const processes = () => cluster.processes.map(({ service, pid }) => [service, pid()] as [string, number])

async function usage(what: string, ms: number): Promise<void> {
  const began = new Map(processes())
  const before = readCpu(processes())
  await pause(ms)
  const after = readCpu(processes())
  for (const [name, pid] of processes().filter(([name, pid]) => began.get(name) === pid)) {
    const share = ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / 1e6 / ms
    print(`${what.padEnd(16)} ${name.padEnd(16)} ${(share * 100).toFixed(1).padStart(6)} % CPU ${residentMb(pid)} MB`)
  }
}

await usage('at rest', 10_000)
const callers: Caller[] = Array.from({ length: callerCount }, (_, index) => {
  const shop = index % shopCount
  return { shop, key: shops[shop]?.readKey ?? '', seen: new Set(), repeats: 0, failures: 0 }
})
const starts = await Promise.all(callers.map(({ key }) => get(key, '')))
const following = callers.map((caller, index) => follow(caller, starts[index]?.next_cursor ?? ''))
await usage('waiting', 20_000)

const placed = shops.map(() => 0)
const end = performance.now() + seconds * 1_000
const placing = (async () => {
  while (performance.now() < end) {
    const shop = Math.floor(Math.random() * shopCount)
    const line = { title: 'Mug', kind: 'physical', unitPrice: { cents: 900 }, quantity: 1 }
    const path = `/shops/${shops[shop]?.id}/orders`
    const { id } = (await cluster.admin.call('POST', path, { paymentMethod: 'cod', items: [line] })) as { id: string }
    answeredAt.set(id, performance.now())
    placed[shop] = (placed[shop] ?? 0) + 1
    await pause(1_000 / rate)
  }
})()
const killing = (async () => {
  for (let kill = 1; kill <= kills; kill += 1) {
    await pause((seconds * 1_000) / (kills + 1))
    for (const process of cluster.of('webhooks')) await process.restart('SIGKILL')
  }
})()
await usage('under orders', seconds * 1_000)
await Promise.all([placing, killing])
await until(() => callers.every(({ shop, seen }) => seen.size >= (placed[shop] ?? 0)), 30_000)
isOver = true
const sorted = latencies.toSorted((one, other) => one - other)
const at = (part: number) => `${Math.round(sorted[Math.floor(sorted.length * part)] ?? 0)} ms`
print(`${sorted.length} events reached ${callerCount} callers: p50 ${at(0.5)}, p99 ${at(0.99)}`)
const breaches = callers.flatMap(({ shop, seen, repeats, failures }) => [
  ...(seen.size === placed[shop] ? [] : [`A caller saw ${seen.size} of ${placed[shop]} events.`]),
  ...(repeats === 0 ? [] : ['An event was shown twice.']),
  ...(failures === 0 || kills > 0 ? [] : ['A waiting call failed.']),
])
await cluster.stop()
void following
conclude(breaches, 'Every caller saw every event once.')
