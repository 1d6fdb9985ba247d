// Owns the three that are compared, all at once on one machine, one database and the same rows: the floor, the product in one
// process as `npm start` runs it, and the product as separate processes over NATS. Who is not asked just now idles.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { type NatsServer, startNatsServer } from '#runtime/nats-server'
import { asInImage } from '../../deploy/dev/runtime-environment.ts'
import { type Replicas, startReplicas } from '../replicas.ts'

export type FormName = 'floor' | 'one' | 'nats'
export type Form = {
  name: FormName
  ports: { rest: number; mcp: number }
  /** Its processes by name, the database's that work for it included. */
  processes(): Promise<[name: string, pid: number][]>
  /** Where its services tell their measures. */
  measures: [service: string, url: string][]
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '../..')
const READY_MS = 60_000
const NATS_SERVICES = [
  ...['auth', 'catalog', 'orders', 'contacts', 'subscriptions', 'webhooks', 'rest-gateway', 'mcp-gateway'],
]

export type Ground = { databaseUrl: string; database: pg.Client; secretKey: string; folder: string; nodeArgs: string[] }

export async function startFloor(ground: Ground): Promise<Form> {
  const child = begin(['loadtest/bench/floor.ts'], ground, 'floor', 'pipe')
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error('The floor ended.')))
    if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', (line) => resolve(Number(line)))
  })
  return formOf(
    'floor',
    { rest: port, mcp: port },
    ground,
    () => [['process', child.pid ?? 0]],
    [],
    () => end(child),
  )
}

export async function startOneProcess(ground: Ground): Promise<Form> {
  const [port, adminPort, opsPort] = [await freePort(), await freePort(), await freePort()]
  const env = {
    ...{ PORT: String(port), ADMIN_PORT: String(adminPort), OPS_PORT: String(opsPort), DEMO: 'false' },
    ...{ SECRET_KEY: ground.secretKey, ADMIN_TOKEN: 'only-for-this-run', DATA_DIR: join(ground.folder, 'one') },
  }
  const child = begin([...ground.nodeArgs, 'deploy/dev/start.ts'], ground, 'one', 'ignore', env)
  await ready(child, `http://127.0.0.1:${opsPort}/readyz`)
  return formOf(
    'one',
    { rest: port, mcp: port },
    ground,
    () => [['process', child.pid ?? 0]],
    [['one', `http://127.0.0.1:${opsPort}/metrics`]],
    () => end(child),
  )
}

export async function startDistributed(ground: Ground, natsProgram: string): Promise<Form> {
  const nats: NatsServer = await startNatsServer(natsProgram)
  const frugal = asInImage(join(ground.folder, 'compiled'))
  const compiled = spawnSync(process.execPath, ['deploy/image/compile.ts'], { cwd: root, env: frugal })
  if (compiled.status !== 0) throw new Error(`The services could not be compiled: ${String(compiled.stderr)}`)
  const replicas: Replicas = await startReplicas(
    NATS_SERVICES.map((service) => ({ service, count: 1 })),
    {
      ...{ NATS_URL: nats.url, DATABASE_URL: ground.databaseUrl, PGAPPNAME: appName('nats') },
      ...{ SECRET_KEY: ground.secretKey, ADMIN_TOKEN: 'only-for-this-run', DATA_DIR: join(ground.folder, 'nats') },
      ...frugal,
      NODE_OPTIONS: [frugal.NODE_OPTIONS, ...ground.nodeArgs].join(' '), // The last of two that are alike counts.
    },
  )
  const portOf = (service: string) => Number(new URL(replicas.of(service)[0]?.url ?? '').port)
  return formOf(
    'nats',
    { rest: portOf('rest-gateway'), mcp: portOf('mcp-gateway') },
    ground,
    () => [
      ...replicas.all.map((replica): [string, number] => [replica.service, replica.pid()]),
      ['nats-server', nats.pid],
    ],
    replicas.all.map(({ service, opsUrl }) => [service, `${opsUrl}/metrics`]),
    async () => {
      await replicas.stop()
      await nats.stop()
    },
  )
}

function formOf(
  name: FormName,
  ports: Form['ports'],
  { database }: Ground,
  own: () => [string, number][],
  measures: Form['measures'],
  stop: Form['stop'],
): Form {
  return {
    name,
    ports,
    measures,
    stop,
    async processes() {
      const { rows } = await database.query('select pid from pg_stat_activity where application_name = $1', [
        appName(name),
      ])
      return [...own(), ...rows.map(({ pid }): [string, number] => ['postgres', pid])]
    },
  }
}

function begin(
  args: string[],
  { databaseUrl }: Ground,
  name: FormName,
  stdout: 'pipe' | 'ignore',
  env: Record<string, string> = {},
): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', DATABASE_URL: databaseUrl, PGAPPNAME: appName(name), ...env },
    stdio: ['ignore', stdout, 'inherit'],
  })
}

function appName(name: FormName): string {
  return `bench-${name}`
}

async function ready(child: ChildProcess, url: string): Promise<void> {
  const until = Date.now() + READY_MS
  while (Date.now() < until && child.exitCode === null) {
    const isReady = await fetch(url).then(
      (response) => response.ok,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('The product in one process did not become ready.')
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
