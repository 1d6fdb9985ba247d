// `npm run load:answers`: one shop asks for answers that are far too large, and another shop must not notice it.
// npm run load:answers [-- --gateway rest|mcp] [--form distributed|one-process] [--unread-seconds 45]
// 40 calls at once for a page of 24 MB with one key, then 200 calls for a page of 3.5 MB over five keys whose answers nobody reads.
// Ends with 1 where a read of the other shop failed, where its p99 is above three times that of a quiet product, or where a process
// passed its memory limit (docs/spec/rest-api.md#unread-answers).
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { runtimeEnvironment } from '../../deploy/dev/runtime-environment.ts'
import { openClient } from '../client.ts'
import { type Cluster, startCluster } from '../cluster.ts'
import { rest, toolCall } from '../operations.ts'
import type { Process } from '../process.ts'
import { conclude, pick, print, quantile, readOptions, seconds } from '../program.ts'
import { type Call, startTraffic } from '../traffic.ts'
import { residentMb } from '../usage.ts'

const MEMORY_MB_MAX = 512 // The limit of a service in helm/values.yaml.
const LARGE = { calls: 40, lines: 800, mb: 20 } // An order with 800 lines has about 240 KB.
const UNREAD = { calls: 200, lines: 115 }
const ORDERS = 100
const KEYS = 5
const READS_A_SECOND = 16 // Five keys are within their budgets of four calls a second each.
const SLOWEST_MS = 6_000
const WARM_MS = 3_000 // Compiles what is hot.
const QUIET_MS = 20_000
const P99_RATIO_MAX = 3
const SAMPLE_MS = 100

type Given = { gateway: Process; keys: string[] }
if (isMainThread) await run()
else readSteadily(workerData as Given)

// Reads of one shop in a thread of their own, so that what the main one does delays none of them: orders that nobody asked for before,
// and contacts.
function readSteadily({ gateway, keys }: Given): void {
  const client = openClient(() => [gateway], '')
  let turn = 0
  const next = () => {
    turn += 1
    const path = turn % 2 === 0 ? `/orders?created_after=${new Date(turn).toISOString()}` : '/contacts'
    return rest('GET', path, keys[turn % keys.length] ?? '')
  }
  startTraffic(client, [{ kind: 'read', perSecond: READS_A_SECOND, next }], (call) => parentPort?.postMessage(call))
}

