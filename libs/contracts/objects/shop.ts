// The published shop (docs/spec/objects.md#shop), and the API key and its usage as the back office shows them
// (docs/spec/back-office.md#api-keys, docs/spec/request-log.md#usage).
import { z } from 'zod'
import { currencyCode, instant, openEnumeration, uuid } from './scalar.ts'

export const plans = ['basic', 'pro'] as const
/** What a key may be limited to: the first step of a path of the API. */
export const resources = ['orders', 'products', 'contacts', 'shop'] as const
/** `test`: nothing in the shop is real, so that test orders may be placed there. */
export const modes = ['live', 'test'] as const
export const accesses = ['read', 'write'] as const

/** docs/spec/objects.md#shop */
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

/** The shop as the back office shows it. */
export const shopRecord = shop
  .extend({
    ownerEmail: z.string().nullable(),
    plan: openEnumeration(plans, 'What the shop pays for.'),
    mode: openEnumeration(modes, '`test`: nothing in the shop is real.'),
  })
  .meta({ id: 'ShopRecord' })

/** An API key without its secret. */
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
    expiresAt: instant.nullable().meta({ description: 'Null: never.' }),
    allowedSources: z.array(z.string()).nullable().meta({ description: 'Address ranges that may use it; null: all.' }),
    resources: z.array(z.enum(resources)).nullable().meta({ description: 'What it reaches; null: everything.' }),
  })
  .meta({ id: 'ApiKey' })

/** The calls of one key in one minute; minutes without a call have no object. */
export const usage = z
  .object({
    object: z.literal('usage'),
    keyId: uuid,
    grantId: uuid.optional().meta({ description: 'Of a call of an agent: its grant. `keyId` is the same id then.' }),
    minute: instant.meta({ description: 'The beginning of the minute.' }),
    calls: z.int().meta({ description: 'Every authenticated call, refused ones included.' }),
    mcpCalls: z.int().meta({ description: 'Those over MCP; the others came over REST.' }),
    refused: z.int().meta({ description: 'Those answered 429 `rate_limited`.' }),
    p50Ms: z.number().nullable().meta({ description: 'Half of the calls were answered within this time.' }),
    p95Ms: z.number().nullable().meta({ description: '95 % of the calls were answered within this time.' }),
    answers: z
      .object({ '2xx': z.int(), '4xx': z.int(), '429': z.int(), '5xx': z.int() })
      .meta({ description: 'Calls by the status of their answer; `4xx` without 429.' }),
  })
  .meta({ id: 'Usage' })

export type Plan = (typeof plans)[number]
export type Resource = (typeof resources)[number]
export type Mode = (typeof modes)[number]
export type Access = (typeof accesses)[number]
export type ShopObject = z.infer<typeof shop>
export type ShopRecord = z.infer<typeof shopRecord>
export type ApiKey = z.infer<typeof apiKey>
export type Usage = z.infer<typeof usage>
