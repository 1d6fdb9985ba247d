// Owns what of a request's `_meta` goes into the log: the trace that it belongs to, when it has the W3C form.
// mcp.md 6, point 9. Anything else would be words of a stranger in our log.
import type { RpcParams } from './rpc.ts'

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

export function traceOf(params: RpcParams | null): { traceparent?: string } {
  const meta = params?._meta
  const traceparent = typeof meta === 'object' && meta !== null ? (meta as RpcParams).traceparent : undefined
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? { traceparent } : {}
}
