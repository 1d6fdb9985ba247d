// `node loadtest/bench/imports.ts [--orders 100_000] [--quiet-seconds 20] [--profile folder]`: how fast a file of orders is imported, and
// what that costs others. Starts the product in one process on a database of its own, imports a Shopify orders export of one-line orders of
// half as many buyers with create_contacts=true, and imports it again. Prints the speed of both, the growth of the process's memory, and
// the p99 of another shop's reads beside the import against a quiet product. Ends with 1 where an import lost an order.
import { createReadStream, mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { openClient } from '../client.ts'
import { ADMIN_TOKEN, type Cluster, startCluster } from '../cluster.ts'
import { rest } from '../operations.ts'
import type { Process } from '../process.ts'
import { conclude, print, quantile, readOptions, seconds } from '../program.ts'
import { type Call, startTraffic } from '../traffic.ts'
import { cpuPerRequest, readCpu, residentMb } from '../usage.ts'
import { writeOrdersFile } from './orders-file.ts'

const KEYS = 5
const READS_A_SECOND = 16 // Five keys are within their budgets of four calls a second each.
const NEIGHBOUR_ORDERS = 100
const WARM_ORDERS = 10_000 // Until the engine has compiled what is hot and its heap has its size.
const SAMPLE_MS = 100
const APP = 'bench-imports'
const TARGETS = { orders: 2_500, records: 20_000, mb: 100, p99: 2 }

type Given = { gateway: Pick<Process, 'url' | 'adminUrl'>; keys: string[] }
type Result = { status: string; created: number; unchanged: number; failed: number; processed: number }

if (isMainThread) await run()
else readSteadily(workerData as Given)

// In a thread of its own, so that what the main one does delays no read.
function readSteadily({ gateway, keys }: Given): void {
  const client = openClient(() => [gateway as Process], '')
  let turn = 0
  const next = () => {
    turn += 1
    return rest('GET', `/orders?created_after=${new Date(turn).toISOString()}`, keys[turn % keys.length] ?? '')
  }
  startTraffic(client, [{ kind: 'read', perSecond: READS_A_SECOND, next }], (call) => parentPort?.postMessage(call))
}

async function run(): Promise<void> {
  const options = readOptions({ orders: 100_000, 'quiet-seconds': 20, profile: '' })
  const nodeOptions = profileOptions(options.profile)
  const cluster = await startCluster({ form: 'one-process', env: { ...nodeOptions, PGAPPNAME: APP } })
  const [one] = cluster.processes
  if (one === undefined) throw new Error('No process was started.')
  const breaches: string[] = []
  const reads: Call[] = []
  const file = join(cluster.folder, 'orders.csv')
  const bytes = await writeOrdersFile(file, options.orders)
  const warmFile = join(cluster.folder, 'warm.csv')
  await writeOrdersFile(warmFile, WARM_ORDERS)
  print(`${options.orders} orders, ${(bytes / 1e6).toFixed(1)} MB`)

  const keys = await makeNeighbour(cluster)
  for (const handle of ['warm', 'import']) await cluster.client.makeShop(handle, { currency: 'GBP', country: 'GB' })
  await importFile(one, 'warm', warmFile)
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { gateway: { url: one.url, adminUrl: one.adminUrl }, keys },
  })
  worker.on('message', (read: Call) => reads.push(read))

  const quietMs = await p99During(reads, () => sleep(options['quiet-seconds'] * 1_000))
  print(`quiet: p99 of the other shop's reads ${quietMs.toFixed(1)} ms`)

  async function measure(name: string, unit: string, target: number, isRight: (result: Result) => boolean) {
    const before = residentMb(one?.pid() ?? 0)
    let peak = before
    const sampler = setInterval(() => (peak = Math.max(peak, residentMb(one?.pid() ?? 0))), SAMPLE_MS)
    const processes = await processesOf(cluster)
    const cpu = readCpu(processes)
    const began = performance.now()
    let result: Result | null = null
    let ms = 0
    const p99 = await p99During(reads, async () => {
      result = await importFile(one as Process, 'import', file)
      ms = performance.now() - began
    })
    const spent = cpuPerRequest(cpu, readCpu(processes), options.orders)
    clearInterval(sampler)
    const done = result as Result | null
    if (done === null || !isRight(done)) breaches.push(`${name}: ${JSON.stringify(done)}`)
    const speed = Math.round(options.orders / (ms / 1_000))
    print(`${name}: ${seconds(ms)}, ${speed} ${unit} a second (target ${target})`)
    print(
      `  CPU of each: ${Object.entries(spent)
        .map(([what, us]) => `${what} ${us.toFixed(0)} µs`)
        .join(', ')}`,
    )
    print(`  memory ${before} MB, at most ${peak} MB: grew by ${peak - before} MB (target ${TARGETS.mb})`)
    print(
      `  p99 of the other shop's reads ${p99.toFixed(1)} ms, ${(p99 / quietMs).toFixed(2)} times (target ${TARGETS.p99})`,
    )
  }
  await measure(
    'first import',
    'orders',
    TARGETS.orders,
    ({ failed, created }) => failed === 0 && created >= options.orders,
  )
  await measure('repeated import', 'records', TARGETS.records, (result) => {
    return result.failed === 0 && result.created === 0 && result.unchanged >= options.orders
  })
  const [row] = await cluster.query<{ count: number }>(
    "select count(*)::int as count from orders.orders o join auth.shops s on s.id = o.shop_id where s.handle = 'import'",
  )
  if (row?.count !== options.orders) breaches.push(`the shop has ${row?.count} orders`)
  await worker.terminate()
  await cluster.stop()
  conclude(breaches, 'every order was imported once')
}

