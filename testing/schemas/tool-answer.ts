// Compares what a tool answers with its outputSchema. Stricter than a client: a field that the schema does not name fails too.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { toolsFor } from '../../services/mcp-gateway/tools/list.ts'
import type { Answer } from '../product/http.ts'

type Json = { [field: string]: unknown }

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
addFormats.default(ajv)
const validators = new Map<string, ValidateFunction>()

/** Throws when the result of the tool is not as listed, or when a tool error has structured content. */
export function checkToolAnswer(tool: string, { body }: Answer): void {
  const { result } = body as { result?: { isError?: boolean; structuredContent?: unknown } }
  if (result === undefined) return
  if (result.isError === true) {
    if ('structuredContent' in result) throw new Error(`The tool error of ${tool} has structured content.`)
    return
  }
  const validate = validators.get(tool) ?? compile(tool)
  if (!validate(result.structuredContent)) {
    throw new Error(`${tool} is not as listed: ${ajv.errorsText(validate.errors)}`)
  }
}

function compile(name: string): ValidateFunction {
  const tools = JSON.parse(toolsFor(true).toString()) as { name: string; outputSchema: Json }[]
  const validate = ajv.compile(closed(tools.find((tool) => tool.name === name)?.outputSchema) as Json)
  validators.set(name, validate)
  return validate
}

/** The schema as it would be if further fields were a fault. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)])) as Json
  return [copy.type].flat().includes('object') ? { additionalProperties: false, ...copy } : copy
}
