// The types of a service of the product: a factory of a Moleculer service schema, the storage that the service owns, and the
// context that the process passes to it.
import type { Context, ServiceSchema } from 'moleculer'
import type { Config } from '#config/config'
import type { ActionInput, ActionName, ActionParams } from '#contracts/actions'
import type { LeaseAction, LeaseMessage, Returned } from '#contracts/actions/auth'
import type { BusMeta, Caller, CallMeta, Claimed, OperatorCaller } from '#contracts/caller'
import type { Database, Storage } from '#postgres/connect'
import type { Idempotency } from '#postgres/idempotency'
import type { Log } from '#telemetry/log'
import type { Metrics } from '#telemetry/metrics'
import type { Tracing } from '#telemetry/tracing'

/** The configuration once generated secrets and addresses are known. */
export type Settings = Config & {
  secretKey: string
  publicUrl: string
  /** Where the product runs its own PostgreSQL: the folder with its data. */
  databaseFolder?: string | undefined
  /** Webhooks may be sent to this origin although it is private: the receiver of the demo shop (docs/spec/webhooks.md#url-rules). */
  webhookAllowedOrigin?: string | undefined
}

/**
 * Calls an action of any service; rejects with a `Refusal`, or with any other error on an outage. `timeoutMs` bounds this
 * call, the rest of the options travels in its meta. A gateway passes the `caller`; a service passes on the `claim` of the request that it
 * works for. A large response arrives whole.
 */
export type Call = <Name extends ActionName>(
  name: Name,
  params: ActionInput<Name>,
  options?: CallOptions,
) => Promise<unknown>
export type CallOptions = CallMeta & BusMeta & { timeoutMs?: number }

/** What a process passes to each of its services. */
export type ServiceContext = {
  nodeId: string
  settings: Settings
  log: Log
  metrics: Metrics
  /** Undefined where nothing is traced. */
  tracing?: Tracing | undefined
  call: Call
  /** Calls an action that only one node answers, by its full name. */
  callNode(action: string, params: object, timeoutMs: number): Promise<unknown>
  /** Sends an event to every node. Delivery is not guaranteed: an event is a hint, never the only copy of a fact. */
  broadcast(event: string, payload: object): void
  /** The service's own schema; throws where the service has no storage. */
  database(): Database
  /** Whether the process runs; while it starts or stops, services which this one calls may not be there. */
  isRunning(): boolean
  /** Reports on which port the service listens. */
  reportPort(port: number): void
}

/** What a handler knows of the request besides its params. */
export type RequestInfo = {
  /** The claim of the call, verified. */
  readonly claimed: Claimed
  /** Refuses where no gateway has signed a caller: only a call for a shop may read it. */
  readonly caller: Caller
  /** Who of the back office asks; null where a key or another service does. */
  operator: OperatorCaller | null
  now: Date
  idempotency: Idempotency | null
  requestId: string | null
  /** For calls of other services on behalf of this request. */
  meta: BusMeta
}
/** Moleculer's context of an action: validated `params`, and the request in `locals`. */
export type ActionContext<Name extends ActionName> = Pick<
  Context<ActionParams<Name>, BusMeta, RequestInfo>,
  'params' | 'meta' | 'locals'
>
export type ActionHandler<Name extends ActionName> = (ctx: ActionContext<Name>) => Promise<unknown>
/** Handlers under the full names of their actions, typed by the contracts. */
export type ActionHandlers = { [Name in ActionName]?: ActionHandler<Name> }
type LeaseHandlers = { [name: LeaseAction]: (ctx: Context<LeaseMessage>) => Promise<Returned> }
/** What a service passes to Moleculer: a service schema whose actions are typed by the contracts. */
export type ServiceParts = Omit<ServiceSchema, 'name' | 'dependencies' | 'actions' | 'started'> & {
  actions?: ActionHandlers & LeaseHandlers
  started?(): Promise<void>
}

/** A service as a process starts it. */
export type ServiceDefinition = {
  name: string
  /** The PostgreSQL schema that the service owns, or null. */
  storage: Storage | null
  needsAdminToken: boolean
  /** Services without which this one can do nothing: it waits for them at its start, and is not ready without them. */
  dependencies: readonly string[]
  /** Services without which a part of this one fails: it waits for them for a moment at its start, and is ready without them. */
  optionalDependencies?: readonly string[]
  /** The Moleculer schema of the service. `started` may rely on the dependencies, the database and the bus. */
  schema(context: ServiceContext): ServiceParts
}
