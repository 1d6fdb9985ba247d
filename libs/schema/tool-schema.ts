// The JSON Schemas of MCP tools, rendered from the schemas that validate, and short, because the list of tools takes part of a
// model's context. docs/spec/mcp.md#input-schemas docs/spec/mcp.md#output-schemas
//
// An output schema is kept short: formats and descriptions of fields are left to the tool's description; a definition that is
// used once is inlined; fields of one object with equal schemas share one pattern where that is shorter. Every field of the
// body is named. A tool that returns the object of another tool names its fields and their types only, and refers to that
// tool (`asIn`).
import { z } from 'zod'

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

/** The schema of a REST body. `asIn`: the tool that shows the whole object, where this one does not. */
export function outputSchema(body: z.ZodType, asIn: string | null): Json {
  const { $defs = {}, properties = {}, required = [] } = z.toJSONSchema(body) as Json & { $defs?: Record<string, Json> }
  const uses = countUses(JSON.stringify({ $defs, properties }))
  const isOften = (name: string) => asIn === null && (uses.get(name) ?? 0) > 1
  const write: Write = (schema, depth) => {
    const name = nameIn(schema as Json)
    if (name === null) return shortened(schema as Json, depth, write)
    return isOften(name) ? { $ref: (schema as Json).$ref } : shortened($defs[name] ?? {}, depth, write)
  }
  const often = Object.entries($defs).filter(([name]) => isOften(name))
  const envelope = mapValues(properties as Json, (property) => write(property, asIn === null ? Infinity : 1))
  if (asIn !== null) Object.assign(objectIn(envelope), { description: `As in ${asIn}.` })
  return {
    type: 'object',
    properties: envelope,
    required,
    ...(often.length === 0 ? {} : { $defs: mapValues(Object.fromEntries(often), (def) => write(def, Infinity)) }),
  }
}

type Write = (schema: unknown, depth: number) => Json

function objectIn({ data }: Json): Json {
  return ((data as Json).items ?? data) as Json
}

function nameIn({ $ref }: Json): string | null {
  return typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? null) : null
}

function typeOf(property: unknown): Json {
  const { type, anyOf, enum: members, items } = property as Json & { anyOf?: Json[] }
  if (anyOf !== undefined) return typeOf(anyOf.find((one) => one.type !== 'null'))
  return {
    type: [type].flat().find((one) => one !== 'null'),
    ...(members === undefined ? {} : { enum: members }),
    ...(items === undefined ? {} : { items: typeOf(items) }),
  }
}

/** `depth`: for how many levels of objects the fields are named. */
function shortened(schema: Json, depth: number, write: Write): Json {
  const { type, anyOf, properties, items, additionalProperties, description } = schema as Json & { anyOf?: Json[] }
  if (anyOf !== undefined) return nullable(write(anyOf[0], depth))
  if (depth <= 0) return { type }
  return {
    type,
    ...(depth === Infinity ? knownMembers(description) : {}),
    ...(properties === undefined ? {} : fields(mapValues(properties as Json, (field) => write(field, depth - 1)))),
    ...(items === undefined ? {} : { items: write(items, depth) }),
    ...(isSchema(additionalProperties) ? { additionalProperties: write(additionalProperties, depth) } : {}),
  }
}

function nullable({ type, ...rest }: Json): Json {
  return type === undefined ? { anyOf: [rest, { type: 'null' }] } : { type: [type, 'null'], ...rest }
}

// The members of an open enumeration, as #contracts/scalar words them.
function knownMembers(description: unknown): Json {
  const members = /One of (.+); more may be added\.$/.exec(String(description))?.[1]
  return members === undefined ? {} : { description: members.replaceAll('`', '') }
}

/** Fields that share a schema share a pattern where that is shorter; the others stand alone. */
function fields(schemas: Json): Json {
  const alike = [...Map.groupBy(Object.entries(schemas), ([, schema]) => JSON.stringify(schema))]
  const shared = alike.filter(([text, members]) => (members.length - 1) * text.length > PATTERN_LENGTH)
  const isWorthIt =
    shared.reduce((saved, [text, members]) => saved + (members.length - 1) * text.length, 0) > 2 * PATTERN_LENGTH
  const alone: Json = {}
  const patterns: Json = {}
  for (const group of alike) {
    const [text, members] = group
    if (!isWorthIt || !shared.includes(group)) Object.assign(alone, Object.fromEntries(members))
    else patterns[`^(${members.map(([name]) => name).join('|')})$`] = JSON.parse(text)
  }
  return {
    ...(Object.keys(alone).length === 0 ? {} : { properties: alone }),
    ...(Object.keys(patterns).length === 0 ? {} : { patternProperties: patterns }),
  }
}

const PATTERN_LENGTH = 12 // About what a pattern costs besides its names and its schema.

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function countUses(text: string): Map<string, number> {
  const uses = new Map<string, number>()
  for (const [, name = ''] of text.matchAll(/"#\/\$defs\/(\w+)"/g)) uses.set(name, (uses.get(name) ?? 0) + 1)
  return uses
}

function mapValues(object: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}
