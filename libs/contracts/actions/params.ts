// Params that several actions share, such as paging and time filters: docs/spec/rest-api.md#paging,
// docs/spec/rest-api.md#time-filters.
import { z } from 'zod'
import { isStorable, quoted, unstorable } from '../input/text.ts'
import { limits } from '../limits.ts'
import { type MessageKind, MESSAGES_MAX } from '../outbox-messages.ts'

/** An RFC 3339 instant, as a Date. Digits finer than a millisecond round up, since stored instants have milliseconds. */
export const instantParam = z
  .string()
  .max(40)
  .refine((text) => RFC3339.test(text) && isDay(text) && !Number.isNaN(Date.parse(text)), {
    message: 'must be an instant in RFC 3339 form, for example 2026-08-12T09:30:00Z',
  })
  .transform((text) => {
    const finer = /\.\d{3}(\d*[1-9]\d*)/.test(text)
    return new Date(Date.parse(text) + (finer ? 1 : 0))
  })
  .meta({ format: 'date-time' })

// Date.parse reads 30 February as 2 March.
function isDay(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/

/** Params of a list's versions, which answers `{ versions }`, one number a shop: docs/spec/internals.md#page-cache. */
export const versionsParams = z.object({ shop_ids: z.array(z.guid()).min(1).max(limits.versionsAtOnce) })

const limitParam = (usual: number, max: number) =>
  z
    .int()
    .refine((limit) => limit >= 1, 'must be a positive integer')
    .optional()
    .meta({ minimum: 1, description: `Rows of a page; ${usual} when absent, more than ${max} is read as ${max}.` })

/** Params of every list. */
export const pageParams = {
  limit: limitParam(limits.pageDefault, limits.pageMax),
  cursor: z
    .string()
    .max(512)
    .optional()
    .meta({ description: '`next_cursor` of the page before; absent for the first page.' }),
}

/** Params of the stamps of a list: docs/spec/rest-api.md#list-stamps */
export const stampsParams = z.object({
  prefix: z
    .string()
    .regex(/^[0-9A-Fa-f]{0,8}$/, 'must be 0 to 8 hexadecimal digits, the first ones of an id')
    .transform((digits) => digits.toLowerCase())
    .optional()
    .meta({ description: 'Only ids that begin with these 0 to 8 hexadecimal digits.' }),
  limit: limitParam(limits.stampsDefault, limits.stampsMax),
  cursor: pageParams.cursor,
})

/** Half-open ranges of instants. */
export const createdParams = {
  created_after: instantParam.optional().meta({
    description:
      'Only objects created at or after this instant. A client that asks with the largest `createdAt` it got under this filter misses none.',
  }),
  created_before: instantParam.optional().meta({ description: 'Only objects created before this instant.' }),
}
export const timeParams = {
  ...createdParams,
  updated_after: instantParam.optional().meta({
    description:
      'Only objects changed at or after this instant. A client that asks with the largest `updatedAt` it got under this filter misses no change.',
  }),
  updated_before: instantParam.optional().meta({ description: 'Only objects changed before this instant.' }),
}

/** An id in a path: any text; text that is not a UUID names no object. */
export const idParam = z.object({ id: z.string().meta({ description: 'Id of the object, a UUID.' }) })

/** A filter by the id of another object, in the one spelling that a cursor is bound to. */
export const idFilter = z
  .string()
  .refine(isUuid, 'must be a UUID')
  .transform((id) => id.toLowerCase())
  .meta({ format: 'uuid' })

// In the schema of a param: it takes the JSON body of a request.
const isBody = 'x-body'

/** A param that takes the JSON body of a request, `{}` where it is absent. A refusal names the field of the body alone. */
export function bodyParam<Body extends z.ZodType>(body: Body) {
  return body.prefault({} as never).meta({ [isBody]: true })
}

/** Whether the param takes the JSON body of a request. */
export function isBodyParam(param: z.ZodType): param is z.ZodPrefault<z.ZodType> {
  return param.meta()?.[isBody] === true
}

/** A search word of at most `max` characters, not trimmed. */
export const wordParam = (max: number) =>
  z.string().min(1, 'must not be empty').max(max).refine(isStorable, { message: unstorable })

/** In the schema of a query parameter: any other value, also a repeated or malformed one, is as if the parameter were absent. */
export const otherValuesIgnored = 'x-other-values-ignored'

/** In the schema of a query parameter: the values of which it takes one or several. */
export const knownValues = 'x-known-values'

/** A filter by one value of an enumeration, or by several, joined by commas. docs/spec/rest-api.md#enumerated-filters */
export function valuesParam<Value extends string>(values: readonly Value[]) {
  const one = `(${values.map((value) => value.replaceAll(/[.*]/g, '\\$&')).join('|')})`
  return z
    .string()
    .transform((text, context) => {
      const wanted = new Set(text.split(',').map((value) => value.trim()))
      // In one order, so that a cursor serves the same values in any order.
      const known = values.filter((value) => wanted.has(value))
      if (known.length === wanted.size) return known
      const wrong = [...wanted].find((value) => !(values as readonly string[]).includes(value)) ?? ''
      context.addIssue({ code: 'custom', message: `must be one of ${values.join(', ')}, not ${quoted(wrong)}` })
      return z.NEVER
    })
    .meta({ pattern: `^${one}(,${one})*$`, [knownValues]: values })
}

/** How the description of such a filter names its values. */
export function oneOrSeveral(values: readonly string[]): string {
  return `one of ${values.map((value) => `\`${value}\``).join(', ')}, or several joined by commas.`
}

/** Narrows a list with the value `true` and no other. */
export const onlyTrueParam = z
  .string()
  .transform((text): string | undefined => (text === 'true' ? text : undefined))
  .optional()
  .meta({ [otherValuesIgnored]: true })

/** An email address to search for. */
export const emailParam = wordParam(limits.emailLengthMax).meta({ format: 'email' })

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text is a UUID; the database refuses to compare ids with other texts. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** A message of an outbox, as its receivers get it. */
export function messageParams<Kind extends MessageKind, Body extends z.ZodType>(kind: Kind, body: Body) {
  return z.object({ id: z.guid(), kind: z.literal(kind), shop_id: z.guid(), body })
}

/** Params of an action that receives one message, or several in one call; `receivedMessages` opens them. */
export function oneOrSeveralMessages<Kind extends MessageKind, Body extends z.ZodType>(
  message: ReturnType<typeof messageParams<Kind, Body>>,
) {
  const { id, kind, shop_id, body } = message.shape
  return z.object({
    id: id.optional(),
    kind: kind.optional(),
    shop_id: shop_id.optional(),
    body: body.optional(),
    messages: z.array(message).min(1).max(MESSAGES_MAX).optional(),
  })
}
