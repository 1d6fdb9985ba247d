// `npm run load:answers`: one shop asks for answers that are far too large, and another shop must not notice it.
// npm run load:answers [-- --gateway rest|mcp] [--form distributed|one-process] [--unread-seconds 45]
// 40 calls at once for a page of 24 MB with one key, then 200 calls for a page of 3.5 MB over five keys whose sockets nobody reads.
// Ends with 1 where a read of the other shop failed, where its p99 is above three times that of a quiet product, or where a process
// passed its memory limit (docs/spec/integrators.md#bounds).
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { MCP_VERSION } from '#contracts/versions'
import { runtimeEnvironment } from '../deploy/dev/runtime-environment.ts'
import type { AdminClient } from './admin-client.ts'
import { startCluster } from './cluster.ts'
import { residentMb } from './process-usage.ts'
import { exchange, type Read } from './steady-reads.ts'
import { conclude, print, seconds, wholeNumber } from './program.ts'

const MEMORY_MB_MAX = 512 // The limit of a service in helm/values.yaml.
const LARGE = { calls: 40, lines: 800, mb: 20 } // An order with 800 lines has about 240 KB.
const UNREAD = { calls: 200, lines: 115 }
const ORDERS = 100
const KEYS = 5
const SLOWEST_MS = 6_000
const QUIET_MS = 20_000
const P99_RATIO_MAX = 3
const SAMPLE_MS = 100

const { values } = parseArgs({
  options: {
    gateway: { type: 'string', default: 'rest' },
    form: { type: 'string', default: 'distributed' },
    'unread-seconds': { type: 'string', default: '45' },
  },
})
const unreadMs = wholeNumber('unread-seconds', values['unread-seconds']) * 1_000
const isMcp = values.gateway === 'mcp'
const form = values.form === 'one-process' ? 'one-process' : 'distributed'

const cluster = await startCluster({ form, env: runtimeEnvironment('') })
const of = (service: string) => cluster.of(form === 'one-process' ? 'one' : service)[0]
const port = Number(new URL(of(`${values.gateway}-gateway`)?.url ?? '').port)
const restPort = Number(new URL(of('rest-gateway')?.url ?? '').port)
type Reads = { latencies: number[]; failed: number }
const reads: Read[] = []
const peaks = new Map<string, number>()
const breaches: string[] = []

const [neighbour, large, wide] = [
  await makeShop('neighbour', 3),
  await makeShop('large', LARGE.lines),
  await makeShop('wide', UNREAD.lines),
]
const worker = new Worker(new URL('steady-reads.ts', import.meta.url), {
  workerData: { port: restPort, keys: neighbour },
})
worker.on('message', (read: Read) => reads.push(read))
const sampler = setInterval(samplePeaks, SAMPLE_MS)
await readsDuring(pause(3_000)) // Compiles what is hot.
const quiet = await readsDuring(pause(QUIET_MS))
report('quiet', quiet)

const began = performance.now()
const pages = Promise.all(Array.from({ length: LARGE.calls }, () => page(large[0] ?? '')))
compare('40 large pages', await readsDuring(pages))
const whole = (await pages).filter(({ status, bytes }) => status === 200 && bytes > LARGE.mb * 1_000_000)
print(
  `${whole.length} of ${LARGE.calls} pages of ${largestOf(whole)} MB were whole, after ${seconds(performance.now() - began)}`,
)
if (whole.length === 0) breaches.push('no large page was whole')

const sockets = Array.from({ length: UNREAD.calls }, (_, index) => unreadCall(wide[index % KEYS] ?? ''))
compare('200 unread answers', await readsDuring(pause(unreadMs)))
const cut = await Promise.all(sockets.map(endsIncomplete))
print(`${cut.filter(Boolean).length} of ${UNREAD.calls} unread answers were cut after ${seconds(unreadMs)}`)

clearInterval(sampler)
await worker.terminate()
for (const [name, mb] of peaks) {
  print(`${name}: at most ${mb} MB`)
  if (mb > MEMORY_MB_MAX) breaches.push(`${name} had ${mb} MB, its limit is ${MEMORY_MB_MAX}`)
}
await cluster.stop()
conclude(breaches, 'the other shop noticed nothing')

