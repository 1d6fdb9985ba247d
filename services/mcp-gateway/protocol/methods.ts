// Owns the methods of the endpoint: who needs a key, what each answers, and what the modern revision adds to a result.
// Spec: MCP endpoint, table of methods; Versioning, rule 5. mcp.md 1.1 (resultType, ttlMs, cacheScope, serverInfo).
import { MCP_SERVER, MCP_VERSIONS } from '#contracts/versions'
import type { Exchange } from '#http/exchange'
import type { Era } from './protocol-version.ts'
import { instructions } from './instructions.ts'
import { membersOf, type RpcParams, rpcError } from './rpc.ts'
import type { CallTool } from '../tools/call.ts'
import { toolsFor } from '../tools/list.ts'

/** Members of a result object, as JSON without its braces. */
export type Members = string | (string | Buffer)[]
export type Method = {
  needsKey: boolean
  answer(params: RpcParams, era: Era, exchange: Exchange): Members | Promise<Members>
  /** What follows the members of every result of that era. */
  seal(era: Era): string
}

const capabilities = { tools: { listChanged: false } }
const HOUR_MS = 3_600_000
const MINUTES_MS = 300_000

/** The methods by name. */
export function openMethods(callTool: CallTool): Map<string, Method> {
  return new Map<string, Method>([
    ['initialize', keyless(initialize)],
    ['server/discover', keyless(discover, { ttlMs: HOUR_MS, cacheScope: 'public' })],
    ['tools/list', keyed((params, _era, exchange) => listTools(params, exchange), aListOfTheKey)],
    ['tools/call', keyed((params, _era, exchange) => callTool(params, exchange))],
    ['resources/list', keyed((params) => emptyList(params, 'resources'), aListOfTheKey)],
    ['prompts/list', keyed((params) => emptyList(params, 'prompts'), aListOfTheKey)],
  ])
}

/** Refuses with -32601 what this server does not do; `initialize` belongs to the legacy revisions. */
export function methodNamed(methods: Map<string, Method>, name: string, era: Era): Method {
  const method = methods.get(name)
  if (method !== undefined && !(era.modern && name === 'initialize')) return method
  const known = [...methods.keys()].filter((one) => one !== name).join(', ')
  throw rpcError('method', `There is no method ${JSON.stringify(name)} in revision ${era.version}. There are ${known}.`)
}

type Cache = { ttlMs: number; cacheScope: 'public' | 'private' }
const aListOfTheKey: Cache = { ttlMs: MINUTES_MS, cacheScope: 'private' }

function keyless(answer: Method['answer'], cache?: Cache): Method {
  return { needsKey: false, answer, seal: sealOf(cache) }
}

function keyed(answer: Method['answer'], cache?: Cache): Method {
  return { needsKey: true, answer, seal: sealOf(cache) }
}

function sealOf(cache: Cache | undefined): Method['seal'] {
  const modern = {
    resultType: 'complete',
    ...cache,
    _meta: { 'io.modelcontextprotocol/serverInfo': MCP_SERVER },
  }
  const seal = `,${membersOf(modern)}`
  return (era) => (era.modern ? seal : '')
}

// Answered to anybody, so it tells no more than the specification allows: name, version, and that there are tools.
function initialize({ protocolVersion }: RpcParams, { version }: Era): string {
  if (typeof protocolVersion !== 'string') throw rpcError('params', 'initialize needs protocolVersion, a text.')
  return membersOf({ protocolVersion: version, capabilities, serverInfo: MCP_SERVER })
}

function discover(): string {
  return membersOf({ supportedVersions: MCP_VERSIONS, capabilities, instructions })
}

function listTools(params: RpcParams, { caller }: Exchange): (string | Buffer)[] {
  refuseCursor(params)
  return ['"tools":', toolsFor(caller?.canWrite === true)]
}

function emptyList(params: RpcParams, name: string): string {
  refuseCursor(params)
  return membersOf({ [name]: [] })
}

// Every list here is one page, so no cursor was ever given out.
function refuseCursor({ cursor }: RpcParams): void {
  if (cursor !== undefined) throw rpcError('params', 'This list has one page only: leave cursor out.')
}
