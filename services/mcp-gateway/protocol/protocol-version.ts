// The protocol version of a request, and whether its headers agree with its body (docs/spec/mcp.md#era-selection,
// docs/spec/mcp.md#modern-headers).
import type { IncomingHttpHeaders } from 'node:http'
import { MCP_VERSION, MCP_VERSIONS } from '#contracts/versions'
import { type RpcParams, type RpcRequest, rpcError } from './rpc.ts'

/** `isModern`: the rules of the modern revision apply; otherwise those of the legacy revisions. */
export type ProtocolVersion = { version: string; isModern: boolean }
type Headers = IncomingHttpHeaders

const META_VERSION = 'io.modelcontextprotocol/protocolVersion'
const VERSION_HEADER = 'mcp-protocol-version'
const NAMED_BY: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

/** Refuses with -32022 a version that is not served; with -32020 where header and body name two versions. */
export function protocolVersionOf({ method, params }: RpcRequest, headers: Headers): ProtocolVersion {
  const inBody = versionInBody(params)
  const inHeader = decodeHeader(headers[VERSION_HEADER])
  if (inBody !== null) {
    if (!isServed(inBody) && inHeader !== undefined && inHeader !== inBody) throw disagreement(VERSION_HEADER, inBody)
    return served(inBody)
  }
  if (method === 'initialize') return handshake(params)
  if (typeof inHeader === 'string' && inHeader !== MCP_VERSION) return served(inHeader)
  return { version: MCP_VERSION, isModern: true }
}

/** Refuses with -32020 a modern request whose headers are missing, unreadable or different from its body. */
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
    // A name that is in neither agrees; the method itself refuses its absence.
    if (decodeHeader(headers[header]) !== inBody) throw disagreement(header, inBody)
  }
}

/** Methods that do not exist, but whose headers are checked before the 404. */
export function requiresHeaderCheckFirst(method: string): boolean {
  return method === 'prompts/get' || method === 'resources/read'
}

// `initialize` names its version in its params and may name the modern one too (docs/spec/mcp.md#initialize).
function handshake(params: RpcParams | null): ProtocolVersion {
  const wanted = params?.protocolVersion
  const { version } = served(typeof wanted === 'string' ? wanted : MCP_VERSIONS[1])
  return { version, isModern: false }
}

function served(version: string): ProtocolVersion {
  if (isServed(version)) return { version, isModern: version === MCP_VERSION }
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

/** Decodes `=?base64?…?=`. Undefined where the header is absent, null where the data is not Base64 of UTF-8. */
function decodeHeader(header: string | string[] | undefined): string | null | undefined {
  if (header === undefined) return undefined
  const text = [header].flat().join(', ')
  const wrapped = /^=\?base64\?(.*)\?=$/s.exec(text)?.[1]
  if (wrapped === undefined) return text
  const bytes = Buffer.from(wrapped, 'base64')
  if (bytes.toString('base64') !== wrapped) return null // Not Base64 in its canonical form.
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null // Equal to no value of a body.
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
