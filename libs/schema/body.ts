// Turns a JSON body into an action's params by the action's own schema. Names are camelCase in a body and snake_case in params,
// and a refusal names the field as the caller wrote it. docs/spec/objects.md#field-names
import { z } from 'zod'
import { type ActionName, actions } from '#contracts/actions'
import { openParams } from './open.ts'

/** The schema of a body: the params of the action except those in the path. Unknown fields are ignored. */
export function bodySchema(action: ActionName, fromPath: readonly string[]): z.ZodObject {
  const fields = Object.entries(actions[action].shape as Record<string, z.ZodType>)
  const object = z.object(
    Object.fromEntries(fieldsOf(fields, fromPath).map(([name, schema]) => [wireName(name), schema])),
  )
  const keywords = actions[action].meta() // What the document says about fields together.
  return keywords === undefined ? object : object.meta(keywords)
}

/** Returns a function from a parsed body to params, values unchanged. It refuses invalid_request naming the field. */
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
