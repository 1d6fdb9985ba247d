// Owns the opening of a tool's arguments by the schema of its action: the same rules as REST, words for a model.
// Spec: "Tool arguments use the query-string (snake_case) spelling". mcp.md 6, point 5.
import { z } from 'zod'
import { actions } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import { refuseUnstorable } from '#http/body'
import { openParams } from '#schema/open'
import type { Tool } from './tools.ts'

export type Arguments = Record<string, unknown>

/** The schema of a tool's arguments: those of the action's params that the tool takes. */
export function argumentSchema({ action, takes }: Tool): z.ZodObject {
  const shape = actions[action].shape as Record<string, z.ZodType>
  return z.strictObject(Object.fromEntries(takes.map((name) => [name, shape[name] ?? missing(action, name)])))
}

/** Opens the arguments of one tool. Gives them as the action takes them; refuses invalid_request naming the argument. */
export function argumentReader(tool: Tool): (given: Arguments) => Arguments {
  const schema = argumentSchema(tool)
  return (given) => {
    const params = tool.adapt?.(given) ?? given
    const unknown = Object.keys(params).find((name) => !tool.takes.includes(name))
    if (unknown !== undefined) throw refuse('invalid_request', unknownWords(tool, unknown), { field: unknown })
    refuseUnstorable(params, '')
    openParams(schema, params)
    return params
  }
}

function unknownWords({ name, takes }: Tool, unknown: string): string {
  const known = takes.length === 0 ? 'It takes no arguments.' : `It takes ${takes.join(', ')}.`
  return `${JSON.stringify(unknown)} is not an argument of ${name}. ${known}`
}

function missing(action: string, name: string): never {
  throw new Error(`${action} has no param ${name}.`)
}
