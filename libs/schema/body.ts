// Owns the crossing from a JSON body to an action's params: the action's own schema, with its names in the case of the wire.
// Spec: Conventions ("Field names are camelCase"); MCP endpoint ("Tool arguments use the query-string (snake_case)
// spelling"). So one declaration serves both, and a refusal names the field as its caller wrote it.
import { z } from 'zod'
import { type ActionName, actions } from '#contracts/actions'
import { openParams } from './open.ts'

/** The schema of a body: the params of the action but those in the path. Unknown fields are ignored. */
export function bodySchema(action: ActionName, fromPath: readonly string[]): z.ZodObject {
  const fields = Object.entries(actions[action].shape as Record<string, z.ZodType>)
  return z.object(Object.fromEntries(fieldsOf(fields, fromPath).map(([name, schema]) => [wireName(name), schema])))
}

/** A reader of parsed bodies for one action: params out, values as they came. Refuses invalid_request naming the field. */
export function bodyReader(action: ActionName, fromPath: readonly string[]) {
  const schema = bodySchema(action, fromPath)
  const names = fieldsOf(Object.entries(actions[action].shape), fromPath).map(([name]) => name)
  return (body: Record<string, unknown>): Record<string, unknown> => {
    openParams(schema, body)
    return Object.fromEntries(names.map((name) => [name, body[wireName(name)]]))
  }
}

function fieldsOf<Value>(entries: [string, Value][], fromPath: readonly string[]): [string, Value][] {
  return entries.filter(([name]) => !fromPath.includes(name))
}

function wireName(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())
}
