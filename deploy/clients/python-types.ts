// JSON schemas as types of Python: an object becomes a TypedDict, named after its component or after the place where it stands.
import type { Operation, Schema } from './reduced.ts'

export type Types = {
  /** The type of a schema; `hint` names it where it is an object without a name. */
  typeOf(schema: Schema, hint: string): string
  /** A name for the values of an enumeration. */
  alias(name: string, members: readonly string[]): string
  /** Makes or replaces the class of a component. */
  named(name: string, schema: Schema): void
  /** The type of `data` in the answer of an operation, and of one element of it. */
  dataOf(operation: Operation, hint: string): { whole: string; row: string }
  /** The definitions of all classes. */
  classes(): string[]
}

type Properties = Record<string, Schema>

const scalars: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  object: 'Dict[str, object]',
}

export function openTypes(components: Record<string, Schema>): Types {
  const classes = new Map<string, string>()

  function typeOf(schema: Schema, hint: string): string {
    const { $ref, const: only, enum: members, anyOf, oneOf, type, items, properties } = schema
    if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? ''
    if (only !== undefined) return `Literal[${literal(only)}]`
    if (Array.isArray(members)) return `Literal[${members.map(literal).join(', ')}]`
    if (properties !== undefined) {
      define(hint, schema)
      return hint
    }
    const options = anyOf ?? oneOf
    if (Array.isArray(options)) return union(options.map((one: Schema, index) => typeOf(one, `${hint}${index || ''}`)))
    if (Array.isArray(type)) return union(type.map((one: string) => typeOf({ ...schema, type: one }, hint)))
    if (type === 'array') return `List[${typeOf((items ?? {}) as Schema, `${hint}Item`)}]`
    return scalars[String(type)] ?? 'object'
  }

  function define(name: string, schema: Schema): void {
    const required = (schema.required ?? []) as string[]
    const fields = Object.entries(schema.properties as Properties).map(([field, one]) => {
      const type = typeOf(one, name + field.charAt(0).toUpperCase() + field.slice(1))
      return { field, type: required.includes(field) ? type : `NotRequired[${type}]` }
    })
    const isWord = fields.every(({ field }) => /^[a-zA-Z_]\w*$/.test(field) && field !== 'from')
    const text = isWord
      ? `class ${name}(TypedDict):\n${fields.map(({ field, type }) => `    ${field}: ${type}\n`).join('') || '    pass\n'}`
      : `${name} = TypedDict("${name}", {${fields.map(({ field, type }) => `${literal(field)}: ${literal(type)}`).join(', ')}})\n`
    classes.set(name, text)
  }

  for (const [name, schema] of Object.entries(components)) define(name, schema)
  return {
    typeOf,
    alias(name, members) {
      classes.set(name, `${name} = Literal[${members.map(literal).join(', ')}]\n`)
      return name
    },
    named: define,
    dataOf({ responses }, hint) {
      const types = Object.entries(responses).map(([status, answer]) => {
        if (status === '204') return 'None'
        const { data = {} } = (answer.content?.['application/json']?.schema.properties ?? {}) as { data?: Schema }
        return typeOf(data, `${hint}Data`)
      })
      const whole = union(types)
      return { whole: whole.replace(/^List\[/, 'Sequence['), row: whole.replace(/^List\[(.*)\]$/, '$1') }
    },
    classes: () => [...classes.values()],
  }
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ')
}

function literal(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)
}
