// Writes what the console's reference shows and cannot ask the back office for: the OpenAPI document of the public API, when each event
// fires, the tools, and the command for each call of the back office. docs/spec/console.md#reference
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { routes as backOfficeRoutes } from '#contracts/back-office/routes'
import { otherCommands, table } from '../../cli/office/table.ts'
import { toolsFor } from '../../services/mcp-gateway/tools/list.ts'
import { tools } from '../../services/mcp-gateway/tools/tools.ts'
import { publicDocument } from '../../services/rest-gateway/reference/document.ts'
import { routes } from '../../services/rest-gateway/routes.ts'

type Described = { name: string; outputSchema: unknown; [member: string]: unknown }

/** The file with its text: a line for each tool, event, command and part of the document. */
export function referenceFiles(): { path: string; text: string }[] {
  const { paths, webhooks, ...rest } = publicDocument()
  const parts = {
    document: { ...rest, paths, webhooks },
    events: eventWords(),
    tools: toolList(),
    commands: commandsByOperation(),
  }
  return [{ path: 'console/src/generated/reference.json', text: `${lines(parts, 3)}\n` }]
}

// The row of the event catalogue, by event kind.
function eventWords(): Record<string, { when: string; most: string }> {
  const page = readFileSync(join(import.meta.dirname, '../../docs/spec/events.md'), 'utf8')
  const rows = page.matchAll(/^\| ([a-z]+\.[a-z_]+) \| (.+) \| (.+) \|$/gm)
  return Object.fromEntries([...rows].map(([, kind = '', when = '', most = '']) => [kind, { when, most }]))
}

// As `tools/list` answers them, without the schema of the result, which is that of the operation.
function toolList() {
  const described = JSON.parse(toolsFor(true).toString()) as Described[]
  return described.map(({ outputSchema: _result, ...tool }) => {
    const action = tools.find(({ name }) => name === tool.name)?.action
    return { ...tool, operation: routes.find((route) => route.action === action)?.id }
  })
}

// By the method and path of the call.
function commandsByOperation(): Record<string, string> {
  const others: Record<string, string> = otherCommands
  return Object.fromEntries(
    backOfficeRoutes.map(({ method, path, action }) => {
      const command = table.find((one) => one.action === action)
      const words = command === undefined ? (others[action] ?? '') : `${command.words} ${command.row.example}`
      return [`${method} ${path}`, words.trim()]
    }),
  )
}

/** JSON with a line for each member down to this depth, so that a change is a line. */
function lines(value: unknown, depth: number): string {
  if (depth === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[\n${value.map((one) => lines(one, depth - 1)).join(',\n')}\n]`
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${lines(member, depth - 1)}`)
  return `{\n${members.join(',\n')}\n}`
}
