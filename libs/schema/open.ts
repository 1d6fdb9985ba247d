// Validates params by a contract's schema and words the refusal: the field first, then what it must be.
// docs/spec/rest-api.md#malformed-requests
import { z } from 'zod'
import { isBodyParam } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'

/** The params as the schema types them. Refuses invalid_request naming the first field that is wrong. */
export function openParams<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const opened = schema.safeParse(params ?? {}, { reportInput: true })
  if (opened.success) return opened.data
  const [issue] = opened.error.issues
  if (issue === undefined) throw new Error('A schema refused without saying why.')
  const field = fieldOf(schema, issue)
  throw refuse('invalid_request', `${field === '' ? 'The body' : field} ${wordsFor(issue)}.`, { field })
}

type Issue = z.core.$ZodIssue

function fieldOf(schema: z.ZodType, issue: Issue): string {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path
  return withoutBodyParam(schema, path)
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : (index === 0 ? '' : '.') + String(step)))
    .join('')
}

// The caller sent the body, not the param that takes it: `items[2].sku`, not `order.items[2].sku`.
function withoutBodyParam(schema: z.ZodType, path: PropertyKey[]): PropertyKey[] {
  const [first, ...others] = path
  const param =
    schema instanceof z.ZodObject ? (schema.shape as Record<PropertyKey, z.ZodType>)[first ?? ''] : undefined
  return param !== undefined && isBodyParam(param) ? others : path
}

const NOUNS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function wordsFor(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required'
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'unrecognized_keys':
      return 'is not a field of this object'
    case 'too_small':
      return boundWords('at least', issue.minimum, issue.origin)
    case 'too_big':
      return boundWords('at most', issue.maximum, issue.origin)
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? `in the form ${issue.format}`}`
    default:
      return issue.message
  }
}

const FORMATS: Record<string, string> = {
  uuid: 'a UUID',
  email: 'an email address',
  datetime: 'an instant in RFC 3339 form, for example 2026-08-12T09:30:00Z',
  url: 'a URL',
}

function boundWords(side: string, bound: number | bigint, origin: string): string {
  if (origin === 'string' && Number(bound) === 1 && side === 'at least') return 'must not be empty'
  if (origin === 'string') return `must be ${side} ${bound} characters long`
  if (origin === 'array') return `must have ${side} ${bound} entries`
  return `must be ${side} ${bound}`
}
