// One call of an operation or a tool, as texts to copy: curl, the TypeScript client, the command line, MCP.
import { backOffice, storefront } from '../../../../clients/typescript/src/generated/operations.ts'
import type { NamedText } from '../../parts/secret/texts.tsx'
import { words } from '../../words/en.ts'
import type { Bundle, Tool } from './documents.ts'
import type { OperationEntry } from './entries.ts'

/** What was typed, by the name of the parameter, and the body. */
export type Given = { values: Readonly<Record<string, string>>; body: string | null }
/** Where the calls go, and with which secret; null stands for one that is not made yet. */
export type Target = { publicUrl: string; officeUrl: string; secret: string | null }

const text = words.reference.ways
const MCP_PATH = '/api/mcp'

/** The path of the call with its query, from the origin. */
export function targetOf({ operation, document, path }: OperationEntry, { values }: Given): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name] ?? ''
    return value === '' ? name.toUpperCase() : encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const parameter of operation.parameters) {
    const value = values[parameter.name] ?? ''
    if (parameter.in === 'query' && value !== '') query.set(parameter.name, value)
  }
  const search = query.toString()
  return `${document.servers[0]?.url ?? ''}${filled}${search === '' ? '' : `?${search}`}`
}

/** `commands` and `tools` are those of the bundle. */
export function waysOf(entry: OperationEntry, given: Given, target: Target, { commands, tools }: Bundle): NamedText[] {
  const command = entry.group === 'office' ? commands[`${entry.method} ${entry.path}`] : undefined
  const tool = entry.group === 'api' ? tools.find(({ operation }) => operation === entry.id) : undefined
  const typescript = asTypescript(entry, given, target)
  return [
    { name: text.curl, text: asCurl(entry, given, target) },
    ...(typescript === null ? [] : [{ name: text.typescript, text: typescript }]),
    ...(command === undefined ? [] : [{ name: text.command, text: asCommand(entry, command, given) }]),
    ...(tool === undefined ? [] : [{ name: text.mcp, text: asRequest(tool.name, argumentsOf(tool, given)) }]),
  ]
}

/** A call of a tool with arguments as JSON: as curl, as a client sends it, and the settings of a client. */
export function waysOfTool(tool: Tool, typed: string, { publicUrl, secret }: Target): NamedText[] {
  const url = `${publicUrl}${MCP_PATH}`
  const args = parsed(typed)
  const bearer = `Bearer ${secret ?? '$STOREFRONT_KEY'}`
  const config = { mcpServers: { storefront: { url, headers: { Authorization: bearer } } } }
  const sent = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool.name, arguments: args },
  })
  const lines = [
    `curl ${quoted(url)}`,
    `-H "Authorization: ${bearer}"`,
    "-H 'MCP-Protocol-Version: 2025-11-25'",
    `-d ${quoted(sent)}`,
  ]
  return [
    { name: text.mcp, text: asRequest(tool.name, args) },
    { name: text.curl, text: lines.join(' \\\n  ') },
    { name: text.mcpClient, text: JSON.stringify(config, null, 2) },
  ]
}

function asCurl(entry: OperationEntry, given: Given, { publicUrl, officeUrl, secret }: Target): string {
  const isPublic = entry.group === 'api'
  const url = `${isPublic ? publicUrl : officeUrl}${targetOf(entry, given)}`
  const credential = isPublic ? (secret ?? '$STOREFRONT_KEY') : '$STOREFRONT_TOKEN'
  const isFile = entry.operation.requestBody?.content['application/octet-stream'] !== undefined
  const lines = [
    `curl ${entry.method === 'GET' ? '' : `-X ${entry.method} `}${quoted(url)}`,
    `-H "Authorization: Bearer ${credential}"`,
    ...(given.body === null ? [] : ["-H 'content-type: application/json'", `-d ${quoted(oneLine(given.body))}`]),
    ...(isFile ? ['--data-binary @FILE'] : []),
  ]
  return lines.join(' \\\n  ')
}

// Null where the client has no method for it.
function asTypescript(entry: OperationEntry, { values, body }: Given, { publicUrl, officeUrl, secret }: Target) {
  const isPublic = entry.group === 'api'
  const found = methodOf(isPublic ? storefront : backOffice, entry)
  if (found === null) return null
  const inPath = [...entry.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => values[name] || name.toUpperCase())
  const query = entry.operation.parameters.flatMap((one) => {
    const value = values[one.name] ?? ''
    if (one.in !== 'query' || value === '') return []
    const isPlain = ['integer', 'number', 'boolean'].includes(String(one.schema.type))
    return [`${camelCase(one.name)}: ${isPlain ? value : scripted(value)}`]
  })
  const args = [
    ...inPath.map(scripted),
    ...(body === null ? [] : [oneLine(body)]),
    ...(query.length === 0 ? [] : [`{ ${query.join(', ')} }`]),
  ]
  const name = isPublic ? 'shop' : 'office'
  const open = isPublic
    ? `createStorefront({ baseUrl: ${scripted(publicUrl)}, key${secret === null ? '' : `: ${scripted(secret)}`} })`
    : `createBackOffice({ baseUrl: ${scripted(officeUrl)}, token })`
  const call = `${name}.${found.noun}.${found.method}(${args.join(', ')})`
  return [
    `import { ${isPublic ? 'createStorefront' : 'createBackOffice'} } from '@storefront/client'`,
    '',
    `const ${name} = ${open}`,
    found.isList ? `for await (const one of ${call}) console.log(one)` : `console.log(await ${call})`,
  ].join('\n')
}

type Table = Record<string, Record<string, string>>

function methodOf(table: Table, { method, path }: OperationEntry) {
  for (const [noun, methods] of Object.entries(table)) {
    for (const [name, endpoint] of Object.entries(methods)) {
      const isList = endpoint.startsWith('LIST ')
      if (endpoint.replace('LIST ', 'GET ').replace('?', '') === `${method} ${path}`)
        return { noun, method: name, isList }
    }
  }
  return null
}

function asCommand({ path }: OperationEntry, command: string, { values }: Given): string {
  const isOfShop = path.startsWith('/shops/{shop}/')
  return ['storefront', command, ...(isOfShop ? [`--shop ${values.shop || 'SHOP'}`] : [])].join(' ')
}

function asRequest(name: string, args: unknown): string {
  return JSON.stringify({ method: 'tools/call', params: { name, arguments: args } }, null, 2)
}

// The parameters of the call that the tool takes too, under the same names.
function argumentsOf({ inputSchema }: Tool, { values, body }: Given): Record<string, unknown> {
  const properties = Object.keys((inputSchema.properties ?? {}) as object)
  const fields = body === null ? {} : (parsed(body) as Record<string, unknown>)
  const snake = Object.entries(fields).map(([name, value]) => [snakeCase(name), value] as const)
  const all = [...Object.entries(values).filter(([, value]) => value !== ''), ...snake]
  return Object.fromEntries(
    all
      .filter(([name]) => properties.includes(name))
      .map(([name, value]) => [name, name === 'limit' ? Number(value) : value]),
  )
}

/** What a text is as JSON; an empty object where it is none. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

function oneLine(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body))
  } catch {
    return body
  }
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function scripted(value: string): string {
  return `'${value.replaceAll(/['\\]/g, '\\$&')}'`
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}