async function run(): Promise<void> {
  const options = readOptions({ gateway: 'rest', form: 'distributed', 'unread-seconds': 45 })
  const form = options.form === 'one-process' ? 'one-process' : 'distributed'
  const unreadMs = options['unread-seconds'] * 1_000
  const cluster = await startCluster({ form, env: runtimeEnvironment('') })
  const port = Number(new URL(cluster.of(`${options.gateway}-gateway`)[0]?.url ?? '').port)
  const ask = (key: string) => openPage(port, options.gateway === 'mcp', key)
  const breaches: string[] = []
  const reads: Call[] = []
  const peaks = new Map<string, number>()
  const neighbour = await makeShop(cluster, 'neighbour', 3)
  const large = await makeShop(cluster, 'large', LARGE.lines)
  const wide = await makeShop(cluster, 'wide', UNREAD.lines)
  const { url = '', adminUrl = '' } = cluster.of('rest-gateway')[0] ?? {}
  const worker = new Worker(new URL(import.meta.url), { workerData: { gateway: { url, adminUrl }, keys: neighbour } })
  worker.on('message', (read: Call) => reads.push(read))
  const sampler = setInterval(() => {
    for (const { service, pid } of cluster.processes) {
      peaks.set(service, Math.max(peaks.get(service) ?? 0, residentMb(pid())))
    }
  }, SAMPLE_MS)

  /** The p99 of what the other shop saw while the work was under way, in milliseconds. */
  async function readsDuring(name: string, work: Promise<unknown>): Promise<number> {
    const from = Date.now()
    await work
    const to = Date.now()
    await pause(SLOWEST_MS) // Reads that began meanwhile end.
    const during = reads.filter(({ at }) => at >= from && at < to)
    const failed = during.filter(({ outcome }) => outcome !== 'ok').length
    const times = during.map(({ ms }) => ms)
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
    const line = `${name}: ${during.length} reads of the other shop, ${failed} failed`
    print(`${line}, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
    if (failed > 0) breaches.push(`${name}: ${failed} reads of the other shop failed`)
    return p99
  }
  await readsDuring('warming', pause(WARM_MS))
  const quietMs = await readsDuring('quiet', pause(QUIET_MS))
  async function compare(name: string, work: Promise<unknown>): Promise<void> {
    const ratio = (await readsDuring(name, work)) / quietMs
    print(`${name}: p99 is ${ratio.toFixed(2)} times that of the quiet product`)
    if (ratio > P99_RATIO_MAX) breaches.push(`${name}: p99 ${ratio.toFixed(2)} times, at most ${P99_RATIO_MAX}`)
  }

  const began = performance.now()
  const pages = Promise.all(Array.from({ length: LARGE.calls }, async () => sizeOf(await ask(large[0] ?? ''))))
  await compare(`${LARGE.calls} large pages`, pages)
  const whole = (await pages).filter((bytes) => bytes > LARGE.mb * 1_000_000)
  const mb = Math.round(Math.max(0, ...whole) / 1_000_000)
  print(`${whole.length} of ${LARGE.calls} pages of ${mb} MB were whole, after ${seconds(performance.now() - began)}`)
  if (whole.length === 0) breaches.push('no large page was whole')

  const unread = Array.from({ length: UNREAD.calls }, () => ask(pick(wide)))
  await compare(`${UNREAD.calls} unread answers`, pause(unreadMs))
  const sizes = await Promise.all(unread.map(async (answer) => sizeOf(await answer)))
  const cut = sizes.filter((bytes) => bytes === 0).length
  print(`${cut} of ${UNREAD.calls} unread answers were refused or cut after ${seconds(unreadMs)}`)

  clearInterval(sampler)
  await worker.terminate()
  for (const [name, most] of peaks) {
    print(`${name}: at most ${most} MB`)
    if (most > MEMORY_MB_MAX) breaches.push(`${name} had ${most} MB, its limit is ${MEMORY_MB_MAX}`)
  }
  await cluster.stop()
  conclude(breaches, 'the other shop noticed nothing')
}

/** A shop with so many lines in each of its orders; gives its keys. */
async function makeShop({ client }: Cluster, handle: string, lines: number): Promise<string[]> {
  await client.makeShop(handle)
  const line = { kind: 'physical', quantity: 1, unitPrice: { cents: 5 } }
  const items = Array.from({ length: lines }, (_, n) => ({ ...line, title: `Mug ${n}` }))
  const order = { paymentMethod: 'card', customer: { name: 'Ada', email: 'ada@example.com' }, items }
  for (let number = 0; number < ORDERS; number += 1) await client.call('POST', `/shops/${handle}/orders`, order)
  const key = { name: 'k', access: 'read' }
  const keys = Array.from({ length: KEYS }, () => client.call('POST', `/shops/${handle}/keys`, key))
  return (await Promise.all(keys)).map(({ secret }) => String(secret))
}

/** Asks for a page of 100 orders on a connection of its own; the body waits until it is read. Null where there is no answer. */
function openPage(port: number, isMcp: boolean, key: string): Promise<IncomingMessage | null> {
  const command = isMcp ? toolCall('list_orders', { limit: 100 }, key) : rest('GET', '/orders?limit=100', key)
  const body = command.body === undefined ? '' : JSON.stringify(command.body)
  const own = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length }
  const { method, path, headers } = command
  return new Promise((resolve) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers: { ...own, ...headers }, agent: false })
    outgoing.once('response', resolve)
    outgoing.on('error', () => resolve(null))
    outgoing.end(body)
  })
}

/** The length of an answer that is read as fast as it comes; 0 where it was refused or cut. */
async function sizeOf(answer: IncomingMessage | null): Promise<number> {
  try {
    let bytes = 0
    for await (const chunk of answer ?? []) bytes += (chunk as Buffer).length
    return answer?.statusCode === 200 ? bytes : 0
  } catch {
    return 0
  }
}
