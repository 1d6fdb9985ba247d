// The JSON Schemas of MCP tools, rendered from the schemas that validate. docs/spec/mcp.md#input-schemas
// docs/spec/mcp.md#output-schemas
//
// An input schema takes part of a model's context, so of a param it keeps its type only; the words are those of the tool. An
// output schema types every field of the body. Patterns and descriptions are left to OpenAPI, except the members of an open
// enumeration. Where a tool takes `fields`, a row may come with some of its fields only, so `required` names `id` and `object` of it.
import { z } from 'zod'
import { knownValues } from '#contracts/actions/params'

type Json = Record<string, unknown>
/** What the schema of an argument holds besides its type, by the name of the argument. */
export type Words = Record<string, Json>

/** The schema of a tool's arguments: no others allowed, in the order of the object, each with its `words`. */
export function inputSchema(object: z.ZodObject, words: Words): Json {
  const { properties = {}, required = [] } = z.toJSONSchema(object, { io: 'input' })
  const told = Object.entries(properties).map(([name, property]) => [name, { ...typeOf(property), ...words[name] }])
  return {
    type: 'object',
    ...(told.length === 0 ? {} : { properties: Object.fromEntries(told) }),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

/** The schema of a REST body, open in every part: further fields may come. `isReducible`: a row may lack fields. */
export function outputSchema(body: z.ZodType, { isReducible }: { isReducible: boolean }): Json {
  const { $schema: _dialect, required, ...schema } = z.toJSONSchema(body)
  return { ...typed(schema, isReducible), required } // All members of the envelope are always there.
}

function typeOf(property: unknown): Json {
  const {
    type,
    anyOf,
    format,
    items,
    [knownValues]: known,
    enum: members = known,
  } = property as Json & { anyOf?: Json[] }
  if (anyOf !== undefined) return typeOf(anyOf.find((one) => one.type !== 'null'))
  return {
    type: [type].flat().find((one) => one !== 'null'),
    ...(members === undefined ? {} : { enum: members }),
    ...(format === undefined ? {} : { format }),
    ...(items === undefined ? {} : { items: typeOf(items) }),
  }
}

const KEPT = ['type', 'const', 'format', '$ref']
const ROW = ['id', 'object']

/** What a schema says about types. */
function typed(schema: unknown, isReducible: boolean): Json {
  const { anyOf, properties, required, items, additionalProperties, description, $defs, ...rest } = schema as Json & {
    anyOf?: Json[]
    required?: string[]
  }
  if (anyOf !== undefined) return nullable(typed(anyOf[0], isReducible))
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => KEPT.includes(name))),
    ...knownMembers(description),
    ...(properties === undefined ? {} : { properties: allTyped(properties, isReducible) }),
    ...requiredOf(required, isReducible),
    ...(items === undefined ? {} : { items: typed(items, isReducible) }),
    ...(isSchema(additionalProperties) ? { additionalProperties: typed(additionalProperties, isReducible) } : {}),
    ...($defs === undefined ? {} : { $defs: allTyped($defs, isReducible) }),
  }
}

function requiredOf(required: string[] | undefined, isReducible: boolean): Json {
  if (required === undefined || !isReducible) return required === undefined ? {} : { required }
  return ROW.every((name) => required.includes(name)) ? { required: ROW } : {}
}

function nullable({ type, ...rest }: Json): Json {
  return type === undefined ? { anyOf: [rest, { type: 'null' }] } : { type: [type, 'null'], ...rest }
}

// The members of an open enumeration, as #contracts/objects/scalar words them.
function knownMembers(description: unknown): Json {
  const members = /One of (.+); more may be added\.$/.exec(String(description))?.[1]
  return members === undefined ? {} : { description: members.replaceAll('`', '') }
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function allTyped(schemas: unknown, isReducible: boolean): Json {
  return Object.fromEntries(Object.entries(schemas as Json).map(([name, schema]) => [name, typed(schema, isReducible)]))
}
