// The tools that a key sees (docs/spec/mcp.md#input-schemas, docs/spec/mcp.md#output-schemas, docs/spec/mcp.md#annotations),
// rendered once, so that every answer has the same bytes.
import { z } from 'zod'
import { actions } from '#contracts/actions'
import { inputSchema, outputSchema } from '#schema/tool-schema'
import { type Tool, tools } from './tools.ts'

const everyTool = Buffer.from(JSON.stringify(tools.map(describeTool)))
const readTools = Buffer.from(JSON.stringify(tools.filter(({ writes }) => !writes).map(describeTool)))

/** The list for a key, as JSON. */
export function toolsFor(canWrite: boolean): Buffer {
  return canWrite ? everyTool : readTools
}

function describeTool(tool: Tool) {
  const { name, title, description, hints, gives, asIn, words } = tool
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(argumentSchema(tool), words),
    outputSchema: outputSchema(gives, asIn),
    annotations: {
      readOnlyHint: !tool.writes,
      destructiveHint: hints.destructive,
      idempotentHint: true, // Reads change nothing, and every write may be repeated.
      openWorldHint: hints.openWorld,
    },
  }
}

function argumentSchema({ action, takes }: Tool): z.ZodObject {
  const shape = actions[action].shape as Record<string, z.ZodType>
  return z.object(Object.fromEntries(takes.map((name) => [name, shape[name] ?? missing(action, name)])))
}

function missing(action: string, name: string): never {
  throw new Error(`${action} has no param ${name}.`)
}
