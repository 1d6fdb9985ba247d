// Options of commands, made from the schemas that the back office validates by, and the query or body made of what was given.
// A field of an object in the body is one option (`--address-city`); a list is comma-separated; a list of objects is JSON.
import { InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { knownValues } from '#contracts/actions/params'
import { choiceOption, listOption } from '../choices.ts'

type Schema = { [keyword: string]: unknown }
type Kind = 'text' | 'word' | 'instant' | 'number' | 'boolean' | 'list' | 'json'
export type Field = {
  path: string[]
  flag: string
  kind: Kind
  isRequired: boolean
  choices: string[]
  about: string
}
export type Values = Record<string, unknown>

/** The fields of an object that a caller may set, nested ones too. `names` are the flags of fields whose flag has another name. */
export function fieldsOf(schema: z.ZodType, names: Record<string, string> = {}): Field[] {
  const of = (io: 'input' | 'output') => z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema
  const found: Field[] = []
  collect(of('input'), of('output'), [])
  return found

  // A preprocessed field has its form in the output only, an instant in the input only, one that only the server sets in neither.
  function collect(input: Schema, output: Schema, path: string[]): void {
    const outputs = (output.properties ?? {}) as Record<string, Schema>
    const required = path.length === 0 ? ((input.required ?? []) as string[]) : []
    for (const [name, schemaIn] of Object.entries((input.properties ?? {}) as Record<string, Schema>)) {
      const [given, made] = [partOf(schemaIn), partOf(outputs[name] ?? {})]
      const field = 'type' in given || 'enum' in given ? given : made
      const own = [...path, name]
      if (field.type === 'object' && field.properties !== undefined) {
        const { cents } = field.properties as Record<string, Schema>
        if (cents === undefined) collect(given, made, own)
        else add([...own, 'cents'], cents, required.includes(name))
      } else if ('type' in field || 'enum' in field)
        add(own, { ...field, ...aboutIn(schemaIn) }, required.includes(name))
    }
  }

  function add(path: string[], field: Schema, isRequired: boolean): void {
    const part = field.type === 'array' ? partOf((field.items ?? {}) as Schema) : field
    const choices = ((field[knownValues] ?? part.enum ?? []) as unknown[]).filter(
      (choice) => typeof choice === 'string',
    )
    const flag = names[path.join('.')] ?? path.map(kebab).join('-')
    const about = typeof field.description === 'string' ? wordsIn(field.description) : ''
    found.push({ path, flag, kind: kindOf(field, part), isRequired, choices, about })
  }
}

/** The option of a field, two of them for a boolean. */
export function optionsOf({ flag, kind, choices, about, isRequired }: Field): Option[] {
  if (kind === 'boolean') return [new Option(`--${flag}`, about), new Option(`--no-${flag}`, `not --${flag}`)]
  const words = isRequired ? `needed${about === '' ? '' : `; ${about}`}` : about
  if (choices.length > 0 && kind !== 'list') return [choiceOption(`--${flag} <choice>`, words, choices)]
  const option = new Option(`--${flag} <${hints[kind]}>`, words)
  if (kind === 'list') return [listOption(option, choices)]
  if (kind === 'json') return [option.argParser(jsonIn)]
  if (kind === 'number') return [option.argParser((text) => (text === 'null' ? EMPTY : numberIn(text)))]
  if (kind === 'instant') return [option.argParser((text) => (text === 'null' ? EMPTY : instantIn(text)))]
  return [kind === 'word' ? option.argParser((text) => (text === 'null' ? EMPTY : text)) : option]
}

const EMPTY = Symbol('null') // Commander reads null as an option without a value.
const hints = { text: 'text', word: 'value', instant: 'time', number: 'number', list: 'a,b', json: 'json' }

/** What was given, as nested objects, laid over `base`. */
export function valuesOf(fields: readonly Field[], given: Values, base: Values = {}): Values {
  const body = structuredClone(base)
  for (const field of fields) {
    const value = given[optionsOf(field)[0]?.attributeName() ?? '']
    if (value === undefined) continue
    const target = field.path
      .slice(0, -1)
      .reduce<Values>((at, name) => (at[name] = { ...(at[name] as object) }) as Values, body)
    target[field.path.at(-1) ?? ''] = value === EMPTY ? null : value
  }
  return body
}

/** What was given, as texts of a query string. */
export function queryOf(fields: readonly Field[], given: Values): Record<string, string> {
  return Object.fromEntries(Object.entries(valuesOf(fields, given)).map(([name, value]) => [name, String(value)]))
}

/** The JSON in a text. Throws an error that Commander shows with the option's name. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidArgumentError('It must be valid JSON.')
  }
}

/** A whole number; throws an error that Commander shows with the option's name. */
export function numberIn(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

// `12h` is that long ago; the back office checks any other text.
function instantIn(text: string): string {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  return count === undefined ? text : new Date(Date.now() - Number(count) * (unitMs[unit] ?? 0)).toISOString()
}

// The choices stand behind the words.
function wordsIn(description: string): string {
  return description.replaceAll('`', '').replace(/:? one of .*, or several joined by commas\.$/, '.')
}

function kindOf(field: Schema, part: Schema): Kind {
  const { type, format } = field
  if (knownValues in field) return 'list'
  if (type === 'array') return part.type === 'string' || part.enum !== undefined ? 'list' : 'json'
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  if (format === 'date-time') return 'instant'
  return format === 'uuid' ? 'word' : 'text'
}

// The schema without null.
function partOf(schema: Schema): Schema {
  const parts = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (parts === undefined)
    return { ...schema, ...('type' in schema ? { type: [schema.type].flat().find(isNoNull) } : {}) }
  const [only, ...more] = parts.filter(({ type }) => isNoNull(type))
  return only === undefined || more.length > 0 ? {} : only
}

function isNoNull(type: unknown): boolean {
  return type !== 'null'
}

function aboutIn({ description }: Schema): Schema {
  return description === undefined ? {} : { description }
}

function kebab(name: string): string {
  return name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
