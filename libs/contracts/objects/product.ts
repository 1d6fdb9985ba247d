// The published product and its variants: docs/spec/objects.md#product, docs/spec/objects.md#variant.
import { z } from 'zod'
import { productKinds, serviceModes } from './order.ts'
import { instant, money, openEnumeration, uuid } from './scalar.ts'

export const membershipIntervals = ['month', 'year'] as const

/** docs/spec/objects.md#variant */
export const variant = z
  .object({
    id: uuid,
    sku: z.string().nullable(),
    options: z.record(z.string(), z.string()),
    price: money,
    stock: z.int().nullable(),
    isAvailable: z.boolean(),
  })
  .meta({ id: 'Variant' })

/** docs/spec/objects.md#product */
export const product = z
  .object({
    id: uuid,
    object: z.literal('product'),
    title: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    kind: openEnumeration(productKinds, 'Decides which of booking, event and membership is present.'),
    tags: z.array(z.string()),
    price: money,
    compareAt: money.nullable(),
    trackInventory: z.boolean(),
    stock: z.int().nullable().meta({ description: 'Null means not counted, not zero.' }),
    inStock: z.boolean().meta({ description: 'Whether it can be bought now; gate a listing on this.' }),
    isPublished: z.boolean(),
    isFeatured: z.boolean(),
    booking: z
      .object({
        durationMinutes: z.int().nullable(),
        serviceMode: openEnumeration(serviceModes, 'Where it takes place.').nullable(),
        leadHours: z.int().nullable(),
      })
      .nullable(),
    event: z.object({ startsAt: instant.nullable() }).nullable(),
    membership: z
      .object({
        interval: openEnumeration(membershipIntervals, 'Billing interval.').nullable(),
        trialDays: z.int().nullable(),
      })
      .nullable(),
    variants: z.array(variant).meta({ description: 'Always empty on the list, populated on the detail.' }),
    createdAt: instant.nullable(),
    updatedAt: instant.nullable(),
  })
  .meta({ id: 'Product' })

export type MembershipInterval = (typeof membershipIntervals)[number]
export type Product = z.infer<typeof product>
export type Variant = z.infer<typeof variant>
