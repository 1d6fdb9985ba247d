// Owns tools/call: find the tool, open its arguments, ask its action, and tell what came of it.
// Spec: MCP errors; MCP endpoint, transport rule 6. A refusal or an outage is a result with `isError` and without
// `structuredContent`: a widespread client checks that against the outputSchema even then (mcp.md 5).
import { asBuffer } from '#runtime/middlewares/large-response'
import type { Log } from '#telemetry/log'
import { limits } from '#contracts/limits'
import type { Calls } from '#calls/calls'
import type { Exchange } from '#http/exchange'
import { endBy } from '../end-by.ts'
import { jsonText } from './json-text.ts'
import { membersOf, type RpcParams, rpcError } from '../protocol/rpc.ts'
import { type Arguments, argumentReader } from './arguments.ts'
import { toolErrorOf } from './error.ts'
import { type Tool, tools } from './tools.ts'

/** Gives the members of the result. Refuses with -32602 a tool that the key cannot see. */
export type CallTool = (params: RpcParams, exchange: Exchange) => Promise<(string | Buffer)[]>

export function toolCaller(calls: Calls, log: Log): CallTool {
  const byName = new Map(tools.map((tool) => [tool.name, { tool, readArguments: argumentReader(tool) }]))
  return async (params, exchange) => {
    const { name, arguments: given = {} } = params
    if (typeof name !== 'string') throw rpcError('params', 'tools/call needs name, the name of a tool.')
    const found = byName.get(name)
    if (found === undefined || (found.tool.writes && exchange.caller?.canWrite !== true)) throw noSuchTool(name)
    if (!isObject(given)) throw rpcError('params', 'arguments must be an object.')
    const { tool, readArguments } = found
    exchange.route = `${exchange.route} ${tool.name}`
    try {
      return shown(await ask(calls, tool, readArguments(given), exchange))
    } catch (error) {
      const { code, text } = toolErrorOf(error, tool, exchange.requestId)
      if (code === 'server_error') log.error({ error, request_id: exchange.requestId }, 'tool call failed')
      exchange.notes = { ...exchange.notes, tool_error: code }
      return [membersOf({ content: [{ type: 'text', text }], isError: true })]
    }
  }
}

async function ask(calls: Calls, tool: Tool, params: Arguments, { caller, requestId }: Exchange): Promise<Buffer> {
  const work = calls[tool.asks](tool.action, params as never, { caller, request_id: requestId })
  return asBuffer(await endBy(limits.toolCallMs, work))
}

// The body of REST, byte for byte, and once more as text.
function shown(body: Buffer): (string | Buffer)[] {
  return ['"content":[{"type":"text","text":', jsonText(body), '}],"structuredContent":', body]
}

// The same words for a tool that is not there and for one that the key cannot see.
function noSuchTool(name: string): Error {
  return rpcError(
    'params',
    `No tool ${JSON.stringify(name)} can be called with this key. It may need a key with write access, or be mistyped: tools/list has the tools of this key.`,
  )
}

function isObject(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
