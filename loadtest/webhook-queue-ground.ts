// Owns the ground of the webhook measurements: a PostgreSQL and a NATS of their own, a database for each side of a
// comparison, webhook workers as processes, and a neighbour on the bus that hands events over as the relays do.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceBroker } from 'moleculer'
import pg from 'pg'
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { findNatsServer, startNatsServer } from '#runtime/nats-server'
import { startProcess, type RunningProcess as Running } from '#runtime/process'
import { connect, type Database } from '#postgres/connect'
import { migrate } from '#postgres/migrate'
import { startEmbedded } from '#postgres/embedded/embedded'
import type { Pace } from '../services/webhooks/delivery/delivery-config.ts'
import { webhooks } from '../services/webhooks/service.ts'
import { startSink, type Sink } from './webhook-queue-receiver.ts'

export type Worker = {
  pid: number
  /** A neighbour on its bus. */
  broker: ServiceBroker
  /** The connections of PostgreSQL that work for it. */
  backends(): Promise<number[]>
  signal(name: NodeJS.Signals): void
  end(signal: NodeJS.Signals): Promise<void>
}
export type Ground = {
  sink: Sink
  /** A process of its own for receivers that behave badly: what they cost it is not the others' time. */
  badSink: Sink
  natsUrl: string
  secretKey: string
  /** An empty database; gives its URL. */
  database(name: string): Promise<string>
  /** Takes it away again. */
  drop(url: string): Promise<void>
  /** The webhooks schema of a database, brought to its newest version, over so many connections, without a time limit. */
  schema(url: string, connections: number): Promise<Database>
  /** A worker on the database that takes events over and delivers, ready and known on the bus; each database has its own. */
  worker(url: string, pace?: Partial<Pace>, nodeArgs?: string[]): Promise<Worker>
  stop(): Promise<void>
}

const SECRET_KEY = 'a secret of at least 32 characters.'
const root = join(import.meta.dirname, '..')

export async function openGround(): Promise<Ground> {
  const program = findNatsServer('')
  if (program === null) throw new Error('There is no nats-server (Debian: nats-server).')
  const dataDir = mkdtempSync(join(tmpdir(), 'storefront-webhooks-'))
  const database = await startCluster(dataDir)
  const nats = await startNatsServer(program)
  const sink = await startSink()
  const badSink = await startSink()
  const neighbours = openNeighbours(nats.url)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const children = new Set<ChildProcess>()
  const killAll = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.once('exit', killAll)
  let started = 0

  return {
    sink,
    badSink,
    natsUrl: nats.url,
    secretKey: SECRET_KEY,
    async database(name) {
      await client.query(`create database ${name}`)
      const url = new URL(database.url)
      url.pathname = `/${name}`
      return url.href
    },
    async drop(url) {
      await client.query(`drop database ${databaseOf(url)} with (force)`)
    },
    async schema(url, connections) {
      if (webhooks.storage === null) throw new Error('Webhooks keeps rows.')
      const { role } = await migrate(webhooks.storage, url)
      const onError = () => undefined // A dropped database breaks idle connections; that is the end of a part.
      return connect(webhooks.storage, { url, role, connectionsMax: connections, statementTimeoutMs: 0, onError })
    },
    async worker(url, pace = {}, nodeArgs = []) {
      started += 1
      const name = `webhook-worker-${started}`
      const namespace = databaseOf(url)
      const own = [url, SECRET_KEY, JSON.stringify(pace), nats.url, namespace]
      const args = [...nodeArgs, 'loadtest/webhook-worker.ts', ...own]
      const broker = await neighbours.of(namespace)
      const child = spawn(process.execPath, args, {
        cwd: root,
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', PGAPPNAME: name },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      children.add(child)
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      void gone.then(() => children.delete(child))
      await new Promise<void>((resolve, reject) => {
        child.stdout.once('data', () => resolve())
        child.once('exit', (code) => reject(new Error(`The worker ended with ${code}.`)))
      })
      await known(broker)
      return {
        ...{ pid: child.pid ?? 0, broker },
        async backends() {
          const { rows } = await client.query('select pid from pg_stat_activity where application_name = $1', [name])
          return rows.map(({ pid }: { pid: number }) => pid)
        },
        signal: (signal) => void child.kill(signal),
        async end(signal) {
          child.kill(signal)
          child.kill('SIGCONT') // One that was held could not end.
          await gone
        },
      }
    },
    async stop() {
      killAll()
      process.off('exit', killAll)
      await client.end()
      await neighbours.stop()
      sink.stop()
      badSink.stop()
      await nats.stop()
      await database.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

// When a transaction was committed is known only to a server that was started with the wish to know it.
async function startCluster(dataDir: string): ReturnType<typeof startEmbedded> {
  const start = () => startEmbedded({ dataDir, log: () => undefined })
  const first = await start()
  const client = new pg.Client({ connectionString: first.url })
  await client.connect()
  await client.query('alter system set track_commit_timestamp = on')
  await client.end()
  await first.stop()
  return start()
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1)
}

function openNeighbours(natsUrl: string) {
  const running = new Map<string, Running>()
  return {
    async of(namespace: string): Promise<ServiceBroker> {
      const known = running.get(namespace) ?? (await joinBus(natsUrl, namespace))
      running.set(namespace, known)
      return known.broker
    },
    async stop() {
      for (const { stop } of running.values()) await stop()
    },
  }
}

// A worker that is held is silent, and is not forgotten for it.
async function joinBus(natsUrl: string, namespace: string): Promise<Running> {
  const config = readConfig({ NATS_URL: natsUrl, OPS_PORT: '0' }, 'embedded')
  const running = await startProcess({
    services: [
      { name: 'outside', storage: null, needsAdminToken: false, dependencies: [], schema: () => ({}) },
    ],
    settings: { ...config, secretKey: SECRET_KEY },
    log: openLog('silent', 'outside'),
    nodeName: 'outside',
    namespace,
  })
  Object.assign(running.broker.registry.nodes, { disableHeartbeatChecks: true })
  return running
}

async function known(broker: ServiceBroker): Promise<void> {
  while (!broker.registry.actions.isAvailable('webhooks.ingest')) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
