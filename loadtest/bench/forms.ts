// The forms that the benchmark compares, all at once on one machine, one database and the same rows: the floor, the product
// in one process as `npm start` runs it, and the product as separate processes over NATS. A form that is not measured idles.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runtimeEnvironment } from '../../deploy/dev/runtime-environment.ts'
import { startCluster } from '../cluster.ts'
import { type Process, root, startProcesses } from '../process.ts'
import type { Form, FormName } from './form.ts'
import { type Measure, openMeasure } from './measure.ts'
import { seed, type WalkShop } from './seed.ts'

export type Bench = { forms: Form[]; measure: Measure; walkShop: WalkShop; stop(): Promise<void> }
/** `walkOrders` is how many orders the shop has that is walked; `nodeOptions` go to the processes of the product. */
type Options = { shops: number; walkOrders: number; nodeOptions?: string }

/** Starts the forms and fills the database; only `nats` with `only`. */
export async function openBench({ shops, walkOrders, nodeOptions = '' }: Options, only?: 'nats'): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-bench-'))
  const image = runtimeEnvironment(join(folder, 'compiled'))
  const compiled = spawnSync(process.execPath, ['deploy/image/compile.ts'], { cwd: root, env: image })
  if (compiled.status !== 0) throw new Error(`The services could not be compiled: ${String(compiled.stderr)}`)
  const options = { LOG_LEVEL: 'info', NODE_OPTIONS: `${image.NODE_OPTIONS} ${nodeOptions}` }
  say('starting')
  const nats = await startCluster({ env: { ...image, ...options, PGAPPNAME: 'bench-nats' } })
  const DATABASE_URL = nats.databaseUrl()
  // What ends the other forms, in order.
  const ends: (() => Promise<unknown>)[] = [
    () => nats.stop(),
    async () => rmSync(folder, { recursive: true, force: true }),
  ]
  // Only the filling goes through the back office.
  const services = nats.processes.filter(({ service }) => service !== 'admin-gateway')
  const forms = [formOf('nats', services)]
  if (only === undefined) {
    // `npm start` sets no flag of Node, and neither does the floor; the image does.
    const env = { ...options, NODE_OPTIONS: nodeOptions, PGAPPNAME: 'bench-one' }
    const one = await startCluster({ form: 'one-process', databaseUrl: DATABASE_URL, env })
    const ofFloor = [{ DATABASE_URL, PGAPPNAME: 'bench-floor' }]
    const floor = await startProcesses([
      { service: 'floor', number: 0, program: 'loadtest/bench/floor.ts', env: ofFloor },
    ])
    forms.unshift(formOf('floor', floor), formOf('one', one.processes))
    ends.unshift(() => one.stop(), ...floor.map((process) => () => process.stop()))
  }
  say(`filling ${shops} shops`)
  const filled = await seed(nats.client, DATABASE_URL, { shops, walkOrders })
  return {
    forms,
    measure: openMeasure(filled.shops),
    walkShop: filled.walkShop,
    async stop() {
      for (const end of ends) await end()
    },
  }

  function formOf(name: FormName, own: Process[]): Form {
    const portOf = (wanted: string) => {
      const found = own.find(({ service }) => service === wanted) ?? own[0]
      return Number(new URL(found?.url ?? '').port)
    }
    return {
      name,
      services: own,
      ports: { rest: portOf('rest-gateway'), mcp: portOf('mcp-gateway') },
      async processes() {
        const text = 'select pid from pg_stat_activity where application_name = $1'
        const connections = await nats.query<{ pid: number }>(text, [`bench-${name}`])
        return [
          ...own.map(({ service, pid }): [string, number] => [name === 'nats' ? service : 'process', pid()]),
          ...(name === 'nats' ? [['nats-server', nats.nats().pid()] as [string, number]] : []),
          ...connections.map(({ pid }): [string, number] => ['postgres', pid]),
        ]
      },
    }
  }
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
