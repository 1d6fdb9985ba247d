// Owns what tools/list shows: the tools of a key, rendered once, so that every answer has the same bytes.
// Spec: MCP endpoint, tools/list (read-only keys do not see write tools). mcp.md 1.1 (fixed order), 6.2 and 6.3.
import { inputSchema, outputSchema } from '#schema/tool-schema'
import { argumentSchema } from './arguments.ts'
import { type Tool, tools } from './tools.ts'

const everyTool = Buffer.from(JSON.stringify(tools.map(shown)))
const readTools = Buffer.from(JSON.stringify(tools.filter(({ writes }) => !writes).map(shown)))

/** The list for a key, as JSON. */
export function toolsFor(canWrite: boolean): Buffer {
  return canWrite ? everyTool : readTools
}

function shown(tool: Tool) {
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
