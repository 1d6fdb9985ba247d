// Compares an MCP response with the official JSON Schema of its revision (services/mcp-gateway/schemas).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Answer } from '../product/http.ts'

export type Revision = '2026-07-28' | '2025-11-25' | '2025-06-18'

const results: Record<string, string> = {
  initialize: 'InitializeResult',
  'server/discover': 'DiscoverResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'resources/list': 'ListResourcesResult',
  'prompts/list': 'ListPromptsResult',
}
const failures: Record<string, string> = {
  '-32022': 'UnsupportedProtocolVersionError',
  '-32020': 'HeaderMismatchError',
}
const compiled = new Map<string, ValidateFunction>()

/** Throws when the answer to `method` is not as the revision has it; `method` is null where none was understood. */
export function checkRpcAnswer({ body, status }: Answer, revision: Revision, method: string | null): void {
  if (status === 202 || body === null) return
  const { id, error, result } = body as { id: unknown; error?: { code: number }; result?: unknown }
  if (error !== undefined) {
    const own = revision === '2026-07-28' ? failures[String(error.code)] : undefined
    const known = id === null ? { ...(body as object), id: revision === '2025-06-18' ? 0 : undefined } : body
    return check(revision, own ?? errorName(revision), JSON.parse(JSON.stringify(known)))
  }
  check(revision, revision === '2025-06-18' ? 'JSONRPCResponse' : 'JSONRPCResultResponse', body)
  const name = results[method ?? '']
  // A legacy client may ask for what only later revisions have; then it is for a modern reader.
  if (name !== undefined)
    check(name === 'DiscoverResult' ? '2026-07-28' : revision, name, discovered(name, revision, result))
}

function discovered(name: string, revision: Revision, result: unknown): unknown {
  if (name !== 'DiscoverResult' || revision === '2026-07-28') return result
  return { ...(result as object), resultType: 'complete', ttlMs: 0, cacheScope: 'public' }
}

function errorName(revision: Revision): string {
  return revision === '2025-06-18' ? 'JSONRPCError' : 'JSONRPCErrorResponse'
}

function check(revision: Revision, name: string, value: unknown): void {
  const validate = validatorOf(revision, name)
  if (validate(value)) return
  throw new Error(`This is no ${name} of ${revision}: ${JSON.stringify(validate.errors)}\n${JSON.stringify(value)}`)
}

function validatorOf(revision: Revision, name: string): ValidateFunction {
  const known = compiled.get(`${revision} ${name}`)
  if (known !== undefined) return known
  const path = join(import.meta.dirname, '../../services/mcp-gateway/schemas', `${revision}.schema.json`)
  const schema = JSON.parse(readFileSync(path, 'utf8')) as { $defs?: object; definitions?: object }
  const ajv = revision === '2025-06-18' ? new Ajv({ strict: false }) : new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(schema, 'mcp')
  const validate = ajv.compile({ $ref: `mcp#/${schema.$defs === undefined ? 'definitions' : '$defs'}/${name}` })
  compiled.set(`${revision} ${name}`, validate)
  return validate
}
