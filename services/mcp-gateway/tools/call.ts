// tools/call: finds the tool, calls its action and turns the outcome into a result. A refusal or an outage becomes a result
// with `isError` that says what to do next (docs/spec/mcp.md#tool-errors).
import { asBuffer } from '#runtime/middlewares/large-response'
import { openTurns, type Turns } from '#runtime/turns'
import type { Log } from '#telemetry/log'
import { limits } from '#contracts/limits'
import type { Calls } from '#calls/calls'
import { LargePage } from '#calls/large-page'
import type { Exchange } from '#http/exchange'
import { type Failure, failureOf } from '#http/failure'
import { type Members, membersOf, type RpcParams, type RpcRequest, rpcError } from '../protocol/rpc.ts'
import { type ReadArguments, readArguments } from './arguments.ts'
import { withFields } from './fields.ts'
import { collect, escapedText, LargeResult } from './large-result.ts'
import { mayCall } from './list.ts'
import { type Tool, tools } from './tools.ts'

type Arguments = Record<string, unknown>
/** Returns the members of the result. Refuses with -32602 a tool that the key cannot see. */
export type CallTool = (params: RpcParams, exchange: Exchange) => Promise<Members>

const byName = new Map(tools.map((tool) => [tool.name, tool]))

/** The name of the tool that a request calls, so that also a refused request is logged with it; null where there is no such tool. */
export function toolOf({ method, params }: RpcRequest): string | null {
  const name = params?.name
  return method === 'tools/call' && typeof name === 'string' && byName.has(name) ? name : null
}

export function openToolCaller(calls: Calls, log: Log): CallTool {
  const turns = openTurns(1)
  return async (params, exchange) => {
    const { name, arguments: given = {} } = params
    if (typeof name !== 'string') throw rpcError('params', 'tools/call needs name, the name of a tool.')
    const tool = byName.get(name)
    if (tool === undefined || !mayCall(tool, exchange.caller?.canWrite === true, exchange.resources))
      throw noSuchTool(name)
    if (!isObject(given)) throw rpcError('params', 'arguments must be an object.')
    try {
      return await callAction({ calls, turns }, tool, readArguments(tool, given), exchange)
    } catch (error) {
      const { failure, text } = toolErrorOf(error, tool, exchange.requestId)
      const { code } = failure
      if (code === 'server_error') log.error({ error, request_id: exchange.requestId }, 'tool call failed')
      exchange.notes = { ...exchange.notes, tool_error: code }
      exchange.failure = failure
      return membersOf({ content: [{ type: 'text', text }], isError: true })
    }
  }
}

async function callAction(
  { calls, turns }: { calls: Calls; turns: Turns },
  tool: Tool,
  { params, fields }: ReadArguments,
  { caller, requestId }: Exchange,
): Promise<Members> {
  const endsAt = performance.now() + limits.toolCallMs
  const inTime = <Answer>(work: Promise<Answer>) => withTimeout(Math.max(1, endsAt - performance.now()), work)
  const response = await inTime(calls[tool.callKind](tool.action, params as never, { caller, request_id: requestId }))
  if (!(response instanceof LargePage)) return resultMembers(withFields(asBuffer(response), fields))
  const turn = turns.take(caller?.shopId ?? '')
  try {
    const end = await inTime(turn)
    return new LargeResult(await inTime(collect(response, fields)), end)
  } catch (error) {
    void turn.then((end) => end())
    throw error
  }
}

/** Rejects when the work has no answer after `timeoutMs`; a later answer is dropped. */
async function withTimeout<Answer>(timeoutMs: number, work: Promise<Answer>): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`Not answered within ${timeoutMs} ms.`)), timeoutMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

// The body of REST, byte for byte, and the same as text (docs/spec/mcp.md#tool-results).
function resultMembers(body: Buffer): Members {
  return ['"content":[{"type":"text","text":"', escapedText(body), '"}],"structuredContent":', body]
}

// The same text for a tool that does not exist and for one that the key cannot see (docs/spec/mcp.md#hidden-tools).
function noSuchTool(name: string): Error {
  return rpcError(
    'params',
    `No tool ${JSON.stringify(name)} can be called with this key. It may need a key with write access, or be mistyped: tools/list has the tools of this key.`,
  )
}

/** The failure as REST has it, and a text that begins with it and ends with the next step. */
function toolErrorOf(error: unknown, tool: Tool, requestId: string): { failure: Failure; text: string } {
  const failure = failureOf(error, requestId)
  const { code, message } = failure
  return { failure, text: `${code}: ${message} ${nextStep(code, fieldOf(error), tool)}` }
}

function nextStep(code: string, field: string | null, { sourceOfId }: Tool): string {
  switch (code) {
    case 'not_found':
      return `Take the id from ${sourceOfId}; this one will not be found later either.`
    case 'invalid_request':
      if (field === 'cursor') return 'Or leave cursor out for the first page.' // The refusal says what a cursor is.
      if (field === 'client_id') return "Take it from list_contacts, or an order's customer.clientId."
      return field === 'id' ? `Take it from ${sourceOfId}.` : 'Correct it, then call again.'
    case 'server_error':
      return 'The arguments were not the reason; repeat the same call after a few seconds.'
    default:
      return 'The same call would be refused again.'
  }
}

function fieldOf(error: unknown): string | null {
  const details = (error as { data?: { field?: unknown } } | null)?.data
  return typeof details?.field === 'string' ? details.field : null
}

function isObject(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
