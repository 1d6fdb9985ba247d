// What live streams cost: CPU of each process while nobody, one and many watch a shop.
// npm run load:live [-- --watchers 200] [--rate 1000] [--own 20] [--seconds 20]
// Starts the distributed form. `rate` requests a second go to other shops, `own` to the watched one. Prints CPU and memory of each
// process in each phase, with the load of the machine. Ends with 1 where a stream ended or showed no request.
import { Agent, type ClientRequest, request } from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Shop } from './admin-client.ts'
import { ADMIN_TOKEN, startCluster } from './cluster.ts'
import { readCpu, residentMb } from './process-usage.ts'
import { conclude, print, until, wholeNumber, word } from './program.ts'

type Watcher = { outgoing: ClientRequest; bytes: number; events: number; isEnded: boolean }

const { values } = parseArgs({
  options: {
    watchers: { type: 'string', default: '200' },
    rate: { type: 'string', default: '1000' },
    own: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '20' },
  },
})
const [watcherCount, rate, own, seconds] = (['watchers', 'rate', 'own', 'seconds'] as const).map((name) =>
  wholeNumber(name, values[name]),
) as [number, number, number, number]
const SHOPS = 20
const TICK_MS = 20
const SETTLE_MS = 3_000

const cluster = await startCluster({ env: { REQUESTS_PER_MINUTE: '1000000' } })
const [gateway] = cluster.of('rest-gateway')
const [office] = cluster.of('admin-gateway')
if (gateway === undefined || office === undefined) throw new Error('There is no gateway.')
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const shops: Shop[] = []
for (let index = 0; index <= SHOPS; index += 1) shops.push(await cluster.admin.shop(`live-${word()}`, 0, 1))
const [watched, ...others] = shops

let answered = 0
let failed = 0
function get(key: string): void {
  const headers = { authorization: `Bearer ${key}` }
  request(`${gateway?.url}/api/v1/shop`, { headers, agent }, (answer) => {
    answer.resume()
    answer.on('end', () => (answer.statusCode === 200 ? (answered += 1) : (failed += 1)))
  })
    .on('error', () => (failed += 1))
    .end()
}

// At fixed times, whatever the answers take.
const began = performance.now()
const sent = { others: 0, own: 0 }
const traffic = setInterval(() => {
  const s = (performance.now() - began) / 1_000
  for (; sent.others < s * rate; sent.others += 1) get(others[sent.others % SHOPS]?.readKey ?? '')
  for (; sent.own < s * own; sent.own += 1) get(watched?.readKey ?? '')
}, TICK_MS)

function watch(): Watcher {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const url = `${office?.adminUrl}/admin/v1/shops/${watched?.id}/live`
  const watcher: Watcher = { outgoing: request(url, { headers, agent: false }), bytes: 0, events: 0, isEnded: false }
  watcher.outgoing.on('response', (answer) => {
    answer.on('data', (chunk: Buffer) => {
      watcher.bytes += chunk.length
      watcher.events += chunk.toString().split('event: request').length - 1
    })
    answer.on('close', () => (watcher.isEnded = true))
  })
  watcher.outgoing.on('error', () => (watcher.isEnded = true))
  watcher.outgoing.end()
  return watcher
}

const processes = () => cluster.processes.map(({ service, pid }) => [service, pid()] as [string, number])

async function measure(what: string): Promise<void> {
  await pause(SETTLE_MS)
  const [before, answeredBefore, at] = [readCpu(processes()), answered, performance.now()]
  await pause(seconds * 1_000)
  const after = readCpu(processes())
  const ms = performance.now() - at
  const perSecond = Math.round((answered - answeredBefore) / (ms / 1_000))
  const load = loadavg()[0]?.toFixed(2)
  print(`${what}: ${perSecond} requests a second answered, load of the machine ${load}`)
  for (const [name, pid] of processes()) {
    const share = ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / 1e6 / ms
    print(`  ${name.padEnd(16)} ${(share * 100).toFixed(1).padStart(6)} % CPU ${residentMb(pid)} MB`)
  }
}

await measure('nobody watches')
const watchers = [watch()]
await measure('one watches')
while (watchers.length < watcherCount) watchers.push(watch())
await measure(`${watcherCount} watch`)
clearInterval(traffic)
await until(() => watchers.every(({ events }) => events > 0), 5_000)
const breaches = [
  ...(failed === 0 ? [] : [`${failed} requests failed.`]),
  ...(watchers.some(({ isEnded }) => isEnded) ? ['A stream ended.'] : []),
  ...(watchers.every(({ events }) => events > 0) ? [] : ['A stream showed no request.']),
]
for (const { outgoing } of watchers) outgoing.destroy()
await cluster.stop()
conclude(breaches, 'Every stream showed requests to its end.')