/** A shop with so many lines in each of its orders; gives its keys. */
async function makeShop(handle: string, lines: number): Promise<string[]> {
  const { admin } = cluster
  const facts = { handle, name: 'Load', currency: 'GBP', timeZone: 'Europe/London', country: 'GB' }
  await admin.call('POST', '/shops', { ...facts, ownerEmail: 'owner@example.com', plan: 'pro' })
  const items = Array.from({ length: lines }, (_, n) => ({
    title: `Mug ${n}`,
    kind: 'physical',
    quantity: 1,
    unitPrice: { cents: 5 },
  }))
  const order = { paymentMethod: 'card', customer: { name: 'Ada', email: 'ada@example.com' }, items }
  for (let number = 0; number < ORDERS; number += 1) await placed(admin, handle, order)
  const keys = Array.from({ length: KEYS }, () =>
    admin.call('POST', `/shops/${handle}/keys`, { name: 'k', access: 'read' }),
  )
  return (await Promise.all(keys)).map(({ secret }) => String(secret))
}

function placed(admin: AdminClient, handle: string, order: object) {
  return admin.call('POST', `/shops/${handle}/orders`, order)
}

/** What the other shop saw while the work was under way. */
async function readsDuring(work: Promise<unknown>): Promise<Reads> {
  const from = Date.now()
  await work
  const to = Date.now()
  await pause(SLOWEST_MS) // Reads that began meanwhile end.
  const during = reads.filter(({ at }) => at >= from && at < to)
  return {
    latencies: during.map(({ ms }) => ms).toSorted((a, b) => a - b),
    failed: during.filter(({ status }) => status !== 200).length,
  }
}

function report(name: string, { latencies, failed }: Reads): void {
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1)
  print(`${name}: ${latencies.length} reads of the other shop, ${failed} failed, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
}

function compare(name: string, reads: Reads): void {
  report(name, reads)
  const p99 = ({ latencies }: Reads) => latencies[Math.floor(latencies.length * 0.99)] ?? 0
  const ratio = p99(reads) / p99(quiet)
  print(`${name}: p99 is ${ratio.toFixed(2)} times that of the quiet product`)
  if (reads.failed > 0) breaches.push(`${name}: ${reads.failed} reads of the other shop failed`)
  if (ratio > P99_RATIO_MAX) breaches.push(`${name}: p99 ${ratio.toFixed(2)} times, at most ${P99_RATIO_MAX}`)
}

/** What asks for a page of 100 orders, by the chosen gateway. */
function pageRequest(key: string) {
  const headers = { host: '127.0.0.1', authorization: `Bearer ${key}` }
  if (!isMcp) return { method: 'GET', path: '/api/v1/orders?limit=100', headers, body: '' }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'load', version: '1' },
  }
  const params = { name: 'list_orders', arguments: { limit: 100 }, _meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const own = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const modern = { 'mcp-protocol-version': MCP_VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'list_orders' }
  const length = { 'content-length': String(body.length) }
  return { method: 'POST', path: '/api/mcp', headers: { ...headers, ...own, ...modern, ...length }, body }
}

function page(key: string) {
  const { method, path, headers, body } = pageRequest(key)
  return exchange({ port, method, path, headers }, body)
}

/** A connection that sends the request and reads nothing. */
function unreadCall(key: string): Socket {
  const { method, path, headers, body } = pageRequest(key)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect({ port, host: '127.0.0.1' })
  socket.pause()
  socket.on('error', () => undefined) // It is cut.
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n${body}`)
  return socket
}

/** Reads what is left and says whether the answer ended too early. */
function endsIncomplete(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    let last = ''
    socket.on('data', (chunk: Buffer) => (last = (last + chunk.toString('latin1')).slice(-64)))
    socket.once('close', (hadError) => resolve(hadError || !/[}](\r\n0\r\n\r\n)?$/.test(last)))
    socket.resume()
  })
}

function samplePeaks(): void {
  for (const { service, pid } of cluster.processes)
    peaks.set(service, Math.max(peaks.get(service) ?? 0, residentMb(pid())))
}

function largestOf(answers: { bytes: number }[]): number {
  return Math.round(Math.max(0, ...answers.map(({ bytes }) => bytes)) / 1_000_000)
}
