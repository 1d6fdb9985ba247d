// What a schema says in words: the rows of a table of fields, and an example value.
import { words } from '../../../words/en.ts'

export type Schema = { [keyword: string]: unknown }
export type Schemas = { readonly [name: string]: Schema }
export type FieldRow = {
  name: string
  /** 0 for a field of the object itself. */
  depth: number
  type: string
  bounds: string[]
  about: string
  isRequired: boolean
}

const DEPTH = 3
const text = words.reference.bounds

/** The fields of an object and of what is inside it, down to four levels; without those that only the server sets. */
export function fieldRows(schema: Schema, schemas: Schemas, depth = 0): FieldRow[] {
  const object = objectIn(schema, schemas)
  return Object.entries(propertiesOf(object)).flatMap(([name, property]) => {
    if (property.readOnly === true) return []
    const row = {
      name,
      depth,
      type: typeOf(property, schemas),
      bounds: boundsOf(property, schemas),
      about: aboutOf(property, schemas),
      isRequired: requiredOf(object).includes(name),
    }
    return depth < DEPTH ? [row, ...fieldRows(property, schemas, depth + 1)] : [row]
  })
}

/** `string`, `integer | null`, `Money`, `Order[]`. */
export function typeOf(schema: Schema, schemas: Schemas): string {
  if (typeof schema.$ref === 'string') return nameOf(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const choices = choicesOf(schema)
  if (choices.length > 0) return [...new Set(choices.map((one) => typeOf(one, schemas)))].join(' | ')
  if (schema.type === 'array') return `${typeOf((schema.items ?? {}) as Schema, schemas)}[]`
  if (Array.isArray(schema.type)) return schema.type.join(' | ')
  return typeof schema.type === 'string' ? schema.type : text.any
}

/** The limits that a value must keep, in words. */
export function boundsOf(schema: Schema, schemas: Schemas): string[] {
  const known = schema['x-known-values'] ?? schema.enum
  const own = [
    Array.isArray(known) ? text.oneOf(known.map(String)) : null,
    rangeOf(schema.minLength, schema.maxLength, text.characters),
    rangeOf(schema.minimum, schema.maximum, text.value),
    rangeOf(schema.minItems, schema.maxItems, text.items),
    typeof schema.format === 'string' ? text.format(schema.format) : null,
    schema.default === undefined ? null : text.otherwise(JSON.stringify(schema.default)),
  ].filter((bound) => bound !== null)
  const inside = [...choicesOf(schema), ...(schema.type === 'array' ? [(schema.items ?? {}) as Schema] : [])]
  const [only, ...others] = inside.filter((one) => one.type !== 'null')
  return only !== undefined && others.length === 0 ? [...new Set([...own, ...boundsOf(only, schemas)])] : own
}

/**
 * An example of a value that is sent: what is required, and what `known` has, which is an answer that the product gave.
 * The same names mean the same in both.
 */
export function sampleOf(schema: Schema, schemas: Schemas, known: unknown, name = ''): unknown {
  if (schema.const !== undefined) return schema.const
  const [choice] = choicesOf(schema).filter(({ type }) => type !== 'null')
  const part = schema.properties === undefined ? (choice ?? schema) : schema
  if (part.type === 'array') {
    const [first] = Array.isArray(known) ? (known as unknown[]) : []
    return [sampleOf((part.items ?? {}) as Schema, schemas, first, name)]
  }
  const object = objectIn(part, schemas)
  const properties = Object.entries(propertiesOf(object)).filter(([, { readOnly }]) => readOnly !== true)
  if (properties.length > 0) {
    const facts = isRecord(known) ? known : {}
    const isNeeded = (field: string) => requiredOf(object).includes(field)
    const shown = properties.filter(([field]) => isNeeded(field) || (facts[field] ?? null) !== null)
    const some =
      shown.length > 0
        ? shown
        : properties.filter(([field], index) => firstNeeded(object)?.includes(field) ?? index < 2)
    return Object.fromEntries(some.map(([field, one]) => [field, sampleOf(one, schemas, facts[field], field)]))
  }
  if (object.type === 'object') return {}
  if (known !== undefined && known !== null) return known
  return plainSample(part, name)
}

function plainSample({ enum: values, type, format, minimum, default: otherwise }: Schema, name: string): unknown {
  if (Array.isArray(values)) return values[0]
  if (otherwise !== undefined) return otherwise
  const first = Array.isArray(type) ? (type as unknown[])[0] : type
  if (first === 'boolean') return true
  if (first === 'integer' || first === 'number') return Math.max(Number(minimum ?? 1), 1)
  if (format === 'uuid' || name === 'id') return text.samples.id
  if (format === 'date-time') return text.samples.instant
  return name === 'email' || format === 'email' ? text.samples.email : text.samples.text
}

// The object that a schema is about: itself, what it refers to, the rows of a list, or the only choice besides null.
function objectIn(schema: Schema, schemas: Schemas): Schema {
  if (typeof schema.$ref === 'string') return objectIn(schemas[nameOf(schema.$ref)] ?? {}, schemas)
  if (schema.properties !== undefined) return schema
  if (schema.type === 'array' && schema.items !== undefined) return objectIn(schema.items as Schema, schemas)
  const parts = Array.isArray(schema.allOf) ? (schema.allOf as Schema[]) : choicesOf(schema)
  return parts.map((part) => objectIn(part, schemas)).find((part) => part.properties !== undefined) ?? schema
}

function aboutOf(schema: Schema, schemas: Schemas): string {
  if (typeof schema.description === 'string') return schema.description
  return typeof schema.$ref === 'string' ? aboutOf(schemas[nameOf(schema.$ref)] ?? {}, schemas) : ''
}

function rangeOf(least: unknown, most: unknown, say: (least: number | null, most: number | null) => string) {
  const known = (bound: unknown) =>
    typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : null
  const [from, to] = [known(least), known(most)]
  return from === null && to === null ? null : say(from, to)
}

function choicesOf(schema: Schema): Schema[] {
  return [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? (list as Schema[]) : [])).filter(hasType)
}

// A choice that only says which fields are needed is none of types.
function hasType({ type, $ref, const: constant }: Schema): boolean {
  return type !== undefined || $ref !== undefined || constant !== undefined
}

/** The fields of the first of several sets of which one is needed; null where there is no such choice. */
function firstNeeded({ anyOf, oneOf }: Schema): string[] | null {
  const [first] = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as Schema[]) : []))
  return first === undefined || first.required === undefined ? null : requiredOf(first)
}

function propertiesOf({ properties }: Schema): Record<string, Schema> {
  return (properties ?? {}) as Record<string, Schema>
}

function requiredOf({ required }: Schema): string[] {
  return (required ?? []) as string[]
}

function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? ''
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
