// What live streams cost: CPU of each process while nobody, one and many watch a shop.
// npm run load:live [-- --watchers 200] [--rate 1000] [--own 20] [--seconds 20]
// Starts the distributed form. `rate` requests a second go to other shops, `own` to the watched one. Prints CPU and memory of each
// process in each phase, with the load of the machine. Ends with 1 where a stream ended or showed no request.
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN_TOKEN, startCluster } from '../cluster.ts'
import { rest } from '../operations.ts'
import { conclude, pick, print, readOptions, until, word } from '../program.ts'
import { startTraffic } from '../traffic.ts'
import { printUsage } from '../usage.ts'

const options = readOptions({ watchers: 200, rate: 1000, own: 20, seconds: 20 })
const SHOPS = 20
const SETTLE_MS = 3_000

const cluster = await startCluster({ env: { REQUESTS_PER_MINUTE: '1000000' } })
const watched = await cluster.client.shop(`live-${word()}`, 0, 1)
const others: string[] = []
while (others.length < SHOPS) others.push((await cluster.client.shop(`live-${word()}`, 0, 1)).readKey)
const traffic = startTraffic(cluster.client, [
  { kind: 'other', perSecond: options.rate, next: () => rest('GET', '/shop', pick(others)) },
  { kind: 'own', perSecond: options.own, next: () => rest('GET', '/shop', watched.readKey) },
])
const watchers: { requests: number; isEnded: boolean }[] = []

/** Watches until the stream ends. */
async function watch(): Promise<void> {
  const watcher = { requests: 0, isEnded: false }
  watchers.push(watcher)
  const url = `${cluster.of('admin-gateway')[0]?.adminUrl}/admin/v1/shops/${watched.id}/live`
  try {
    const { body } = await fetch(url, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      watcher.requests += text.split('event: request').length - 1
    }
  } finally {
    watcher.isEnded = true
  }
}

async function measure(what: string): Promise<void> {
  await sleep(SETTLE_MS)
  const before = traffic.calls.length
  await printUsage(what, cluster.processes, options.seconds * 1_000)
  const perSecond = Math.round((traffic.calls.length - before) / options.seconds)
  print(`  ${perSecond} requests a second answered, load of the machine ${loadavg()[0]?.toFixed(2)}`)
}

await measure('nobody watches')
watch().catch(() => undefined) // It is seen in `isEnded`.
await measure('one watches')
while (watchers.length < options.watchers) watch().catch(() => undefined)
await measure(`${options.watchers} watch`)
await traffic.stop()
const haveSeen = await until(() => watchers.every(({ requests }) => requests > 0), 5_000)
const failed = traffic.calls.filter(({ outcome }) => outcome !== 'ok').length
const breaches = [
  ...(failed === 0 ? [] : [`${failed} requests failed.`]),
  ...(watchers.some(({ isEnded }) => isEnded) ? ['A stream ended.'] : []),
  ...(haveSeen ? [] : ['A stream showed no request.']),
]
await cluster.stop()
conclude(breaches, 'Every stream showed requests to its end.')
