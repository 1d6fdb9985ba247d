// What a gateway knows of one request: Koa's `ctx.state`. The request id is in every response, log line and call that the request causes
// (docs/spec/rest-api.md#request-id).
import { randomUUID } from 'node:crypto'
import type Koa from 'koa'
import type { Caller, OperatorCaller, Shop } from '#contracts/caller'
import type { Resource } from '#contracts/objects/shop'
import type { Operator } from '#contracts/objects/operator'

/** What is left of a key's budget: `limit` calls a window, `remaining` of them, `resetS` seconds to the next window. */
export type Budget = { limit: number; remaining: number; resetS: number }

/** A shop as the path names it; `found` is null where there is none. */
export type NamedShop = { name: string; found: Shop | null }

export type Exchange = {
  requestId: string
  /** The pattern of the path, never the path itself. With the tool it names the metric and the log line. */
  route?: string
  /** The MCP tool that is called. */
  tool?: string
  caller?: Caller
  /** Who calls the back office; `askedAt`, by performance.now(), is when auth was asked. */
  operator?: { operator: Operator; via: OperatorCaller['via']; askedAt: number; shop: NamedShop | null }
  budget?: Budget
  /** What the key reaches; absent or null: everything. */
  resources?: readonly Resource[] | null
  /** The address of the client, where it is known. */
  address?: string | null
  /** How a request failed that is answered 200. */
  failure?: Pick<Answered, 'status' | 'code' | 'message'> & { param?: string | null }
  /** The id of a JSON-RPC request, once it is read. */
  rpcId?: string | number
  /** The answer shows a secret, so it is not compressed. */
  showsSecret?: boolean
  /** Further fields of the log line; none of them is text of the caller. */
  notes?: Record<string, string>
}

/** How a request was answered: for usage, request log and live stream. `code` and `message` are null where nothing failed. */
export type Answered = {
  /** The gateway that answered: `rest`, `mcp` or `admin`. */
  gateway: string
  method: string
  status: number
  code: string | null
  message: string | null
  /** The field at fault, as the caller wrote it. */
  param: string | null
  durationMs: number
}

export type Gateway = Koa<Exchange>
export type GatewayContext = Koa.ParameterizedContext<Exchange>
export type GatewayMiddleware = Koa.Middleware<Exchange>

/** The route of a request with its tool, as log, metrics and spans name it. */
export function routeOf({ route = 'none', tool }: Exchange): string {
  return tool === undefined ? route : `${route} ${tool}`
}

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/

/** The id of a request, from its `x-request-id` header. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID()
}
