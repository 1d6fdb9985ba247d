// `npm run stack`: all services on one machine, one process for each replica, over NATS. A process that ends is started again, as an
// orchestrator would; a signal stops all of them in order.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig, urlHost } from '#config/config'
import { failToStart, stopOnSignal } from '#runtime/process-end'
import { openLog } from '#telemetry/log'
import { banner } from './banner.ts'
import { openDemo } from '../demo/demo.ts'
import { fillDemoShop, signInUrlOf } from './demo-shop.ts'
import { type DemoReceiver, openDemoReceiver, RECEIVER_PORT } from '../demo/receiver.ts'
import { type Infrastructure, startInfrastructure } from './infrastructure.ts'
import { buildConsole } from '../../console/build.ts'
import { planReplicas, portOf, readReplicas, type Replica } from './replicas.ts'
import { runtimeEnvironment } from './runtime-environment.ts'
import { superviseNats, superviseReplica } from './supervise.ts'

const READY_WAIT_MS = 90_000
const STOP_MS = 9_000
// Gateways stop first, and last the services that the others call until their end. The times bound each turn.
const LAST = ['auth', 'webhooks']
const turns = [
  { withinMs: 4_500, has: ({ service }: Replica) => service.kind === 'gateway' },
  { withinMs: 1_200, has: ({ service }: Replica) => service.kind === 'domain' && !LAST.includes(service.name) },
  { withinMs: 1_200, has: ({ service }: Replica) => LAST.includes(service.name) },
]

const stops: (() => Promise<unknown>)[] = []
let stopping: AbortSignal | null = null
try {
  const replicas = readReplicas()
  const config = readConfig(process.env, 'embedded')
  await buildConsole()
  const log = openLog(config.logLevel, 'stack')
  const stop = async () => {
    for (const end of stops.toReversed()) await end()
  }
  const signal = stopOnSignal(stop, log, { withinMs: STOP_MS, withParent: process.env.npm_lifecycle_event === 'stack' })
  stopping = signal
  const nats = config.natsServers === null ? await superviseNats() : null
  if (nats !== null) stops.push(nats.stop)
  const infrastructure = await startInfrastructure(config, log)
  stops.push(infrastructure.stop)
  signal.throwIfAborted()
  const receiver = config.demo ? await openDemoReceiver(RECEIVER_PORT) : null
  if (receiver !== null) stops.push(receiver.stop)
  const given = (config.natsServers ?? []).join(',')
  const natsUrlOf = (service: string) => nats?.urlOf(service) ?? given
  const plan = planReplicas(replicas, { PORT: config.port, ADMIN_PORT: config.adminPort }, config.opsPort)
  const running = plan.map((replica) => ({
    replica,
    ...superviseReplica(replica, {
      env: environmentOf(replica, infrastructure, natsUrlOf(replica.service.name)),
      args: argumentsOf(replica, receiver),
    }),
  }))
  for (const { withinMs, has } of turns.toReversed()) {
    const ending = running.filter(({ replica }) => has(replica))
    stops.push(() => Promise.all(ending.map((one) => one.stop(withinMs))))
  }
  const host = urlHost(config.host)
  await Promise.all(plan.map((replica) => untilReady(replica, host, signal)))
  const { adminToken, dataDir, demo, publicUrl } = infrastructure.settings
  const adminUrl = `http://${host}:${config.adminPort}`
  const admin = { adminUrl, adminToken, dataDir, signal }
  const shop = demo ? await openDemo(admin) : null
  process.stdout.write(table(plan, host, nats === null ? 'as NATS_URL says' : `nats://127.0.0.1:${nats.port}`))
  const seconds = performance.now() / 1_000 // Since the process began.
  const mcpUrl = `http://${host}:${portOf('mcp-gateway', config.port)}`
  const signInUrl = signInUrlOf(shop, config.consoleUrl ?? adminUrl)
  process.stdout.write(
    banner({ publicUrl, mcpUrl, adminUrl, adminToken, signInUrl, keys: shop?.keys ?? null, seconds }),
  )
  if (shop !== null && receiver !== null) {
    const around = { restUrl: `http://${host}:${portOf('rest-gateway', config.port)}`, mcpUrl, receiver }
    await fillDemoShop(admin, shop, around, log)
  }
} catch (error) {
  if (stopping?.aborted !== true) failToStart('stack', error)
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
    HOST: settings.host,
    PUBLIC_URL: settings.publicUrl,
    OPS_PORT: String(replica.opsPort),
    ...(replica.service.port && { [replica.service.port.setting]: String(replica.port) }),
  }
}

// Webhooks may be sent to the receiver of this process; no setting says that (docs/spec/webhooks.md#url-rules).
function argumentsOf({ service }: Replica, receiver: DemoReceiver | null): string[] {
  return service.name === 'webhooks' && receiver !== null ? [receiver.origin] : []
}

// A secret that this process read from a file is passed on as a value; setting both is refused.
function inPlaceOfFiles(secrets: Record<string, string>): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.keys(secrets).map((name) => [`${name}_FILE`, ''])), ...secrets }
}

async function untilReady({ service, opsPort }: Replica, host: string, signal: AbortSignal): Promise<void> {
  const until = Date.now() + READY_WAIT_MS
  let reason = 'it does not answer'
  while (Date.now() < until) {
    try {
      const response = await fetch(`http://${host}:${opsPort}/readyz`)
      if (response.ok) return
      reason = (await response.text()).trim()
    } catch {
      reason = 'it does not answer'
    }
    await sleep(50, undefined, { signal })
  }
  throw new Error(`${service.name} is not ready: ${reason}.`)
}

function table(plan: Replica[], host: string, natsUrl: string): string {
  const rows = plan.map(({ service, number, port, opsPort }) => {
    const address = port === null ? '' : `http://${host}:${port}`
    return `  ${`${service.name} ${number}`.padEnd(18)} ${address.padEnd(24)} ops http://${host}:${opsPort}`
  })
  return `\n${rows.join('\n')}\n  ${'nats'.padEnd(18)} ${natsUrl}\n`
}
