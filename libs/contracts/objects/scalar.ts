// Owns the scalar types of the wire: ids, instants, enumerations and money, as schemas.
// Spec: Conventions that apply to every object; money object.
import { z } from 'zod'

export const uuid = z.uuid().meta({ description: 'UUID, stable for the life of the object.' })
export const instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ description: 'ISO 8601 in UTC with milliseconds.', format: 'date-time' })

/** An open enumeration on the way out, every lowercase word; the known members stand in the description. */
export function openEnumeration(members: readonly string[], about: string) {
  return z
    .string()
    .regex(/^[a-z][a-z_]*$/)
    .meta({ description: `${about} One of ${members.map((m) => `\`${m}\``).join(', ')}; more may be added.` })
}

export const currencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .meta({ description: 'ISO 4217, uppercase. Always the currency of the shop.' })

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

export type MoneyObject = z.infer<typeof money>

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

export type AddressObject = z.infer<typeof address>
