// Calls that wait for events: what they cost, and how long an event takes from its order to the waiting caller.
// npm run load:events [-- --callers 500] [--shops 10] [--seconds 60] [--rate 5] [--kills 0]
// Starts the distributed form. Callers go on from their cursor with `wait=25`; orders are placed meanwhile, `rate` a second over
// all shops. Prints CPU and memory of each process at rest, with the callers waiting, and under orders; then p50 and p99 from the
// answer to the placed order to the caller. `kills` is how often webhooks is killed (kill -9) under orders. Ends with 1 where an event was
// missed or shown twice.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Shop } from '../client.ts'
import { startCluster } from '../cluster.ts'
import { goods, rest } from '../operations.ts'
import { conclude, pick, print, quantile, readOptions, until, word } from '../program.ts'
import { startTraffic } from '../traffic.ts'
import { printUsage } from '../usage.ts'

type Caller = { shop: Shop; cursor: string; seen: Map<string, number>; repeats: number; failures: number }

const REST_MS = 10_000
const WAITING_MS = 20_000
const WAIT_MS = 60_000
const options = readOptions({ callers: 500, shops: 10, seconds: 60, rate: 5, kills: 0 })
// One key a shop for all its callers: their budget is not measured here.
const cluster = await startCluster({ env: { REQUESTS_PER_MINUTE: '100000' } })
const shops: Shop[] = []
while (shops.length < options.shops) shops.push(await cluster.client.shop(`wait-${word()}`, 0, 1))
let isOver = false

const measure = (what: string, ms: number) => printUsage(what, cluster.processes, ms)

/** Reads the page behind the caller's cursor and takes its events. */
async function read(caller: Caller, query: string): Promise<void> {
  const command = rest('GET', `/events${query}`, caller.shop.readKey)
  const answer = await cluster.client.send({ ...command, timeoutMs: WAIT_MS })
  if (answer.status !== 200) throw new Error(`GET /events answered ${answer.status}.`)
  const page = JSON.parse(answer.text) as { data: { data: { id: string } }[]; next_cursor: string }
  caller.cursor = page.next_cursor
  for (const { data } of page.data) {
    if (caller.seen.has(data.id)) caller.repeats += 1
    else caller.seen.set(data.id, Date.now())
  }
}

async function follow(caller: Caller): Promise<void> {
  while (!isOver) {
    await read(caller, `?cursor=${caller.cursor}&wait=25&limit=100`).catch(async () => {
      caller.failures += 1
      await sleep(200)
    })
  }
}

await measure('at rest', REST_MS)
const callers = Array.from({ length: options.callers }, (_, index): Caller => {
  return { shop: shops[index % shops.length] ?? pick(shops), cursor: '', seen: new Map(), repeats: 0, failures: 0 }
})
await Promise.all(callers.map((caller) => read(caller, '')))
for (const caller of callers) void follow(caller)
await measure('waiting', WAITING_MS)

const placing = startTraffic(
  cluster.client,
  shops.map(({ id }) => {
    const order = { method: 'POST', path: `/shops/${id}/orders`, body: { paymentMethod: 'cod', items: goods } }
    return { kind: id, perSecond: options.rate / shops.length, next: () => order }
  }),
)
const killing = (async () => {
  for (let kill = 1; kill <= options.kills; kill += 1) {
    await sleep((options.seconds * 1_000) / (options.kills + 1))
    for (const replica of cluster.of('webhooks')) await replica.restart('SIGKILL')
  }
})()
await measure('under orders', options.seconds * 1_000)
await Promise.all([placing.stop(), killing])
const placed = Map.groupBy(placing.calls, ({ kind }) => kind)
const hasFailed = placing.calls.some(({ outcome }) => outcome !== 'ok')
const ordersOf = ({ shop }: Caller) => placed.get(shop.id) ?? []
await until(() => callers.every((caller) => caller.seen.size >= ordersOf(caller).length), 30_000)
isOver = true
const latencies = callers.flatMap((caller) =>
  ordersOf(caller).map(({ id, at, ms }) => Math.max(0, (caller.seen.get(id) ?? at) - at - ms)),
)
const at = (share: number) => `${Math.round(quantile(latencies, share))} ms`
print(`${latencies.length} events reached ${callers.length} callers: p50 ${at(0.5)}, p99 ${at(0.99)}`)
const breaches = callers.flatMap((caller) => [
  ...(hasFailed ? ['An order failed.'] : []),
  ...(caller.seen.size === ordersOf(caller).length ? [] : ['A caller saw another number of events than orders.']),
  ...(caller.repeats === 0 ? [] : ['An event was shown twice.']),
  ...(caller.failures === 0 || options.kills > 0 ? [] : ['A waiting call failed.']),
])
await cluster.stop()
conclude(breaches, 'Every caller saw every event once.')
