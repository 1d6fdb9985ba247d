// The form of our middlewares. In Moleculer's own type `call` takes the result of a call instead of a function, and the context of a
// handler lacks our meta and locals; this is the one place that adapts it.
import type { ActionSchema, CallingOptions, Context, Middleware, Service, ServiceBroker } from 'moleculer'
import type { BusMeta } from '#contracts/caller'
import type { RequestInfo } from '../service.ts'

export type BrokerCall = (action: string, params: unknown, options: CallingOptions) => Promise<unknown>
export type LocalAction = (ctx: Context<unknown, BusMeta, RequestInfo>) => Promise<unknown>
type Parts = {
  created?(broker: ServiceBroker): void
  /** Runs before a service of this process starts, which waits for it. */
  serviceStarting?(service: Service): Promise<void>
  /** Wraps every call that leaves a service of this process. */
  call?(next: BrokerCall): BrokerCall
  /** Wraps every action that this process answers. */
  localAction?(next: LocalAction, action: ActionSchema): LocalAction
}

/** A middleware for the options of a broker. */
export function middleware(name: string, parts: Parts): Middleware {
  return { name, ...parts } as unknown as Middleware
}
