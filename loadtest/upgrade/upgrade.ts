// `npm run upgrade -- --from <commit>`: from one release to the next and back, under load. docs/guides/operators.md#upgrade
// npm run upgrade -- --from <commit> [--replicas 2] [--seconds 10] [--rate 5]
// Starts the stack of that commit with two replicas of each service, lets a migration fail, migrates with this checkout, replaces process by
// process with it, and goes back the same way. No call may fail, no write or delivery may be lost or doubled, and sessions and cursors go
// on. Starts its own PostgreSQL and NATS on the loopback and ends with 1 when anything else was seen.
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { QueryRunner } from 'typeorm'
import { migrate } from '#postgres/migrate'
import { services } from '../../deploy/services.ts'
import { startCluster } from '../cluster.ts'
import { writeBreaches } from '../judge/answers.ts'
import { deliveriesLine, deliveryBreaches, judgeDeliveries, mark, untilDrained } from '../judge/deliveries.ts'
import { storedBreaches } from '../judge/stored.ts'
import { changeStream, clientStreams } from '../operations.ts'
import { root } from '../process.ts'
import { conclude, print, readOptions } from '../program.ts'
import { startReceiver } from '../receiver.ts'
import { type Call, startTraffic } from '../traffic.ts'
import { checkOut } from './old-tree.ts'
import { followEvents, sessionStream, walkStream } from './watchers.ts'

const PRODUCTS = 20
const ORDERS = 40
const DRAINED_MS = 120_000

class Broken1999999999999 {
  name = 'Broken1999999999999'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table orders add column never integer')
    await runner.query('alter table nothing add column never integer')
  }
}

const { from, replicas, seconds: lastS, rate } = readOptions({ from: '', replicas: 2, seconds: 10, rate: 5 })
if (from === '') {
  process.stderr.write('upgrade: --from names the commit of the release that runs before.\n')
  process.exit(2)
}
const old = checkOut(from)
process.once('exit', () => old.remove())
const trees = new Map<string, string>()
const cluster = await startCluster({
  replicas,
  env: { REQUESTS_PER_MINUTE: '1000000' },
  tree: (service, number) => trees.get(`${service} ${number}`) ?? old.tree,
})
const { client } = cluster
const receiver = await startReceiver()
const breaches: string[] = []
const endWatch = client.watchReadiness()
try {
  await run()
} finally {
  endWatch()
  await cluster.stop()
  await receiver.kill()
}
conclude(breaches, 'no call failed, nothing is lost or doubled, sessions and cursors went on')

