// The life of a process: it migrates and connects the databases, joins the bus, starts its services, and undoes this in reverse order
// at its end. On SIGTERM readiness goes first and requests in flight are finished (docs/spec/running.md#watching).
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceBroker, ServiceSchema } from 'moleculer'
import { repeatCalls } from '#calls/repeat-calls'
import type { Database } from '#postgres/connect'
import type { TracingConfig } from '#config/config'
import { callsOf } from '#contracts/calls'
import { openHealthCheck } from '#postgres/health-check'
import { type Log, routineLevel } from '#telemetry/log'
import { openMetrics } from '#telemetry/metrics'
import { tracedDatabase } from '#telemetry/traced-database'
import type { Traced, Tracing } from '#telemetry/tracing'
import { ANNOUNCE_MS, createBroker } from './broker.ts'
import { openBusConnection } from './bus-connection.ts'
import { openClaims } from './claims.ts'
import { openDependencies, unavailableIn } from './dependencies.ts'
import { openKeyUses } from './key-uses.ts'
import { handleAction } from './middlewares/handle-action.ts'
import { largeMessages } from './middlewares/large-response.ts'
import { traceCalls } from './middlewares/tracing.ts'
import { openOperationsPort } from './operations-port.ts'
import type { Call, ServiceContext, ServiceDefinition, Settings } from './service.ts'

export type RunningProcess = {
  nodeId: string
  opsPort: number
  /** The port of each service of this process that listens, by service name. */
  ports: Record<string, number>
  broker: ServiceBroker
  stop(): Promise<void>
}
type ProcessOptions = {
  services: ServiceDefinition[]
  settings: Settings
  log: Log
  /** Separates groups of processes on one bus. */
  namespace?: string
  /** How long a process that listens goes on serving after its readiness has gone. */
  noticeMs?: number
}
type Check = () => Promise<string | null>

const POOL_MAX = 6
const STATEMENT_TIMEOUT_MS = 15_000
const SAY_WAITING_MS = 5_000
let processes = 0

