// How a method of the Python client takes the body of a request: as a dictionary, or field by field by keyword.
// docs/spec/clients.md#python-client
import type { Operation, Schema } from './reduced.ts'
import { pythonName, snakeCase } from './python-names.ts'
import type { Types } from './python-types.ts'

type Field = { name: string; keyword: string; type: string; isRequired: boolean; about: string }
export type PythonBody = {
  /** The parameters behind those of the path, one list for each overload; the last one is that of the implementation. */
  signatures: { positional: string[]; keywords: string[] }[]
  /** The expression that is sent. */
  sent: string
  /** What the fields are, for the docstring. */
  about: string[]
}

/** `hint` names the type of the body. */
export function pythonBody({ requestBody }: Operation, hint: string, types: Types): PythonBody {
  if (requestBody === undefined) return { signatures: [{ positional: [], keywords: [] }], sent: 'None', about: [] }
  const schema = requestBody.content['application/json']?.schema
  const isRequired = requestBody.required
  const whole = schema === undefined ? 'bytes' : types.typeOf(schema, hint)
  const needed = { positional: [`body: ${whole}`], keywords: [] }
  const optional = [`body: ${whole} | None = None`]
  const fields = schema === undefined ? [] : fieldsOf(schema, hint, types)
  if (fields.length === 0) {
    return { signatures: [isRequired ? needed : { positional: optional, keywords: [] }], sent: 'body', about: [] }
  }
  const absent = (field: Field) => `${field.keyword}: ${field.type} | Absent = ABSENT`
  const implementation = { positional: optional, keywords: fields.map(absent) }
  // A type checker finds a missing field where the body and its fields are two signatures.
  const byField = fields.map((field) => (field.isRequired ? `${field.keyword}: ${field.type}` : absent(field)))
  const hasRequired = fields.some((field) => field.isRequired)
  const given = fields.map(({ name, keyword }) => `"${name}": ${keyword}`)
  return {
    signatures: [...(hasRequired ? [needed, { positional: [], keywords: byField }] : []), implementation],
    sent: `body_of(${isRequired ? 'body or {}' : 'body'}, {${given.join(', ')}})`,
    about: fields.flatMap(({ keyword, about }) => (about === '' ? [] : `${keyword}: ${about}`)),
  }
}

// Those that only the server sets are left out; a dictionary may have them.
function fieldsOf(schema: Schema, hint: string, types: Types): Field[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] }
  return Object.entries(properties)
    .filter(([, property]) => property.readOnly !== true)
    .map(([name, property]) => {
      const type = types.typeOf(property, hint + name.charAt(0).toUpperCase() + name.slice(1))
      return {
        name,
        keyword: pythonName(snakeCase(name)),
        type: isInstant(property) ? `${type} | datetime` : type,
        isRequired: required.includes(name),
        about: typeof property.description === 'string' ? property.description : '',
      }
    })
}

function isInstant({ format, anyOf = [] }: Schema): boolean {
  return format === 'date-time' || (anyOf as Schema[]).some((one) => one.format === 'date-time')
}
