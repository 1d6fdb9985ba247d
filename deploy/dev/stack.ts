// `npm run stack`: all services on one machine, one process for each replica, over NATS. A replica that ends is started again,
// as an orchestrator would; Ctrl-C stops all of them in order.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { findNatsServer } from '#runtime/nats-server'
import { stopOnSignal } from '#runtime/signals'
import { banner } from './banner.ts'
import { startBus } from './bus.ts'
import { fillDemo } from '../demo/demo.ts'
import { type Infrastructure, startInfrastructure } from './infrastructure.ts'
import { runtimeEnvironment } from './runtime-environment.ts'
import { registry, type ServiceEntry } from '../registry.ts'

type Replica = { service: ServiceEntry; number: number; port: number | null; opsPort: number }

const READY_WAIT_MS = 90_000
const RESTART_MS = 500
const PORTS_APART = 50 // Gateways with the same port setting listen this far apart, which leaves room for replicas.
const REPLICAS_MAX = 99
const root = join(import.meta.dirname, '../..')

const began = performance.now()
try {
  const replicas = readReplicas()
  const config = readConfig(process.env, 'embedded')
  const log = openLog(config.logLevel, 'stack')
  const nats = config.natsServers === null ? await startNats() : null
  const infrastructure = await startInfrastructure(config, log)
  const given = (config.natsServers ?? []).join(',')
  const natsUrlOf = (service: string) => nats?.urlOf(service) ?? given
  const plan = planReplicas(replicas, { PORT: config.port, ADMIN_PORT: config.adminPort }, config.opsPort)
  const children = plan.map((replica) =>
    supervise(replica, environmentOf(replica, infrastructure, natsUrlOf(replica.service.name))),
  )
  stopOnSignal(async () => {
    await Promise.all(children.map((child) => child.stop()))
    await infrastructure.stop()
    await nats?.stop()
  }, log)
  for (const replica of plan) await untilReady(replica)
  const { adminToken, dataDir, demo } = infrastructure.settings
  const adminUrl = `http://127.0.0.1:${config.adminPort}`
  const keys = demo ? await fillDemo({ adminUrl, adminToken, dataDir }, (line) => log.info(`demo shop: ${line}`)) : null
  process.stdout.write(table(plan, nats === null ? 'as NATS_URL says' : `nats://127.0.0.1:${nats.port}`))
  const seconds = (performance.now() - began) / 1_000
  const mcpUrl = `http://127.0.0.1:${portOf('mcp-gateway', config.port)}`
  process.stdout.write(banner({ publicUrl: config.publicUrl, mcpUrl, adminUrl, adminToken, keys, seconds }))
} catch (error) {
  process.stderr.write(`stack: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

/** Replicas by service, from `--replicas orders=2,rest-gateway=2`; the others run once, 0 leaves a service out. */
function readReplicas(): Map<string, number> {
  const { values } = parseArgs({ options: { replicas: { type: 'string', default: '' } } })
  const counts = new Map(registry.map(({ name }) => [name, 1]))
  for (const part of values.replicas.split(',').filter((text) => text !== '')) {
    const [name = '', count = ''] = part.split('=')
    if (!counts.has(name))
      throw new Error(`--replicas names ${name}, which is none of ${[...counts.keys()].join(', ')}.`)
    const [next] = withSamePort(name).after
    const max = next === undefined ? REPLICAS_MAX : PORTS_APART - 1
    if (!/^\d{1,2}$/.test(count) || Number(count) > max) {
      const reason = `Replica n listens on PORT + n, and ${next?.name} from PORT + ${PORTS_APART} on.`
      throw new Error(`--replicas ${name} must be a number from 0 to ${max}.${next === undefined ? '' : ` ${reason}`}`)
    }
    counts.set(name, Number(count))
  }
  return counts
}

async function startNats() {
  const program = findNatsServer(process.env.PATH ?? '')
  if (program === null)
    throw new Error('NATS_URL is not set and there is no nats-server on the PATH (Debian: nats-server).')
  return startBus(program)
}

// Replica n of a gateway listens on its port + n; operations ports are counted up from OPS_PORT.
function planReplicas(
  counts: Map<string, number>,
  ports: { PORT: number; ADMIN_PORT: number },
  ops: number,
): Replica[] {
  const plan: Replica[] = []
  for (const service of registry) {
    for (let number = 0; number < (counts.get(service.name) ?? 0); number += 1) {
      const port = service.port && portOf(service.name, ports[service.port.setting]) + number
      plan.push({ service, number, port, opsPort: ops + plan.length })
    }
  }
  return plan
}

/** The port of a gateway's replica 0, counted from the value of its setting. */
function portOf(name: string, setting: number): number {
  return setting + PORTS_APART * withSamePort(name).before.length
}

/** The gateways with the same port setting that stand before and after this one in the registry. */
function withSamePort(name: string): { before: ServiceEntry[]; after: ServiceEntry[] } {
  const setting = registry.find((service) => service.name === name)?.port?.setting
  const same = registry.filter(({ port }) => port !== null && port.setting === setting)
  const index = same.findIndex((service) => service.name === name)
  return { before: same.slice(0, Math.max(index, 0)), after: index < 0 ? [] : same.slice(index + 1) }
}

function environmentOf(replica: Replica, { settings }: Infrastructure, natsUrl: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...inPlaceOfFiles({
      NATS_URL: natsUrl,
      DATABASE_URL: settings.databaseUrl,
      SECRET_KEY: settings.secretKey,
      ADMIN_TOKEN: settings.adminToken,
    }),
    ...runtimeEnvironment(join(settings.dataDir, 'compiled')),
    PUBLIC_URL: settings.publicUrl,
    OPS_PORT: String(replica.opsPort),
    ...(replica.service.port && { [replica.service.port.setting]: String(replica.port) }),
  }
}

// A secret that this process read from a file is handed over as a value; setting both is refused.
function inPlaceOfFiles(secrets: Record<string, string>): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.keys(secrets).map((name) => [`${name}_FILE`, ''])), ...secrets }
}

function supervise(replica: Replica, env: NodeJS.ProcessEnv): { stop(): Promise<void> } {
  const program = join(root, 'services', replica.service.name, 'main.ts')
  let stopping = false
  let child: ChildProcess
  const start = () => {
    child = spawn(process.execPath, [program], { env, stdio: 'inherit' })
    child.once('exit', (code, signal) => {
      if (stopping) return
      process.stderr.write(
        `stack: ${replica.service.name} ${replica.number} ended (${signal ?? code}) and is started again\n`,
      )
      setTimeout(() => {
        if (!stopping) start()
      }, RESTART_MS)
    })
  }
  start()
  return {
    stop() {
      stopping = true
      if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
      return new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      })
    },
  }
}

async function untilReady({ service, opsPort }: Replica): Promise<void> {
  const until = Date.now() + READY_WAIT_MS
  let reason = 'it does not answer'
  while (Date.now() < until) {
    try {
      const response = await fetch(`http://127.0.0.1:${opsPort}/readyz`)
      if (response.ok) return
      reason = (await response.text()).trim()
    } catch {
      reason = 'it does not answer'
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${service.name} is not ready: ${reason}.`)
}

function table(plan: Replica[], natsUrl: string): string {
  const rows = plan.map(({ service, number, port, opsPort }) => {
    const address = port === null ? '' : `http://127.0.0.1:${port}`
    return `  ${`${service.name} ${number}`.padEnd(18)} ${address.padEnd(24)} ops http://127.0.0.1:${opsPort}`
  })
  return `\n${rows.join('\n')}\n  ${'nats'.padEnd(18)} ${natsUrl}\n`
}
