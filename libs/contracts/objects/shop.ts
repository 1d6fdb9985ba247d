// Owns the published shop record and the API key as the back office shows it.
// Spec: Other records ("a currency code, an IANA timeZone and a handle"); back office: shops, keys.
import { z } from 'zod'
import { currencyCode, instant, openEnumeration, uuid } from './scalar.ts'

export const plans = ['basic', 'pro'] as const
export const accesses = ['read', 'write'] as const

export const shop = z
  .object({
    id: uuid,
    object: z.literal('shop'),
    handle: z.string(),
    name: z.string(),
    currency: currencyCode,
    timeZone: z.string().meta({ description: 'IANA time zone.' }),
    country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Shop' })

export const shopRecord = shop
  .extend({ ownerEmail: z.string().nullable(), plan: openEnumeration(plans, 'What the shop pays for.') })
  .meta({ id: 'ShopRecord' })

export const apiKey = z
  .object({
    id: uuid,
    object: z.literal('api_key'),
    name: z.string(),
    access: openEnumeration(accesses, 'What the key may do.'),
    prefix: z.string(),
    lastFour: z.string(),
    lastUsedAt: instant.nullable(),
    createdAt: instant,
    revokedAt: instant.nullable(),
  })
  .meta({ id: 'ApiKey' })

export type ShopObject = z.infer<typeof shop>
export type ShopRecord = z.infer<typeof shopRecord>
export type ApiKey = z.infer<typeof apiKey>
