// Owns which revision of the protocol a request speaks, and whether its headers say the same as its body.
// Spec: MCP endpoint, transport rules 3 to 5; Versioning, rule 5. mcp.md 2 and decisions 1 to 3.
import type { IncomingHttpHeaders } from 'node:http'
import { MCP_VERSION, MCP_VERSIONS } from '#contracts/versions'
import { type RpcParams, type RpcRequest, rpcError } from './rpc.ts'

export type Era = { version: string; modern: boolean }
type Headers = IncomingHttpHeaders
/** A header once its wrapping is off: undefined where it is absent, null where the wrapping holds nothing readable. */
type Value = string | null | undefined

const META_VERSION = 'io.modelcontextprotocol/protocolVersion'
const VERSION_HEADER = 'mcp-protocol-version'
const NAMED_BY: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

/** The era of a request. Refuses with -32022 a version that is not served; -32020 where header and body name two. */
export function eraOf({ method, params }: RpcRequest, headers: Headers): Era {
  const inBody = versionInBody(params)
  const inHeader = unwrap(headers[VERSION_HEADER])
  if (inBody !== null) {
    if (!isServed(inBody) && inHeader !== undefined && inHeader !== inBody) throw disagreement(VERSION_HEADER, inBody)
    return served(inBody)
  }
  if (method === 'initialize') return handshake(params)
  if (typeof inHeader === 'string' && inHeader !== MCP_VERSION) return served(inHeader)
  return { version: MCP_VERSION, modern: true }
}

/** Refuses with -32020 a modern request whose headers are missing, unreadable or unlike its body. */
export function checkHeaders({ method, params }: RpcRequest, headers: Headers): void {
  const version = versionInBody(params)
  if (version === null) throw noVersion(headers[VERSION_HEADER])
  const namedBy = NAMED_BY[method]
  const expected: [string, unknown][] = [
    [VERSION_HEADER, version],
    ['mcp-method', method],
  ]
  if (namedBy !== undefined) expected.push(['mcp-name', params?.[namedBy]])
  for (const [header, inBody] of expected) {
    // A name that is in neither is no disagreement: that it is missing, the method says.
    if (unwrap(headers[header]) !== inBody) throw disagreement(header, inBody)
  }
}

/** Methods that do not exist, but whose headers the specification wants checked all the same. */
export function hasHeadersOfItsOwn(method: string): boolean {
  return method === 'prompts/get' || method === 'resources/read'
}

// `initialize` names its version in its params; the modern one is served there as well, since it is the client's wish.
function handshake(params: RpcParams | null): Era {
  const wanted = params?.protocolVersion
  const { version } = served(typeof wanted === 'string' ? wanted : MCP_VERSIONS[1])
  return { version, modern: false }
}

function served(version: string): Era {
  if (isServed(version)) return { version, modern: version === MCP_VERSION }
  const message = `Protocol version ${version} is not served. Served are ${MCP_VERSIONS.join(', ')}.`
  throw rpcError('version', message, { data: { supported: MCP_VERSIONS, requested: version } })
}

function isServed(version: string): boolean {
  return (MCP_VERSIONS as readonly string[]).includes(version)
}

function versionInBody(params: RpcParams | null): string | null {
  const meta = params?._meta
  const version = typeof meta === 'object' && meta !== null ? (meta as RpcParams)[META_VERSION] : undefined
  return typeof version === 'string' ? version : null
}

/** `=?base64?…?=` holds UTF-8; anything else is the value itself. */
function unwrap(header: string | string[] | undefined): Value {
  if (header === undefined) return undefined
  const text = [header].flat().join(', ')
  const wrapped = /^=\?base64\?(.*)\?=$/s.exec(text)?.[1]
  if (wrapped === undefined) return text
  const bytes = Buffer.from(wrapped, 'base64')
  if (bytes.toString('base64') !== wrapped) return null // Not Base64, or not its one spelling.
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null // Not UTF-8: unlike any value of a body.
  }
}

function disagreement(header: string, inBody: unknown): Error {
  const wanted = typeof inBody === 'string' ? `must be ${JSON.stringify(inBody)}, as in the body` : 'has no counterpart'
  return rpcError('headers', `The header ${header} ${wanted}.`)
}

function noVersion(header: string | string[] | undefined): Error {
  const words =
    header === undefined ? 'The request names no protocol version' : `The header ${VERSION_HEADER} has no counterpart`
  return rpcError(
    'headers',
    `${words}: send params._meta["${META_VERSION}"] with the headers ${VERSION_HEADER} and mcp-method, or begin with initialize and then send ${VERSION_HEADER}: ${MCP_VERSIONS[1]}.`,
  )
}
