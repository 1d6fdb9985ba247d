// Owns the life of a process: migrate, connect, join the bus, answer, listen, and the same backwards at the end.
// run.md, "Watching": on SIGTERM readiness goes first, work in flight is finished, the process ends within 25 s.
import { hostname } from 'node:os'
import type { Context, ServiceBroker as Broker, ServiceSchema } from 'moleculer'
import type { CallMeta } from '#contracts/caller'
import { ServiceBroker } from '#contracts/moleculer'
import type { Database } from '#postgres/connect'
import { openPulse } from '#postgres/health-check'
import { answers } from './answer.ts'
import { askOver } from './ask.ts'
import { openBus, natsServers } from './bus.ts'
import type { House, Opened, Service, Settings } from './house.ts'
import type { Log } from '#telemetry/log'
import { openMetrics } from '#telemetry/metrics'
import { NatsTransporter } from './nats-transporter.ts'
import { PacketSerializer } from './packet-serializer.ts'
import { openOps } from './ops.ts'
import { openParts } from './large-response.ts'
import { tracedActions, tracedAsk, tracedDatabase } from './traced.ts'
import { openTracing } from '#telemetry/tracing'

export type Running = {
  nodeId: string
  opsPort: number
  /** The port on which each listening service of this process answers, by service name. */
  ports: Record<string, number>
  broker: Broker
  stop(): Promise<void>
}
type RunOptions = {
  services: Service[]
  settings: Settings
  log: Log
  nodeName?: string
  /** Houses on one bus that must not hear each other have different ones. */
  namespace?: string
  /** How long a process that listens goes on serving after its readiness has gone. */
  noticeMs?: number
}

type Ready = () => Promise<string | null>

const POOL_MAX = 6
const DEPENDENCY_WAIT_MS = 60_000
const SAY_WAITING_MS = 5_000
const ANNOUNCE_MS = 50
let started = 0

/** Starts the given services in this process: with NATS when the settings name servers, else all calls stay inside. */
export async function run({
  services,
  settings,
  log,
  nodeName,
  namespace,
  noticeMs = 0,
}: RunOptions): Promise<Running> {
  started += 1
  const nodeId = `${nodeName ?? services[0]?.name ?? 'storefront'}-${hostname()}-${process.pid}-${started}`
  const metrics = openMetrics()
  const processName = services.length === 1 ? (services[0]?.name ?? 'storefront') : 'storefront'
  const tracing = await openTracing(settings.tracing, { service: processName, nodeId, log, registry: metrics.registry })
  const databases = new Map<Service, Database>()
  for (const service of services) {
    if (service.storage === null) continue
    const database = await openDatabase(service, settings, log)
    databases.set(service, tracing ? tracedDatabase(tracing, database, service.storage.schema) : database)
  }
  const broker = new ServiceBroker(brokerOptions(nodeId, settings, namespace))
  const parts = openParts(settings.natsServers === null ? null : nodeId)
  const bus = openBus(settings.natsServers !== null, metrics, log)
  const plainAsk = askOver(broker, parts, bus)
  const ask = tracing ? tracedAsk(tracing, plainAsk) : plainAsk
  const opened: Opened[] = []
  for (const service of services) {
    const house = houseOf(service)
    const own = await service.open(house)
    opened.push(own)
    broker.createService(schemaOf(service, own))
  }
  if (parts.service !== null) broker.createService(parts.service)

  let reason: string | null = 'starting'
  // What is missing says more than that a process is starting.
  const missing = () => bus.problem() ?? missingAction(broker, services)
  const pulses = [...databases].map(([service, database]) => openPulse(database, service.name))
  const readiness = () => [...pulses, ...opened.map((own) => async () => (await own.ready?.()) ?? null)]
  const ready = async () => missing() ?? reason ?? (await firstReason(readiness()))
  const ops = await openOps({ port: settings.opsPort, metrics, ready, beforeScrape })
  const ports: Record<string, number> = {}
  let stopped: Promise<void> | null = null
  const waiting = setInterval(() => log.warn(`still starting: ${missing() ?? 'its own work'}`), SAY_WAITING_MS)
  try {
    bus.hearFailures(broker)
    await broker.start()
    bus.watch(broker)
    // Ready means announced: a process that were stopped before that would announce itself while it leaves.
    if (settings.natsServers !== null) await new Promise((resolve) => setTimeout(resolve, 2 * ANNOUNCE_MS))
    await waitForActions(broker, services)
    for (const own of opened) await own.start?.()
    for (const [index, own] of opened.entries()) {
      if (own.listen !== undefined) ports[services[index]?.name ?? ''] = await own.listen()
    }
  } catch (error) {
    await stop()
    throw error
  } finally {
    clearInterval(waiting)
  }
  reason = null
  return { nodeId, opsPort: ops.port, ports, broker, stop }

  function stop(): Promise<void> {
    stopped ??= stopOnce()
    return stopped
  }

  async function stopOnce() {
    reason = 'stopping'
    // Balancers look at readiness now and then; until they have, they send more.
    if (Object.keys(ports).length > 0) await new Promise((resolve) => setTimeout(resolve, noticeMs))
    for (const own of opened.toReversed()) await own.stop?.()
    await broker.stop()
    for (const database of databases.values()) await database.close()
    await tracing?.stop()
    await ops.stop()
  }

  function houseOf(service: Service): House {
    return {
      nodeId,
      settings,
      metrics,
      log: log.child({ service: service.name }),
      tracing,
      ask,
      askNode: (action, params, timeoutMs) =>
        bus.whileConnected(() => broker.call(action, params, { timeout: timeoutMs, tracking: false })),
      hint: (event, body) => void broker.broadcast(event, body),
      database() {
        const database = databases.get(service)
        if (database === undefined) throw new Error(`The service ${service.name} keeps no rows.`)
        return database
      },
    }
  }

  function schemaOf(service: Service, own: Opened): ServiceSchema {
    const nodeHandlers = Object.entries(own.nodeHandlers ?? {}).map(([name, handler]) => [
      name,
      { handler: (ctx: Context<unknown, CallMeta>) => handler(ctx.params) },
    ])
    const hints = Object.entries(own.hints ?? {}).map(([name, handler]) => [
      name,
      { handler: (ctx: Context<unknown>) => handler(ctx.params) },
    ])
    const actions = answers(own.handlers ?? {}, { parts, metrics, log })
    return {
      name: service.name,
      settings: { $noServiceNamePrefix: true },
      actions: { ...(tracing ? tracedActions(tracing, actions) : actions), ...Object.fromEntries(nodeHandlers) },
      events: Object.fromEntries(hints),
    }
  }

  function beforeScrape() {
    for (const [service, database] of databases) {
      const use = database.poolUse()
      for (const [state, count] of Object.entries(use)) metrics.pool.set({ schema: service.name, state }, count)
    }
  }
}

