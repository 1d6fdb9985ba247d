// Owns what a service is, seen from outside, and what it is given when it opens.
// A service is one object: its name, where it keeps its rows, and `open`, which answers with its handlers.
import type { ActionInput, ActionName } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import type { Database, Storage } from '#postgres/connect'
import type { Handlers } from './answer.ts'
import type { Config } from '#config/config'
import type { Log } from '#telemetry/log'
import type { Metrics } from '#telemetry/metrics'
import type { Tracing } from '#telemetry/tracing'

/** The configuration once secrets and addresses are settled: made, found or given. */
export type Settings = Config & { secretKey: string; publicUrl: string }

export type Ask = <Name extends ActionName>(name: Name, params: ActionInput<Name>, meta?: AskMeta) => Promise<unknown>
/** `timeoutMs` bounds this call; the rest travels. */
export type AskMeta = CallMeta & { timeoutMs?: number }

export type House = {
  nodeId: string
  settings: Settings
  log: Log
  metrics: Metrics
  /** Undefined where nothing is traced. */
  tracing?: Tracing | undefined
  /** Calls an action wherever it lives; large answers arrive whole. */
  ask: Ask
  /** Calls an action of one node only, by its whole name: for lease recalls. */
  askNode(action: string, params: object, timeoutMs: number): Promise<unknown>
  /** Tells every node of a service something whose loss costs nothing. */
  hint(event: string, body: object): void
  /** The service's own schema; throws where the service keeps no rows. */
  database(): Database
}

export type Opened = {
  handlers?: Handlers
  /** Actions that only this node answers, by their whole names. */
  nodeHandlers?: Record<string, (params: unknown) => Promise<unknown>>
  /** What it does when a hint comes. */
  hints?: Record<string, (body: unknown) => void>
  /** Begins background work; runs when the bus is up and `calls` are answered. */
  start?(): Promise<void>
  /** Opens the service's own port, after everything in this process has started; gives the port. */
  listen?(): Promise<number>
  /** Why it cannot serve now, or null. */
  ready?(): Promise<string | null>
  /** Stops taking new work, finishes what is in flight. */
  stop?(): Promise<void>
}

export type Service = {
  name: string
  storage: Storage | null
  needsAdminToken: boolean
  /** Actions that must be answered somewhere before this service is ready. */
  calls: readonly ActionName[]
  open(house: House): Promise<Opened>
}