async function processesOf({ processes, query }: Cluster): Promise<[name: string, pid: number][]> {
  const connections = await query<{ pid: number }>('select pid from pg_stat_activity where application_name = $1', [
    APP,
  ])
  return [
    ...processes.map(({ pid }): [string, number] => ['process', pid()]),
    ...connections.map(({ pid }): [string, number] => ['postgres', pid]),
  ]
}

/** Sends the file as it is read; waits as long as the import takes. */
async function importFile({ adminUrl }: Process, shop: string, path: string): Promise<Result> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' }
  const url = `${adminUrl}/admin/v1/shops/${shop}/imports?format=shopify-orders&create_contacts=true`
  const answer = await new Promise<{ status: number; text: string }>((answered, failed) => {
    const outgoing = request(url, { method: 'POST', headers, agent: false })
    outgoing.once('error', failed)
    outgoing.once('response', (incoming) => {
      textOf(incoming).then((text) => answered({ status: incoming.statusCode ?? 0, text }), failed)
    })
    createReadStream(path).pipe(outgoing)
  })
  if (answer.status !== 201) throw new Error(`The import was answered with ${answer.status}: ${answer.text}`)
  return (JSON.parse(answer.text) as { data: Result }).data
}

async function p99During(reads: Call[], work: () => Promise<unknown>): Promise<number> {
  const from = Date.now()
  await work()
  const to = Date.now()
  await sleep(500) // Reads that began meanwhile end.
  const during = reads.filter(({ at }) => at >= from && at < to)
  const failed = during.filter(({ outcome }) => outcome !== 'ok').length
  if (failed > 0) print(`*** ${failed} of ${during.length} reads failed`)
  return quantile(
    during.map(({ ms }) => ms),
    0.99,
  )
}

async function makeNeighbour({ client }: Cluster): Promise<string[]> {
  await client.makeShop('neighbour')
  const items = [{ title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 500 } }]
  const order = { paymentMethod: 'card', customer: { name: 'Ada', email: 'ada@example.com' }, items }
  for (let number = 0; number < NEIGHBOUR_ORDERS; number += 1)
    await client.call('POST', '/shops/neighbour/orders', order)
  const key = { name: 'k', access: 'read' }
  const made = Array.from({ length: KEYS }, () => client.call('POST', '/shops/neighbour/keys', key))
  return (await Promise.all(made)).map(({ secret }) => String(secret))
}

function profileOptions(folder: string): Record<string, string> {
  if (folder === '') return {}
  mkdirSync(folder, { recursive: true })
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(folder)}` }
}