/** Stops on SIGTERM and SIGINT, within 25 s; a second signal ends at once. */
export function stopOnSignal(stop: () => Promise<void>, log: Log): void {
  let stopping = false
  const onSignal = (signal: string) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(1), 25_000).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

async function openDatabase(service: Service, settings: Settings, log: Log): Promise<Database> {
  if (service.storage === null || settings.databaseUrl === null)
    throw new Error(`The service ${service.name} needs DATABASE_URL.`)
  // Loaded where it is needed: a gateway keeps no rows, and 30 MB of its memory would be the way to them.
  const [{ connect }, { migrate }] = await Promise.all([import('#postgres/connect'), import('#postgres/migrate')])
  const { role, applied } = await migrate(service.storage, settings.databaseUrl)
  if (applied.length > 0) log.info({ schema: service.storage.schema, applied }, 'migrated')
  return connect(service.storage, {
    url: settings.databaseUrl,
    role,
    connectionsMax: POOL_MAX,
    statementTimeoutMs: 15_000,
    onError: (error) => log.warn({ error, schema: service.storage?.schema }, 'a database connection broke'),
  })
}

// design/speed.md 2.3 says why each of these is as it is.
function brokerOptions(nodeID: string, settings: Settings, namespace = 'storefront') {
  const servers = settings.natsServers
  return {
    nodeID,
    namespace,
    logger: false as const,
    internalServices: false,
    validator: false as const,
    skipProcessEventRegistration: true,
    requestTimeout: 3_000,
    tracking: { enabled: true, shutdownTimeout: 10_000 },
    heartbeatInterval: 2,
    heartbeatTimeout: 6,
    ...(servers === null
      ? {}
      : {
          serializer: new PacketSerializer(),
          disableBalancer: true, // Without a bus it would break every call.
          transit: { serviceChangedDebounceTime: ANNOUNCE_MS, maxQueueSize: 2_000 },
          transporter: new NatsTransporter({
            ...natsServers(servers),
            name: nodeID,
            reconnectTimeWait: 250,
            pingInterval: 5_000,
            maxPingOut: 2,
            maxReconnectAttempts: -1,
          }),
        }),
  }
}

async function waitForActions(broker: Broker, services: Service[]): Promise<void> {
  const wanted = new Set(services.flatMap((service) => service.calls))
  const until = Date.now() + DEPENDENCY_WAIT_MS
  for (const action of wanted) {
    while (!answered(broker, action)) {
      if (Date.now() > until) throw new Error(`Nobody answers ${action}; start the service that owns it.`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

function answered(broker: Broker, action: string): boolean {
  return broker.registry.actions.isAvailable(action)
}

function missingAction(broker: Broker, services: Service[]): string | null {
  const missing = services.flatMap((service) => service.calls).find((action) => !answered(broker, action))
  return missing === undefined ? null : `nobody answers ${missing}`
}

async function firstReason(answers: Ready[]): Promise<string | null> {
  const reasons = await Promise.all(answers.map((answer) => answer()))
  return reasons.find((reason) => reason !== null) ?? null
}
