// The tools that a key sees (docs/spec/mcp.md#input-schemas, docs/spec/mcp.md#output-schemas, docs/spec/mcp.md#annotations),
// rendered once, so that every answer has the same bytes.
import { inputSchema, outputSchema } from '#schema/tool-schema'
import { argumentSchema } from './arguments.ts'
import { type Tool, tools } from './tools.ts'

const everyTool = Buffer.from(JSON.stringify(tools.map(describeTool)))
const readTools = Buffer.from(JSON.stringify(tools.filter(({ writes }) => !writes).map(describeTool)))

/** The list for a key, as JSON. */
export function toolsFor(canWrite: boolean): Buffer {
  return canWrite ? everyTool : readTools
}

function describeTool(tool: Tool) {
  const { name, title, description, hints, gives, words } = tool
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(argumentSchema(tool), words),
    outputSchema: outputSchema(gives),
    annotations: {
      readOnlyHint: !tool.writes,
      destructiveHint: hints.destructive,
      idempotentHint: true, // Reads change nothing, and every write may be repeated.
      openWorldHint: hints.openWorld,
    },
  }
}
