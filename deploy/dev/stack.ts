// Owns `npm run stack`: the distributed form on one machine, one process for each service replica over NATS.
// run.md, Commands. A replica that dies is started again, as an orchestrator would; Ctrl-C stops all in order.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { findNatsServer, startNatsServer } from '#runtime/nats-server'
import { stopOnSignal } from '#runtime/signals'
import { banner } from './banner.ts'
import { fillDemo } from '../demo/demo.ts'
import { asInImage } from './runtime-environment.ts'
import { type Ground, prepareGround } from './infrastructure.ts'
import { services } from '../services.ts'

type Replica = { service: string; number: number; port: number | null; opsPort: number }

const READY_WAIT_MS = 90_000
const AGAIN_MS = 500
const MCP_PORT_AHEAD = 50 // Its ports begin this far above PORT: space for replicas of the REST gateway.
const REST_REPLICAS = ` Replica n listens on PORT + n, and from PORT + ${MCP_PORT_AHEAD} on the MCP gateway does.`
const root = join(import.meta.dirname, '../..')

const began = performance.now()
try {
  const replicas = readReplicas()
  const config = readConfig(process.env, 'embedded')
  const log = openLog(config.logLevel, 'stack')
  const nats = config.natsServers === null ? await ownNats() : null
  const ground = await prepareGround(config, log)
  const natsUrl = nats?.url ?? (config.natsServers ?? []).join(',')
  const plan = planReplicas(replicas, config.port, config.adminPort, config.opsPort)
  const children = plan.map((replica) => supervise(replica, environmentOf(replica, ground, natsUrl)))
  stopOnSignal(async () => {
    await Promise.all(children.map((child) => child.stop()))
    await ground.stop()
    await nats?.stop()
  }, log)
  for (const replica of plan) await untilReady(replica)
  const { adminToken, dataDir, demo } = ground.settings
  const adminUrl = `http://127.0.0.1:${config.adminPort}`
  const keys = demo ? await fillDemo({ adminUrl, adminToken, dataDir }, (line) => log.info(`demo shop: ${line}`)) : null
  process.stdout.write(table(plan, natsUrl))
  const seconds = (performance.now() - began) / 1_000
  const mcpUrl = `http://127.0.0.1:${config.port + MCP_PORT_AHEAD}`
  process.stdout.write(banner({ publicUrl: config.publicUrl, mcpUrl, adminUrl, adminToken, keys, seconds }))
} catch (error) {
  process.stderr.write(`stack: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

/** `--replicas orders=2,rest-gateway=2`; services that are not named run once, `=0` leaves one out. */
function readReplicas(): Map<string, number> {
  const { values } = parseArgs({ options: { replicas: { type: 'string', default: '' } } })
  const counts = new Map(services.map((service) => [service.name, 1]))
  for (const part of values.replicas.split(',').filter((text) => text !== '')) {
    const [name = '', count = ''] = part.split('=')
    if (!counts.has(name))
      throw new Error(`--replicas names ${name}, which is none of ${[...counts.keys()].join(', ')}.`)
    const max = name === 'rest-gateway' ? MCP_PORT_AHEAD - 1 : 99
    if (!/^\d{1,2}$/.test(count) || Number(count) > max)
      throw new Error(`--replicas ${name} must be a number from 0 to ${max}.${max === 99 ? '' : REST_REPLICAS}`)
    counts.set(name, Number(count))
  }
  return counts
}

async function ownNats() {
  const program = findNatsServer(process.env.PATH ?? '')
  if (program === null)
    throw new Error('NATS_URL is not set and there is no nats-server on the PATH (Debian: nats-server).')
  return startNatsServer(program)
}

// Replica n of a gateway listens on its port + n; operations ports are counted up from OPS_PORT in the order of the table.
function planReplicas(counts: Map<string, number>, port: number, adminPort: number, opsPort: number): Replica[] {
  const first: Record<string, number> = {
    'rest-gateway': port,
    'mcp-gateway': port + MCP_PORT_AHEAD,
    'admin-gateway': adminPort,
  }
  const plan: Replica[] = []
  for (const [service, count] of counts) {
    for (let number = 0; number < count; number += 1) {
      const base = first[service]
      plan.push({ service, number, port: base === undefined ? null : base + number, opsPort: opsPort + plan.length })
    }
  }
  return plan
}

function environmentOf(replica: Replica, { settings }: Ground, natsUrl: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...inPlaceOfFiles({
      NATS_URL: natsUrl,
      DATABASE_URL: settings.databaseUrl,
      SECRET_KEY: settings.secretKey,
      ADMIN_TOKEN: settings.adminToken,
    }),
    ...asInImage(join(settings.dataDir, 'compiled')),
    PUBLIC_URL: settings.publicUrl,
    OPS_PORT: String(replica.opsPort),
    ...(isPublic(replica) ? { PORT: String(replica.port) } : {}),
    ...(replica.service === 'admin-gateway' ? { ADMIN_PORT: String(replica.port) } : {}),
  }
}

// What was read from a file here is handed over itself; both at once would be refused.
function inPlaceOfFiles(secrets: Record<string, string>): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.keys(secrets).map((name) => [`${name}_FILE`, ''])), ...secrets }
}

function isPublic({ service }: Replica): boolean {
  return service === 'rest-gateway' || service === 'mcp-gateway'
}

function supervise(replica: Replica, env: NodeJS.ProcessEnv): { stop(): Promise<void> } {
  const program = join(root, 'services', replica.service, 'main.ts')
  let stopping = false
  let child: ChildProcess
  const begin = () => {
    child = spawn(process.execPath, [program], { env, stdio: 'inherit' })
    child.once('exit', (code, signal) => {
      if (stopping) return
      process.stderr.write(
        `stack: ${replica.service} ${replica.number} ended (${signal ?? code}) and is started again\n`,
      )
      setTimeout(() => {
        if (!stopping) begin()
      }, AGAIN_MS)
    })
  }
  begin()
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
  throw new Error(`${service} is not ready: ${reason}.`)
}

function table(plan: Replica[], natsUrl: string): string {
  const rows = plan.map(({ service, number, port, opsPort }) => {
    const address = port === null ? '' : `http://127.0.0.1:${port}`
    return `  ${`${service} ${number}`.padEnd(18)} ${address.padEnd(24)} ops http://127.0.0.1:${opsPort}`
  })
  return `\n${rows.join('\n')}\n  ${'nats'.padEnd(18)} ${natsUrl}\n`
}
