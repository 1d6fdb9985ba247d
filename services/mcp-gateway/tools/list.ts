// The tools that a key sees (docs/spec/mcp.md#input-schemas, docs/spec/mcp.md#output-schemas, docs/spec/mcp.md#annotations),
// rendered once, so that every answer has the same bytes.
import { reaches } from '#admission/authenticate'
import type { Exchange } from '#http/exchange'
import { inputSchema, outputSchema } from '#schema/tool-schema'
import { argumentSchema } from './arguments.ts'
import { type Tool, tools } from './tools.ts'

const everyTool = Buffer.from(JSON.stringify(tools.map(describeTool)))
const readTools = Buffer.from(JSON.stringify(tools.filter(({ writes }) => !writes).map(describeTool)))

/** The list for a key, as JSON: the tools that it may call. */
export function toolsFor(canWrite: boolean, resources?: Exchange['resources']): Buffer {
  if (resources) return listOf(tools.filter((tool) => mayCall(tool, canWrite, resources)))
  return canWrite ? everyTool : readTools
}

/** Whether a key sees a tool. */
export function mayCall({ writes, action }: Tool, canWrite: boolean, resources: Exchange['resources']): boolean {
  return (!writes || canWrite) && reaches(resources, action.split('.')[0] ?? '')
}

function listOf(shown: readonly Tool[]): Buffer {
  return Buffer.from(JSON.stringify(shown.map(describeTool)))
}

function describeTool(tool: Tool) {
  const { name, title, description, hints, returns, row, words } = tool
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(argumentSchema(tool), words),
    outputSchema: outputSchema(returns, { isReducible: row !== null }),
    annotations: {
      readOnlyHint: !tool.writes,
      destructiveHint: hints.destructive,
      idempotentHint: true, // Reads change nothing, and every write may be repeated.
      openWorldHint: hints.openWorld,
    },
  }
}