async function run(): Promise<void> {
  const shop = await client.shop('upgraded', ORDERS)
  const office = (path: string, body: object) => client.call('POST', `/shops/${shop.handle}${path}`, body)
  const product = { title: 'Mug', kind: 'physical', price: { cents: 500 } }
  const products = await Promise.all(Array.from({ length: PRODUCTS }, () => office('/products', product)))
  const placed = await cluster.query<{ id: string }>('select id from orders.orders')
  const deliveries = { cluster, receiver, endpoints: [await receiver.makeEndpoint(client, shop)] }
  const streams = [
    ...clientStreams(
      shop,
      products.map(({ id }) => String(id)),
    ),
    changeStream(
      placed.map(({ id }) => ({ id, shop })),
      rate,
    ),
    await sessionStream(cluster),
    walkStream(shop),
  ]
  await untilDrained(deliveries, DRAINED_MS)
  const since = await mark(deliveries)
  const follower = await followEvents(cluster, shop)
  const traffic = startTraffic(client, streams)

  const stages: { name: string; from: number }[] = []
  const stage = async (name: string, work: () => Promise<void>) => {
    stages.push({ name, from: Date.now() })
    await work()
    await sleep(lastS * 1_000)
  }
  await stage(`${cluster.processes.length} processes of ${old.commit}`, async () => undefined)
  await stage('a migration that fails', failingMigration)
  await stage('migrations of this checkout', migrateAll)
  await stage('replaced one by one', () => replaceAll(root))
  await stage('back again, one by one', () => replaceAll(old.tree))
  await traffic.stop()

  print(rowOf('stage', ['calls', 'failed', 'slowest ms']))
  for (const [index, { name, from: begun }] of stages.entries()) {
    const until = stages[index + 1]?.from ?? Number.POSITIVE_INFINITY
    breaches.push(
      ...report(
        name,
        traffic.calls.filter(({ at }) => at >= begun && at < until),
      ),
    )
  }
  await judge(since, traffic.calls, follower)

  async function judge(begun: typeof since, calls: Call[], follows: typeof follower): Promise<void> {
    const drainedMs = await untilDrained(deliveries, DRAINED_MS)
    if (drainedMs === null) breaches.push('deliveries are not drained in time')
    const judgement = await judgeDeliveries(deliveries, begun)
    print(deliveriesLine(judgement, 0))
    breaches.push(...deliveryBreaches(judgement, 0), ...(await follows.stop()), ...(await storedBreaches(cluster)))
    if (follows.failed.length > 0)
      breaches.push(`${follows.failed.length} reads of the events failed: ${follows.failed[0]}`)
    print(`${follows.seen.length} events followed by cursor`)
    const writes = calls
      .filter(({ kind }) => kind === 'contact' || kind === 'order')
      .map(({ kind, mark: written, outcome }) => ({ kind, mark: written, isDone: outcome === 'ok' }))
    breaches.push(...(await writeBreaches(cluster, shop.id, writes)))
    print(`${writes.length} writes answered, each of them is there once, or it is said here`)
  }
}

/** A migration that breaks half-way must be thrown, leave no trace, and let the processes of before go on and start again. */
async function failingMigration(): Promise<void> {
  const storage = services.find(({ name }) => name === 'orders')?.storage
  if (!storage) throw new Error('The service orders has no schema.')
  const broken = { ...storage, migrations: [...storage.migrations, Broken1999999999999] }
  const error = await migrate(broken, cluster.databaseUrl()).catch((thrown: unknown) => thrown)
  if (!(error instanceof Error)) breaches.push('a migration that breaks was not refused')
  const left = await cluster.query(
    `select 1 from information_schema.columns where table_schema = 'orders' and column_name = 'never'`,
  )
  if (left.length > 0) breaches.push('a migration that broke has changed a table')
  await cluster.of('orders')[0]?.restart('SIGTERM')
}

async function migrateAll(): Promise<void> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', DATABASE_URL: cluster.databaseUrl() }
  const { stdout } = await promisify(execFile)(process.execPath, ['deploy/dev/migrate.ts'], { cwd: root, env })
  print(stdout.trim().replaceAll('\n', '; '))
}

/** One process after the other, each only when the one before is ready, as an orchestrator does. */
async function replaceAll(tree: string): Promise<void> {
  for (const one of cluster.processes) {
    trees.set(`${one.service} ${one.number}`, tree)
    await one.restart('SIGTERM')
  }
}

function report(name: string, calls: Call[]): string[] {
  const failed = calls.filter(({ outcome, kind }) => outcome !== 'ok' && !(kind === 'change' && outcome === '409'))
  const slowestMs = Math.round(Math.max(0, ...calls.map(({ ms }) => ms)))
  const groups = Map.groupBy(failed, ({ kind, outcome }) => `${kind} ${outcome}`)
  const byKind = [...groups].map(([what, own]) => `${own.length} ${what}`).join(', ')
  print(`${rowOf(name, [calls.length, failed.length, slowestMs])}  ${byKind}`)
  return failed.length === 0 ? [] : [`${name}: ${failed.length} calls failed: ${byKind}`]
}

function rowOf(name: string, figures: (number | string)[]): string {
  const cells = figures.map((figure) => String(figure).padStart(10))
  return [name.padEnd(30), ...cells].join('  ')
}
