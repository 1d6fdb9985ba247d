// Owns the one crossing from a thrown error to a JSON-RPC error: its code, its HTTP status, its headers.
// Spec: MCP errors. A refusal of the door has no code in JSON-RPC; it goes out under its HTTP status, which lies outside of
// the range that the protocol keeps for itself, and `data.code` has the word of REST. A bug or an outage names no cause.
import { type Failure, failureOf } from '#http/failure'
import type { Exchange } from '#http/exchange'
import { errorBody, faultOf } from './rpc.ts'

const INTERNAL = -32603
const NOT_ONE_REQUEST = -32600

/** `isElsewhere`: the path is none of ours, so the failure has the form of REST. */
export function describeFailure(error: unknown, { requestId, rpcId }: Exchange, isElsewhere: boolean): Failure {
  const fault = faultOf(error)
  if (fault !== null && error instanceof Error) {
    const { code, status, data } = fault
    const { message } = error
    const body = errorBody(rpcId ?? fault.id, { code, message, data })
    return { status, code: String(code), message, headers: {}, body }
  }
  const failure = failureOf(error, requestId)
  if (isElsewhere) return failure
  const { code, status, message } = failure
  const body = errorBody(rpcId ?? null, { code: numberOf(code, status), message, data: { code } })
  return { ...failure, body }
}

function numberOf(code: string, status: number): number {
  if (code === 'server_error') return INTERNAL
  return code === 'invalid_request' ? NOT_ONE_REQUEST : status
}
