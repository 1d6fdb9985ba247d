// Gateways with their leases and replicas of auth over one database, in this process and of the product's own code. Only the bus between
// them is simulated, so that a test can lose a message, delay it, or shift a clock.
import type { ActionHandler, Call, ServiceContext, ServiceParts } from '#runtime/service'
import { requestInfoOf } from '#runtime/middlewares/handle-action'
import type { LeaseMessage } from '#contracts/actions/auth'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { type Metrics, openMetrics } from '#telemetry/metrics'
import { type ActionName, actions } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import { type Leases, openLeases, type Decision } from '#admission/lease'
import type { Database } from '#postgres/connect'
import { idempotencySecrets } from '#postgres/idempotency'
import { openParams } from '#schema/open'
import { auth } from '../../services/auth/service.ts'
import { openStorage } from '../database.ts'
import { makeCaller, rootOperator } from './one-service.ts'

export type Gateway = {
  node: string
  leases: Leases
  take(key: string, source?: string): Promise<Decision>
  asks: number
}
/** What happens to a message of the bus before and after it is answered; throwing loses it. */
export type Tap = { before?(action: string, params: unknown): Promise<void>; after?(action: string): Promise<void> }

export type Admission = {
  db: Database
  gateways: Gateway[]
  /** The monotonic clock of every gateway, in milliseconds: it stands until a test moves it, however busy the machine is. */
  clock: { aheadMs: number }
  tap: Tap
  hintsLost: boolean
  call: Call
  /** A shop with one key: its id, the key's id and the key itself. */
  makeKey(facts?: {
    plan?: 'basic' | 'pro'
    access?: 'read' | 'write'
  }): Promise<{ shopId: string; id: string; key: string }>
  /** Lets the present window of every key end, at the database and in the gateways. */
  endWindows(): Promise<void>
  close(): Promise<void>
}
type AuthStorage = Awaited<ReturnType<typeof openStorage>>
type Options = { gateways?: number; replicas?: number; env?: Record<string, string>; storage?: AuthStorage }

const OPENED_AT_MS = 1_000_000

/** A database of auth. The tests of a file may share it, one after the other. */
export function openAuthStorage(): Promise<AuthStorage> {
  if (auth.storage === null) throw new Error('Auth keeps rows.')
  return openStorage(auth.storage)
}

/** `storage` is used and emptied of budgets at the end; without it there is a database of its own. */
export async function openAdmission(options: Options = {}): Promise<Admission> {
  const { gateways = 1, replicas = 1, env = {}, storage = await openAuthStorage() } = options
  const metrics = openMetrics()
  const config = readConfig({ DATABASE_URL: storage.url, ...env }, 'embedded')
  const settings = { ...config, secretKey: config.secretKey ?? 'a secret of at least 32 characters.' }
  const secrets = idempotencySecrets(settings)
  const replicaSchemas: ServiceParts[] = []
  let turn = 0

  const context: ServiceContext = {
    nodeId: 'auth',
    settings,
    metrics,
    log: openLog('silent', 'admission'),
    call: (name) => Promise.reject(new Error(`Auth calls nobody, but called ${name}.`)),
    async callNode(action, params, timeoutMs) {
      const work = async () => {
        await admission.tap.before?.(action, params)
        const gateway = admission.gateways.find(({ leases }) => leases.action === action)
        if (gateway === undefined) throw new Error(`Nobody answers ${action}.`)
        const answer = structuredClone(await gateway.leases.handleLeaseMessage(structuredClone(params) as LeaseMessage))
        await admission.tap.after?.(action)
        return answer
      }
      const { before, after } = admission.tap
      return (before ?? after) ? within(timeoutMs, work()) : work() // A bus without mishaps is never late.
    },
    broadcast(_event, body) {
      if (admission.hintsLost) return
      for (const { leases } of admission.gateways) leases.identityChanged(structuredClone(body))
    },
    database: () => storage.db,
    isRunning: () => true,
    reportPort: () => undefined,
  }
  for (let replica = 0; replica < replicas; replica += 1) replicaSchemas.push(auth.schema(context))

  const call: Call = async (name, params, { timeoutMs = 3_000, caller, operator = rootOperator, ...meta } = {}) => {
    const handler = replicaSchemas[turn % replicas]?.actions?.[name] as ActionHandler<ActionName> | undefined
    turn += 1
    if (handler === undefined) throw new Error(`Auth does not answer ${name}.`)
    const work = async () => {
      await nextTurn()
      await admission.tap.before?.(name, params)
      const given = openParams(actions[name], structuredClone(params)) as never
      const answer = structuredClone(
        await handler({ params: given, meta, locals: requestInfoOf(meta, { caller, operator }, secrets) }),
      )
      await admission.tap.after?.(name)
      return Buffer.isBuffer(answer) || !(answer instanceof Uint8Array) ? answer : Buffer.from(answer)
    }
    return within(timeoutMs, work())
  }

  const admission: Admission = {
    db: storage.db,
    gateways: [],
    clock: { aheadMs: 0 },
    tap: {},
    hintsLost: false,
    call,
    async makeKey({ plan = 'pro', access = 'read' } = {}) {
      const shop = {
        handle: `shop-${randomUUID().slice(0, 8)}`,
        name: 'A shop',
        currency: 'GBP',
        timeZone: 'Europe/London',
        plan,
      }
      const { id: shopId } = dataOf(await call('shops.create', { shop }))
      const caller = makeCaller({ shopId: String(shopId) })
      const made = dataOf(await call('keys.create', { key: { name: 'test', access } }, { caller }))
      return { shopId: String(shopId), id: String(made.id), key: String(made.secret) }
    },
    async endWindows() {
      await storage.db.rows("update budgets set ends_at = ends_at - interval '60 seconds'") // All shops.
      admission.clock.aheadMs += 60_000
    },
    async close() {
      if (options.storage === undefined) return storage.close()
      for (const table of ['budgets', 'auth_failures']) await storage.db.rows(`delete from ${table}`)
    },
  }
  for (let index = 1; index <= gateways; index += 1) admission.gateways.push(openGateway(`gateway-${index}`, metrics))
  return admission

  function openGateway(node: string, metrics: Metrics): Gateway {
    const counted: Call = (name, params, meta) => {
      if (name === 'auth.admit') gateway.asks += 1
      return call(name, params, meta)
    }
    const clock = () => OPENED_AT_MS + admission.clock.aheadMs
    const leases = openLeases({
      call: counted,
      nodeId: node,
      metrics,
      failuresMax: settings.authFailuresPerMinute,
      clock,
    })
    const gateway: Gateway = {
      node,
      leases,
      take: (key, source = '192.0.2.1') => leases.take(key, source),
      asks: 0,
    }
    return gateway
  }
}

/** How many of the answers have each decision. */
export function tally(taken: Decision[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { decision } of taken) counts[decision] = (counts[decision] ?? 0) + 1
  return counts
}

/** The object in a REST body. */
export function dataOf(body: unknown): Record<string, unknown> {
  return (JSON.parse(String(body)) as { data: Record<string, unknown> }).data
}

async function within<Answer>(timeoutMs: number, work: Promise<Answer>): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(refuse('unavailable', 'Nobody answered in time.')), timeoutMs)
  work.catch(() => undefined) // An answer that fails after the time is nobody's any more.
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
