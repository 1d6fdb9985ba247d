// One call of the MCP endpoint as a test sees it, sent as a careful client of each revision sends it; every part of the request can be
// replaced. Every answer is compared with the official schema of its revision, every tool's answer also with its outputSchema.
import { MCP_VERSION } from '#contracts/versions'
import { type Answer, exchange } from './http.ts'
import { checkRpcAnswer, type Revision } from '../schemas/mcp-schema.ts'
import { checkToolAnswer } from '../schemas/tool-answer.ts'

type Json = Record<string, unknown>
export type McpAsk = {
  key?: string | null
  revision?: Revision
  id?: string | number
  gateway?: number
  /** Laid over the headers of the revision; null takes one off. */
  headers?: Record<string, string | null>
  /** Laid over `_meta`; null leaves `_meta` out. */
  meta?: Json | null
}
export type Sent = { headers?: Record<string, string>; body: string | Buffer; method?: string; gateway?: number }

export type Mcp = {
  call(method: string, params?: Json, ask?: McpAsk): Promise<Answer>
  /** Calls a tool and gives the whole answer. */
  tool(name: string, given?: Json, ask?: McpAsk): Promise<Answer>
  /** Sends what the test wrote, as it is. */
  send(sent: Sent): Promise<Answer>
}

export function openMcp(ports: number[]): Mcp {
  const portOf = (gateway: number) => {
    const port = ports[gateway]
    if (port === undefined) throw new Error(`There is no MCP gateway ${gateway}.`)
    return port
  }
  const mcp: Mcp = {
    async call(method, params = {}, ask = {}) {
      const { key = null, revision = MCP_VERSION, id = 1, gateway = 0, headers = {}, meta = {} } = ask
      const isModern = revision === MCP_VERSION
      const body: Json = { jsonrpc: '2.0', id, method, params: isModern ? withMeta(params, revision, meta) : params }
      const sent: Record<string, string | null> = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: key === null ? null : `Bearer ${key}`,
        'mcp-protocol-version': method === 'initialize' ? null : revision,
        'mcp-method': isModern ? method : null,
        'mcp-name': isModern ? nameIn(params) : null,
        ...headers,
      }
      const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== null)
      const answer = await exchange(portOf(gateway), '/api/mcp', {
        method: 'POST',
        headers: Object.fromEntries(given),
        body: JSON.stringify(body),
      })
      checkRpcAnswer(answer, revision, method)
      if (method === 'tools/call') checkToolAnswer(String(params.name), answer)
      return answer
    },
    tool: (name, given = {}, ask) => mcp.call('tools/call', { name, arguments: given }, ask),
    async send({ method = 'POST', headers = {}, body, gateway = 0 }) {
      const answer = await exchange(portOf(gateway), '/api/mcp', { method, headers, body })
      checkRpcAnswer(answer, isModern(answer) ? MCP_VERSION : '2025-11-25', null)
      return answer
    },
  }
  return mcp
}

// What a test sent by hand may be of either era; errors look the same in both.
function isModern({ body }: Answer): boolean {
  const { result } = (body ?? {}) as { result?: Json }
  return result === undefined || 'resultType' in result
}

/** The result of an answer. */
export function resultOf({ body }: Answer): Json {
  const { result } = body as { result?: Json }
  if (result === undefined) throw new Error(`There is no result in ${JSON.stringify(body)}.`)
  return result
}

/** The error of an answer. */
export function errorOf({ body }: Answer): { code: number; message: string; data?: Json } {
  const { error } = body as { error?: { code: number; message: string; data?: Json } }
  if (error === undefined) throw new Error(`There is no error in ${JSON.stringify(body)}.`)
  return error
}

/** The text of a tool's answer, and whether it is an error. */
export function toldBy(answer: Answer): { text: string; isError: boolean; structured: unknown } {
  const { content, isError = false, structuredContent } = resultOf(answer)
  const [block] = content as { text: string }[]
  return { text: block?.text ?? '', isError: isError === true, structured: structuredContent }
}

function withMeta(params: Json, revision: string, meta: Json | null): Json {
  if (meta === null) return params
  const own = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
  }
  return { ...params, _meta: { ...own, ...meta } }
}

function nameIn({ name, uri }: Json): string | null {
  const named = name ?? uri
  return typeof named === 'string' ? named : null
}
