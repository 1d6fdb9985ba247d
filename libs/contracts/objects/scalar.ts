// Scalars of the published objects, money, address, and the envelope around every answer: docs/spec/objects.md#conventions,
// docs/spec/rest-api.md#envelope.
import { z } from 'zod'

/** docs/spec/objects.md#ids */
export const uuid = z.uuid().meta({ description: 'UUID, stable for the life of the object.' })
/** docs/spec/objects.md#instants */
export const instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ description: 'ISO 8601 in UTC with milliseconds.', format: 'date-time' })

/** An object in the list of stamps: docs/spec/rest-api.md#list-stamps */
export const stamp = z
  .object({
    id: uuid,
    updatedAt: instant.meta({ description: 'As in the object. Each new one of an object is later than its old one.' }),
  })
  .meta({ id: 'Stamp' })

/** An open enumeration: any lowercase word; the known members stand in the description. */
export function openEnumeration(members: readonly string[], about: string) {
  return z
    .string()
    .regex(/^[a-z][a-z_]*$/)
    .meta({ description: `${about} One of ${members.map((m) => `\`${m}\``).join(', ')}; more may be added.` })
}

/** The currency of the shop. */
export const currencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .meta({ description: 'ISO 4217, uppercase. Always the currency of the shop.' })

/** docs/spec/objects.md#money */
export const money = z
  .object({
    cents: z.int().meta({ description: 'Amount in the minor unit of the currency. Use it for arithmetic.' }),
    amount: z
      .string()
      .regex(/^-?\d+(\.\d+)?$/)
      .meta({
        description: 'The same amount as a decimal string, with the digits of the currency. Use it for display.',
      }),
    currency: currencyCode,
  })
  .meta({ id: 'Money' })

/** docs/spec/objects.md#address */
export const address = z
  .object({
    line1: z.string().nullable(),
    line2: z.string().nullable(),
    city: z.string().nullable(),
    region: z.string().nullable(),
    postalCode: z.string().nullable(),
    country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2, uppercase.' }),
  })
  .meta({ id: 'Address' })

/** The envelope of one object. */
export function single(object: z.ZodType) {
  return z.object({ data: object })
}

/** The envelope of a page of objects. */
export function page(object: z.ZodType) {
  return z.object({ data: z.array(object), has_more: z.boolean(), next_cursor: z.string().nullable() })
}

/** The envelope of a refusal. */
export const failure = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      param: z.string().nullable().meta({ description: 'The field, query parameter or header at fault.' }),
      requestId: z.string().meta({ description: 'As in the header `x-request-id`.' }),
      doc: z.string().meta({ description: 'Path of the page about the code.' }),
    }),
  })
  .meta({ id: 'Failure' })

export type MoneyObject = z.infer<typeof money>
