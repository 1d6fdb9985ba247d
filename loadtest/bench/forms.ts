// The forms that the benchmark compares, all at once on one machine and one PostgreSQL: the floor, the product in one process as
// `npm start` runs it, and the product as separate processes over NATS. A form that is not measured idles. Each has a database of its own
// with the same rows, so that none relays what another one wrote.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { EVENTS_TOPIC, outboxTopics } from '#contracts/outbox-messages'
import { startEmbedded } from '#postgres/embedded/embedded'
import { runtimeEnvironment } from '../../deploy/dev/runtime-environment.ts'
import { type Cluster, startCluster } from '../cluster.ts'
import { type Process, root, startProcesses } from '../process.ts'
import type { Form, FormName, Product } from './form.ts'
import { type Measure, openMeasure } from './measure.ts'
import { seed, seedWalk, type WalkShop } from './seed.ts'
import { openUnshipped, seedOffice } from './writes/seed.ts'

/** `products` are the forms without the floor. */
export type Bench = {
  forms: Form[]
  products: Product[]
  measure: Measure
  walkShop: WalkShop | null
  stop(): Promise<void>
}
/** `walkOrders`: how many orders the shop of the walk has, 0 for no such shop; `nodeOptions` go to the processes of the product. */
type Options = { shops: number; walkOrders: number; nodeOptions?: string }

const RELAYED_MS = 120_000
const LOOK_MS = 20
const WAITING = `select ${Object.entries(outboxTopics)
  .flatMap(([schema, topics]: [string, readonly string[]]) => [
    `exists (select from ${schema}.outbox where sent_at is null)`,
    ...(topics.includes(EVENTS_TOPIC) ? [`exists (select from ${schema}.events where published_at is null)`] : []),
  ])
  .join(' or ')} as waits`

/** Fills the database and starts the forms; only `nats` with `only`. */
export async function openBench({ shops, walkOrders, nodeOptions = '' }: Options, only?: 'nats'): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-bench-'))
  const image = runtimeEnvironment(join(folder, 'compiled'))
  const compiled = spawnSync(process.execPath, ['deploy/image/compile.ts'], { cwd: root, env: image })
  if (compiled.status !== 0) throw new Error(`The services could not be compiled: ${String(compiled.stderr)}`)
  const server = await startEmbedded({ dataDir: join(folder, 'data'), log: () => undefined })
  // What ends the bench, in order.
  const ends: (() => Promise<unknown>)[] = [
    () => server.stop(),
    async () => rmSync(folder, { recursive: true, force: true }),
  ]
  const urlOf = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href

  say(`filling ${shops} shops`)
  const filler = await startCluster({ form: 'one-process', databaseUrl: server.url })
  const filled = await underConnection(server.url, async (db) => {
    const client = await seed(filler.client, db, shops)
    const office = await seedOffice(filler.client, db)
    await db.query('vacuum analyze')
    return { client, office }
  })
  await filler.stop()
  const names: FormName[] = only === undefined ? ['floor', 'one', 'nats'] : [only]
  await underConnection(urlOf('postgres'), async (db) => {
    for (const name of names) await db.query(`create database ${name} template storefront`)
  })

  say('starting')
  const options = { LOG_LEVEL: 'info', NODE_OPTIONS: `${image.NODE_OPTIONS} ${nodeOptions}` }
  const natsEnv = { ...image, ...options, PGAPPNAME: 'bench-nats' }
  const nats = await startCluster({ databaseUrl: urlOf('nats'), env: natsEnv })
  ends.unshift(() => nats.stop())
  const products: Product[] = [{ ...(await formOf('nats', nats.processes, nats)), client: nats.client }]
  const forms: Form[] = [...products]
  if (only === undefined) {
    // `npm start` sets no flag of Node, and neither does the floor; the image does.
    const env = { ...options, NODE_OPTIONS: nodeOptions, PGAPPNAME: 'bench-one' }
    const one = await startCluster({ form: 'one-process', databaseUrl: urlOf('one'), env })
    const ofFloor = [{ DATABASE_URL: urlOf('floor'), PGAPPNAME: 'bench-floor' }]
    const floor = await startProcesses([
      { service: 'floor', number: 0, program: 'loadtest/bench/floor.ts', env: ofFloor },
    ])
    ends.unshift(() => one.stop(), ...floor.map((process) => () => process.stop()))
    products.unshift({ ...(await formOf('one', one.processes)), client: one.client })
    forms.splice(0, forms.length, await formOf('floor', floor), ...products)
  }
  return {
    forms,
    products,
    measure: openMeasure(filled.client.shops, filled.office.shops),
    walkShop:
      walkOrders === 0
        ? null
        : await underConnection(urlOf('one'), (db) => seedWalk(db, filled.client.template, walkOrders)),
    async stop() {
      for (const end of ends) await end()
    },
  }

  async function formOf(name: FormName, own: Process[], cluster?: Cluster): Promise<Form> {
    const db = await connect(urlOf(name))
    ends.unshift(() => db.end())
    const [first] = own
    if (first === undefined) throw new Error(`${name} has no process.`)
    const portOf = (wanted: string, otherwise = first.url) =>
      Number(new URL(own.find(({ service }) => service === wanted)?.url ?? otherwise).port)
    return {
      name,
      services: own,
      ports: {
        rest: portOf('rest-gateway'),
        mcp: portOf('mcp-gateway'),
        admin: portOf('admin-gateway', name === 'floor' ? first.url : first.adminUrl),
      },
      unshipped: openUnshipped(db, filled.office.template, filled.office.shops),
      query: async <Row>(text: string, values: unknown[] = []) => (await db.query(text, values)).rows as Row[],
      async relayed() {
        if (name === 'floor') return
        for (const end = Date.now() + RELAYED_MS; ; await sleep(LOOK_MS)) {
          const { rows } = await db.query(WAITING)
          if ((rows as { waits: boolean }[])[0]?.waits !== true) return
          if (Date.now() > end) throw new Error(`${name}: messages wait for more than two minutes.`)
        }
      },
      async processes() {
        const text = 'select pid from pg_stat_activity where application_name = $1'
        const { rows } = await db.query(text, [`bench-${name}`])
        return [
          ...own.map(({ service, pid }): [string, number] => [name === 'nats' ? service : 'process', pid()]),
          ...(cluster === undefined ? [] : [['nats-server', cluster.nats().pid()] as [string, number]]),
          ...(rows as { pid: number }[]).map(({ pid }): [string, number] => ['postgres', pid]),
        ]
      },
    }
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const db = new pg.Client({ connectionString })
  await db.connect()
  return db
}

async function underConnection<Result>(url: string, work: (db: pg.Client) => Promise<Result>): Promise<Result> {
  const db = await connect(url)
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