/** Starts the given services in this process: over NATS where the settings name servers, else all calls stay inside. */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const { services, settings, log, namespace = 'storefront', noticeMs = 0 } = options
  processes += 1
  const processName = services.length === 1 ? (services[0]?.name ?? 'storefront') : 'storefront'
  // The service and one more token of a NATS subject, so that permissions can name all nodes of a service (deploy/bus-logins.ts).
  const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, '-')
  const nodeId = `${services[0]?.name ?? 'storefront'}.${host}-${process.pid}-${processes}`
  const metrics = openMetrics()
  const traced = { service: processName, nodeId, log, registry: metrics.registry }
  const tracing = settings.tracing === null ? undefined : await openTracing(settings.tracing, traced)
  const databases = new Map<string, Database>()
  const open = async (service: ServiceDefinition): Promise<void> => {
    if (service.storage === null) return
    const database = await openDatabase(service, settings, log)
    databases.set(service.name, tracing ? tracedDatabase(tracing, database, service.storage.schema) : database)
  }
  await Promise.all(services.map(open))
  const hasBus = settings.natsServers !== null
  const bus = openBusConnection(metrics, log)
  const large = hasBus ? largeMessages(nodeId) : null
  const claims = openClaims(settings)
  const dependencies = openDependencies(services, log)
  const broker = createBroker({
    nodeId,
    namespace,
    servers: settings.natsServers,
    files: settings.natsFiles,
    listener: bus.listener,
    middlewares: [
      ...(large ? [large.responses] : []),
      handleAction({ metrics, log, secrets: settings, claims }),
      ...(large ? [large.requests] : []),
      ...(hasBus ? [bus.middleware] : []),
      ...(tracing ? [traceCalls(tracing)] : []),
      dependencies.middleware,
    ],
  })
  const callOnce: Call = (name, params, { timeoutMs, caller, operator, ...meta } = {}) => {
    if (caller !== undefined || operator !== undefined) meta.claim = claims.sign({ caller, operator })
    // At its end a process waits for the actions that it handles; outgoing calls need not be tracked for that.
    const callOptions = { meta, tracking: false, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) }
    return broker.call(name, params as object, callOptions)
  }
  const call = hasBus ? repeatCalls(callOnce, metrics) : callOnce
  const keyUses = openKeyUses(settings, metrics, call, log)
  const ports: Record<string, number> = {}
  const starts: Promise<void>[] = []
  for (const service of services) {
    const { started, ...schema } = service.schema(contextOf(service))
    broker.createService({
      // Moleculer types the context of every action alike; the middleware handle-action makes it what the contracts say.
      ...(schema as Omit<ServiceSchema, 'name'>),
      started: () => {
        const start = started?.() ?? Promise.resolve()
        starts.push(start)
        return start
      },
      name: service.name,
      dependencies: [...service.dependencies],
      settings: { $noServiceNamePrefix: true },
    })
  }

  let reason: string | null = 'starting'
  const healthChecks = new Map([...databases].map(([name, database]) => [name, openHealthCheck(database, name)]))
  const checks: Check[] = [
    async () => (hasBus ? bus.problem() : null),
    async () => {
      const [missing] = (await dependencies.missing(broker)).required
      return missing === undefined ? null : `the service ${missing} does not answer`
    },
    async () => reason,
    ...healthChecks.values(),
  ]
  const ops = await openOperationsPort({
    port: settings.opsPort,
    host: settings.host,
    metrics,
    async ready() {
      return { reason: await firstReason(checks), degraded: (await dependencies.missing(broker)).optional }
    },
    beforeScrape,
  })
  let stopped: Promise<void> | null = null
  const waiting = setInterval(() => void sayWaiting(), SAY_WAITING_MS)
  try {
    await startBroker(broker)
    // Wait for the announcement: a process that is stopped before it would announce itself during its shutdown.
    if (hasBus) await sleep(2 * ANNOUNCE_MS)
  } catch (error) {
    await Promise.allSettled(starts) // A service that is still starting would go on after its stop.
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

  async function stopOnce(): Promise<void> {
    reason = 'stopping'
    // Load balancers look at readiness every few seconds and send requests until then.
    if (Object.keys(ports).length > 0) await sleep(noticeMs)
    await keyUses.stop()
    await broker.stop()
    for (const database of databases.values()) await database.close()
    await tracing?.stop()
    await ops.stop()
  }

  async function sayWaiting(): Promise<void> {
    log.warn(`still starting: ${(await firstReason(checks.slice(0, 2))) ?? 'its own work'}`)
  }

  // A service calls what its contract lists. Only a gateway finds out who calls; a service hands on the claim of its request.
  function callOf({ name: service, storage }: ServiceDefinition): Call {
    const listed = callsOf(service)
    return (name, params, options) => {
      if (listed?.has(name) === false)
        throw new Error(`${service} calls ${name}, which libs/contracts/calls.ts does not list.`)
      if (storage !== null && (options?.caller ?? options?.operator) !== undefined)
        throw new Error(`${service} calls ${name} with a caller that no gateway has signed.`)
      return call(name, params, options)
    }
  }

  function contextOf(service: ServiceDefinition): ServiceContext {
    return {
      nodeId,
      settings,
      metrics,
      // The log of a process of its own has the name of its service already.
      log: log.bindings().name === service.name ? log : log.child({ service: service.name }),
      tracing,
      call: callOf(service),
      callNode: (action, params, timeoutMs) => broker.call(action, params, { timeout: timeoutMs, tracking: false }),
      broadcast: (event, payload) => void broker.broadcast(event, payload),
      database() {
        const database = databases.get(service.name)
        if (database === undefined) throw new Error(`The service ${service.name} has no storage.`)
        return database
      },
      isRunning: () => reason === null,
      reportPort(port) {
        ports[service.name] = port
      },
    }
  }

  async function beforeScrape() {
    await dependencies.measure(broker, metrics)
    keyUses.measure()
    for (const [service, database] of databases) {
      for (const [state, count] of Object.entries(database.poolUse()))
        metrics.pool.set({ schema: service, state }, count)
    }
    const problems = [...healthChecks].map(async ([schema, check]) => {
      metrics.databases.set({ schema }, (await check()) === null ? 1 : 0)
    })
    await Promise.all(problems)
  }
}

// OpenTelemetry is loaded only where a collector is configured.
async function openTracing(config: TracingConfig, traced: Traced): Promise<Tracing> {
  const { openSpans } = await import('#telemetry/spans')
  return openSpans(config, traced)
}

async function openDatabase({ name, storage }: ServiceDefinition, settings: Settings, log: Log): Promise<Database> {
  if (storage === null || settings.databaseUrl === null) throw new Error(`The service ${name} needs DATABASE_URL.`)
  // Loaded where a database is needed: a gateway has none.
  const [{ connect }, { migrate }] = await Promise.all([import('#postgres/connect'), import('#postgres/migrate')])
  const { databaseUrl: url, databaseDirectUrl: directUrl } = settings
  const setting = directUrl === null ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
  const { role, applied } = await migrate(storage, directUrl ?? url, undefined, undefined, setting)
  if (applied.length > 0) log[routineLevel]({ schema: storage.schema, applied }, 'migrated')
  return connect(storage, {
    url,
    directUrl,
    role,
    connectionsMax: POOL_MAX,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onError: (error) => log.warn({ error, schema: storage.schema }, 'a database connection broke'),
  })
}

async function startBroker(broker: ServiceBroker): Promise<void> {
  try {
    await broker.start()
  } catch (error) {
    const [missing] = unavailableIn(error)
    if (missing === undefined) throw error
    throw new Error(`The service ${missing} does not answer; start it.`)
  }
}

async function firstReason(checks: Check[]): Promise<string | null> {
  for (const check of checks) {
    const reason = await check()
    if (reason !== null) return reason
  }
  return null
}
