// JSON-RPC 2.0 on the wire: parses one request, writes results and errors, and maps errors to codes and HTTP statuses
// (docs/spec/mcp.md#json-rpc-errors). Results are put together from finished bytes, so MCP shows the exact bytes of REST.
import type { Exchange } from '#http/exchange'
import { type Failure, failureOf } from '#http/failure'
import { checkJsonForm } from '#http/json-form'
import type { LargeResult } from '../tools/large-result.ts'

export type RpcId = string | number | null
export type RpcParams = Record<string, unknown>
/** `params` is empty where the request has none, and null where it has a list, which no method takes. */
export type RpcRequest = { id: string | number; method: string; params: RpcParams | null }
/** A notification has no id. */
export type RpcMessage = RpcRequest | (Omit<RpcRequest, 'id'> & { id: null })

/** Members of a JSON object, without its braces. */
export type Members = string | (string | Buffer)[] | LargeResult

const codes = {
  parse: { code: -32700, status: 400 },
  request: { code: -32600, status: 400 },
  method: { code: -32601, status: 404 },
  params: { code: -32602, status: 200 }, // Legacy clients lose the code behind a 400.
  headers: { code: -32020, status: 400 },
  version: { code: -32022, status: 400 },
} as const
const INTERNAL = -32603

export type RpcFault = { code: number; status: number; id: RpcId; data?: object }

/** An error that ends a request with a JSON-RPC error. `id`: the request's id where only the thrower knows it. */
export function rpcError(kind: keyof typeof codes, message: string, more: { id?: RpcId; data?: object } = {}): Error {
  const fault: RpcFault = { id: null, ...codes[kind], ...more }
  return Object.assign(new Error(message), { fault })
}

/** The fault of an error of `rpcError`; null for any other error. */
export function faultOf(error: unknown): RpcFault | null {
  return (error as { fault?: RpcFault } | null)?.fault ?? null
}

/**
 * The answer to a request that failed (docs/spec/mcp.md#gateway-refusals): a gateway's refusal has its HTTP status as code and
 * the code of REST in `data.code`. Outside of the MCP path the answer has the form of REST.
 */
export function describeFailure(error: unknown, { requestId, rpcId }: Exchange, isMcpPath: boolean): Failure {
  const fault = faultOf(error)
  if (fault !== null && error instanceof Error) {
    const { code, status, data } = fault
    const { message } = error
    return {
      status,
      code: String(code),
      message,
      headers: {},
      body: errorBody(rpcId ?? fault.id, { code, message, data }),
    }
  }
  const failure = failureOf(error, requestId)
  if (!isMcpPath) return failure
  const { code, status, message } = failure
  const body = errorBody(rpcId ?? null, { code: rpcCodeOf(code, status), message, data: { code } })
  return { ...failure, body }
}

function rpcCodeOf(code: string, status: number): number {
  if (code === 'server_error') return INTERNAL
  return code === 'invalid_request' ? codes.request.code : status
}

/** One message from the bytes of a body. Refuses with -32700 and -32600. */
export function parseMessage(bytes: Buffer): RpcMessage {
  const text = decode(bytes)
  const value = parse(text)
  if (Array.isArray(value)) throw rpcError('request', 'Batches are not served: send one request in each POST.')
  if (typeof value !== 'object' || value === null) throw rpcError('request', 'The body must be one JSON-RPC object.')
  checkForm(text)
  return toMessage(value as Record<string, unknown>)
}

/** The answer to a request; `members` are those of the result object. */
export function resultBody(id: RpcId, members: readonly (string | Buffer)[]): Buffer {
  const pieces = [beginOf(id), ...members, END]
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}

/** The same in parts; `more` are further members as JSON, with the comma before them. */
export function* resultParts(id: RpcId, large: LargeResult, more: string): Generator<Buffer> {
  yield Buffer.from(beginOf(id))
  yield* large.members()
  yield Buffer.from(more + END)
}

const END = '}}'

function beginOf(id: RpcId): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{`
}

export function errorBody(id: RpcId, error: { code: number; message: string; data?: object | undefined }): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error }))
}

/** The members of an object as JSON, without its braces. */
export function membersOf(value: object): string {
  return JSON.stringify(value).slice(1, -1)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw rpcError('parse', 'The body is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw rpcError('parse', 'The body is not valid JSON.')
  }
}

// Too deep, or a field twice: JSON without one meaning.
function checkForm(text: string): void {
  try {
    checkJsonForm(text)
  } catch (error) {
    throw rpcError('request', error instanceof Error ? error.message : String(error))
  }
}

function toMessage(value: Record<string, unknown>): RpcMessage {
  const id = isId(value.id) ? value.id : null
  const { method, params = {} } = value
  const broken = (message: string) => rpcError('request', message, { id })
  if (value.jsonrpc !== '2.0') throw broken('jsonrpc must be "2.0".')
  if (typeof method !== 'string') throw broken('method must be text. Responses are not taken here, only requests.')
  if (typeof params !== 'object' || params === null) throw broken('params must be an object.')
  if ('id' in value && id === null) throw broken('id must be text or a whole number.')
  const message = { method, params: Array.isArray(params) ? null : (params as RpcParams) }
  return id === null ? { ...message, id: null } : { ...message, id }
}

// A number that JSON cannot carry exactly could not be sent back unchanged.
function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id)
}
