// Reads a query string into the params of an action (docs/spec/rest-api.md#query-values, docs/spec/rest-api.md#unknown-input). The
// action's schema says which parameter is a number; what its value may be, the owning service decides. A parameter that occurs
// twice is refused. An unknown one is ignored in the public API and refused in the back office (docs/spec/back-office.md#input).
import { z } from 'zod'
import { type ActionName, actions } from '#contracts/actions'
import { otherValuesIgnored } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'

/** `formatted`: text that holds no spaces. `only-true`: any value but `true` is as if absent. */
type Kind = 'integer' | 'boolean' | 'formatted' | 'text' | 'only-true'
export type QueryParams = Record<string, string | number | boolean>

export type ReadQuery = (query: string) => QueryParams
type Options = { unknown: 'ignored' | 'refused' }

/** A reader of query strings (without `?`) for one action; `fromPath` names the params that are not in the query. */
export function queryReader(action: ActionName, fromPath: readonly string[], options?: Options): ReadQuery {
  return schemaReader(actions[action], fromPath, options)
}

/** The same for the params of a schema. */
export function schemaReader(
  schema: z.ZodType,
  fromPath: readonly string[],
  { unknown }: Options = { unknown: 'ignored' },
): ReadQuery {
  const kinds = kindsOf(schema)
  for (const name of fromPath) kinds.delete(name)
  return (query) => {
    const params: QueryParams = {}
    if (query === '') return params
    for (const pair of query.split('&')) {
      const equals = pair.indexOf('=')
      const name = decoded(equals === -1 ? pair : pair.slice(0, equals))
      const kind = name === null ? undefined : kinds.get(name)
      if (name === null || kind === undefined) {
        if (unknown === 'refused' && pair !== '') throw unknownParam(name, [...kinds.keys()])
        continue
      }
      const raw = equals === -1 ? '' : pair.slice(equals + 1)
      const text = kind === 'formatted' ? decodedLiterally(raw) : decoded(raw)
      if (kind === 'only-true') {
        if (text === 'true') params[name] = text
        continue
      }
      if (Object.hasOwn(params, name)) throw refuseParam(name, 'is given more than once')
      if (kind === 'text' && /^\+|\+$/.test(raw)) throw refuseParam(name, PLUS)
      if (text === null) throw refuseParam(name, 'is not valid percent-encoded UTF-8')
      params[name] = valueOf(name, kind, text)
    }
    return params
  }
}

function kindsOf(schema: z.ZodType): Map<string, Kind> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' })
  return new Map(Object.entries(properties).map(([name, property]) => [name, kindOf(property)]))
}

const PLUS = 'must not begin or end with +, which stands for a space here; write a plus as %2B'

function kindOf(property: unknown): Kind {
  const { type, format, ...rest } = property as { type?: unknown; format?: unknown }
  if (type === 'integer' || type === 'boolean') return type
  if (otherValuesIgnored in rest) return 'only-true'
  return format === undefined ? 'text' : 'formatted'
}

function valueOf(name: string, kind: Exclude<Kind, 'only-true'>, text: string): string | number | boolean {
  switch (kind) {
    case 'integer':
      if (!/^[0-9]+$/.test(text)) throw refuseParam(name, 'must be a positive integer, in digits only')
      return Math.min(Number(text), Number.MAX_SAFE_INTEGER) // Beyond it the number would not be an exact integer.
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw refuseParam(name, 'must be true or false')
      return text === 'true'
    case 'formatted':
    case 'text':
      return text
  }
}

// Forms write a space as `+`. An email address and an instant have no space, so there a plus is meant.
function decoded(text: string): string | null {
  return decodedLiterally(text.replaceAll('+', ' '))
}

function decodedLiterally(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null // Refused, or ignored with its parameter, by the caller.
  }
}

function unknownParam(name: string | null, known: string[]) {
  const subject = name !== null && /^[\w.[\]-]{1,64}$/.test(name) ? name : 'A name in the query string'
  const list = known.length === 0 ? 'it takes none' : `it takes ${known.toSorted().join(', ')}`
  return refuse('invalid_request', `${subject} is not a query parameter of this call; ${list}.`, {
    ...(name === null ? {} : { field: name }),
  })
}

function refuseParam(name: string, words: string) {
  return refuse('invalid_request', `${name} ${words}.`, { field: name })
}
