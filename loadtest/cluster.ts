// Starts the product as real processes for load and fault programs: the distributed form (`services/*/main.ts` over NATS)
// or the one-process form (`deploy/dev/start.ts`), with a PostgreSQL and a NATS of its own, all on the loopback. A process
// that ends is started again on its ports, as an orchestrator would. Everything ends with the calling process.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '#postgres/embedded/embedded'
import { findNatsServer } from '#local-servers/nats-server'
import { type Bus, startBus } from '../deploy/dev/bus.ts'
import { runtimeEnvironment } from '../deploy/dev/runtime-environment.ts'
import { type Client, openClient } from './client.ts'
import { type Env, type Process, root, startProcesses } from './process.ts'

export type Cluster = {
  /** Working folder of everything, removed at the end. */
  folder: string
  processes: Process[]
  /** The replicas of a service; in one process every name returns that one. */
  of(service: string): Process[]
  client: Client
  databaseUrl(): string
  /** A connection of the caller's own, as the owner of the database. */
  session(): Promise<pg.Client>
  /** Runs a statement as the owner of the database; repeats it for half a minute while the database is away. */
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** The NATS server; throws in one process. */
  nats(): Bus
  /** Kills PostgreSQL at once (SIGQUIT to the postmaster); it is started again on its port and recovers from its log. */
  killDatabase(): void
  /** Resolves with the exit status of every process. */
  stop(): Promise<(number | null)[]>
}
export type ClusterOptions = {
  form?: 'distributed' | 'one-process'
  /** Replicas of each service, and of those that have another number. */
  replicas?: number
  counts?: Record<string, number>
  /** Settings of all processes. */
  env?: Env
  /** Settings of services by name, and of replicas (`orders 1`), read again at each start; made when NATS and the database run. */
  own?(natsUrlOf: (service: string) => string, databaseUrl: string): Promise<Record<string, Env>>
  /** The root of the checkout from which a process runs, asked at each start; this one where it is absent. */
  tree?(service: string, number: number): string
  /** A database that runs already, instead of one of its own. */
  databaseUrl?: string
}

export const ADMIN_TOKEN = 'only-for-this-run-0123456789abcdef'
export const SECRET_KEY = 'a secret of at least 32 characters.'
export const isGateway = (service: string) => service.endsWith('-gateway')
/** Every service of the product, gateways last. */
export const serviceNames = readdirSync(join(root, 'services'))
  .filter((name) => existsSync(join(root, 'services', name, 'main.ts')))
  .toSorted((a, b) => Number(isGateway(a)) - Number(isGateway(b)) || a.localeCompare(b))

/** What the image tells Node; the distributed form runs with it. */
export const { NODE_OPTIONS: imageOptions } = runtimeEnvironment('')

/** Where programs of the machine are looked for. */
export const childPath = process.env.PATH ?? ''

const QUERY_MS = 30_000
// Where the caller keeps compiled code, as the image does, a process need not compile the product again.
const { NODE_COMPILE_CACHE } = process.env
const folders = new Set<string>()

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 50 })
})

/** Starts all processes and waits until each is ready. What they write to stderr goes to the caller's. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { form = 'distributed', replicas = 1, counts = {} } = options
  const folder = mkdtempSync(join(tmpdir(), 'storefront-cluster-'))
  folders.add(folder)
  const dataDir = join(folder, 'data')
  const isDistributed = form === 'distributed'
  const nats = isDistributed ? await startBus(requireNatsServer(), undefined, { pings: true }) : null
  process.once('exit', () => void nats?.kill())
  const needsDatabase = isDistributed && options.databaseUrl === undefined
  const database = needsDatabase ? await startEmbedded({ dataDir, log: () => undefined }) : null
  const givenUrl = options.databaseUrl ?? database?.url
  const own = (await options.own?.((service) => nats?.urlOf(service) ?? '', givenUrl ?? '')) ?? {}
  const shared: Env = {
    SECRET_KEY,
    ADMIN_TOKEN,
    DATA_DIR: dataDir,
    TMPDIR: folder,
    LOG_LEVEL: 'fatal',
    DEMO: 'false',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
    ...(isDistributed ? { NODE_OPTIONS: imageOptions } : {}),
    ...(givenUrl === undefined ? {} : { DATABASE_URL: givenUrl }),
    ...options.env,
  }
  const plans = (isDistributed ? serviceNames : ['one']).flatMap((service) =>
    Array.from({ length: counts[service] ?? replicas }, (_, number) => {
      const bus: Env = nats === null ? {} : { NATS_URL: nats.urlOf(service) }
      const env = [shared, bus, own[service] ?? {}, own[`${service} ${number}`] ?? {}]
      const program = isDistributed ? `services/${service}/main.ts` : 'deploy/dev/start.ts'
      const tree = options.tree && (() => options.tree?.(service, number) ?? root)
      return { service, number, program, env, tree }
    }),
  )
  const processes = await startProcesses(plans)
  const of = (name: string) => (isDistributed ? processes.filter(({ service }) => service === name) : processes)
  const databaseUrl = () => givenUrl ?? embeddedUrl(dataDir)

  async function session(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: databaseUrl() })
    client.on('error', () => undefined) // Faults cut connections; the next statement fails and reports it.
    await client.connect()
    return client
  }

  return {
    folder,
    processes,
    of,
    databaseUrl,
    session,
    client: openClient(of, ADMIN_TOKEN),
    async query<Row>(text: string, values: unknown[] = []) {
      for (const end = Date.now() + QUERY_MS; ; await sleep(200)) {
        try {
          const client = await session()
          try {
            return (await client.query(text, values)).rows as Row[]
          } finally {
            await client.end().catch(() => undefined) // It may be gone already.
          }
        } catch (error) {
          if (Date.now() > end) throw error
        }
      }
    },
    nats() {
      if (nats === null) throw new Error('There is no NATS in one process.')
      return nats
    },
    killDatabase: () => void process.kill(Number(postmaster(dataDir)[0]), 'SIGQUIT'),
    async stop() {
      const codes = await Promise.all(processes.map((one) => one.stop()))
      await nats?.stop()
      await database?.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 50 })
      return codes
    },
  }
}

function requireNatsServer(): string {
  const program = findNatsServer(childPath)
  if (program !== null) return program
  process.stderr.write('There is no nats-server on the PATH (Debian: nats-server).\n')
  return process.exit(1)
}

function postmaster(dataDir: string): string[] {
  return readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')
}

function embeddedUrl(dataDir: string): string {
  const password = readFileSync(join(dataDir, 'postgres/password'), 'utf8').trim()
  return `postgres://storefront:${password}@127.0.0.1:${postmaster(dataDir)[3]}/storefront`
}
