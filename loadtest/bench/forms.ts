// The forms that the benchmark compares, all at once on one machine, one database and the same rows: the floor, the product
// in one process as `npm start` runs it, and the product as separate processes over NATS. A form that is not measured idles.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { runtimeEnvironment } from '../../deploy/dev/runtime-environment.ts'
import { type Cluster, startCluster } from '../cluster.ts'
import { type Process, root, startProcesses } from '../process.ts'
import { type Generator, startGenerator } from './measure.ts'
import { seed, type WalkShop } from './seed.ts'

export type FormName = 'floor' | 'one' | 'nats'
export type Form = {
  name: FormName
  ports: { rest: number; mcp: number }
  /** Its processes by name, with the database's that work for it. */
  processes(): Promise<[name: string, pid: number][]>
  /** Where its services publish their metrics. */
  metrics: [service: string, url: string][]
}
export type Bench = { forms: Form[]; generator: Generator; walkShop: WalkShop; stop(): Promise<void> }
/** `walkOrders` is how many orders the shop has that is walked; `nodeOptions` go to the processes of the product. */
type Options = { shops: number; walkOrders: number; nodeOptions?: string }

/** Starts the forms and fills the database; only `nats` stays with `only`. */
export async function openBench({ shops, walkOrders, nodeOptions = '' }: Options, only?: 'nats'): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-bench-'))
  const image = runtimeEnvironment(join(folder, 'compiled'))
  const compiled = spawnSync(process.execPath, ['deploy/image/compile.ts'], { cwd: root, env: image })
  if (compiled.status !== 0) throw new Error(`The services could not be compiled: ${String(compiled.stderr)}`)
  const envOf = (name: FormName) => ({ PGAPPNAME: appName(name), LOG_LEVEL: 'info' })
  say('starting')
  const nats = await startCluster({
    counts: { 'admin-gateway': 0 },
    env: { ...envOf('nats'), ...image, NODE_OPTIONS: `${image.NODE_OPTIONS} ${nodeOptions}` },
  })
  const databaseUrl = nats.databaseUrl()
  const one = await startCluster({
    form: 'one-process',
    databaseUrl,
    env: { ...envOf('one'), NODE_OPTIONS: `${image.NODE_OPTIONS} ${nodeOptions}` },
  })
  say(`filling ${shops} shops`)
  const { shops: filled, walkShop } = await seed(one.client, databaseUrl, { shops, walkOrders })
  const shopsFile = join(folder, 'shops.json')
  writeFileSync(shopsFile, JSON.stringify(filled))
  const floor: Process[] = []
  if (only === 'nats') await one.stop()
  else {
    const plan = { service: 'floor', number: 0, program: 'loadtest/bench/floor.ts', env: {} }
    floor.push(...(await startProcesses([plan], { DATABASE_URL: databaseUrl, PGAPPNAME: appName('floor') })))
  }
  const database = new pg.Client({ connectionString: databaseUrl })
  await database.connect()
  const generator = startGenerator(shopsFile)
  const forms = [
    ...floor.map((process) => formOf('floor', [process], database)),
    ...(only === 'nats' ? [] : [formOf('one', one.processes, database)]),
    formOf('nats', nats.processes, database, nats),
  ]
  return {
    ...{ forms, generator, walkShop },
    async stop() {
      generator.stop()
      await Promise.all(floor.map((process) => process.stop()))
      if (only !== 'nats') await one.stop()
      await database.end()
      await nats.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function formOf(name: FormName, processes: Process[], database: pg.Client, cluster?: Cluster): Form {
  const portOf = (service: string) => {
    const found = processes.find((process) => process.service === service) ?? processes[0]
    return Number(new URL(found?.url ?? '').port)
  }
  return {
    name,
    ports: { rest: portOf('rest-gateway'), mcp: portOf('mcp-gateway') },
    metrics: processes.map(({ service, opsUrl }) => [service, `${opsUrl}/metrics`]),
    async processes() {
      const text = 'select pid from pg_stat_activity where application_name = $1'
      const { rows } = await database.query(text, [appName(name)])
      return [
        ...processes.map((process): [string, number] => [nameOf(process), process.pid()]),
        ...(cluster === undefined ? [] : [['nats-server', cluster.nats.pid()] as [string, number]]),
        ...(rows as { pid: number }[]).map(({ pid }): [string, number] => ['postgres', pid]),
      ]
    },
  }
}

function nameOf({ service }: Process): string {
  return service === 'one' || service === 'floor' ? 'process' : service
}

function appName(name: FormName): string {
  return `bench-${name}`
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
