// The objects of exports: the published ones with what only the seller knows, so that an import makes an equal object.
// docs/spec/imports.md#export
import { z } from 'zod'
import { contact } from './contact.ts'
import { order } from './order.ts'
import { product, variant } from './product.ts'
import { instant, openEnumeration } from './scalar.ts'
import { subscription } from './subscription.ts'

const privateNote = z.string().nullable().meta({ description: "The seller's own note." })
const continueSelling = z.boolean().meta({ description: 'Whether it can be bought at zero stock.' })
const soldOut = z.boolean().meta({ description: 'Whether it cannot be bought although nobody counts it.' })

export const exportedOrder = order.extend({ privateNote }).meta({ id: 'ExportedOrder' })

export const exportedProduct = product
  .extend({
    sku: z.string().nullable().meta({ description: "The product's own SKU; lines of variants have theirs." }),
    continueSelling,
    soldOut,
    variants: z.array(
      variant
        .extend({
          inheritsPrice: z.boolean().meta({ description: 'Whether its price is that of the product.' }),
          continueSelling,
          soldOut,
        })
        .meta({ id: 'ExportedVariant' }),
    ),
  })
  .meta({ id: 'ExportedProduct' })

export const consentKinds = ['given', 'withdrawn'] as const

/** docs/spec/double-opt-in.md#consent-record */
const consent = z
  .object({
    kind: openEnumeration(consentKinds, 'What the person did.'),
    at: instant,
    email: z.string().nullable().meta({ description: 'The address that the consent is for.' }),
    address: z.string().nullable().meta({ description: 'The network address; null where the back office brought it.' }),
    agent: z.string().nullable().meta({ description: 'The program of the person.' }),
    textVersion: z.string().nullable().meta({ description: 'The words that the person agreed to.' }),
    source: z.string(),
  })
  .meta({ id: 'Consent' })

export const exportedContact = contact
  .extend({ privateNote, consents: z.array(consent).meta({ description: 'All consent records, oldest first.' }) })
  .meta({ id: 'ExportedContact' })

export const exportedSubscription = subscription
  .extend({
    anchorAt: instant.nullable().meta({ description: 'Where the periods count from.' }),
    periods: z.int().meta({ description: 'How many intervals after the anchor the current period ends.' }),
  })
  .meta({ id: 'ExportedSubscription' })

export type ExportedOrder = z.infer<typeof exportedOrder>
export type ExportedProduct = z.infer<typeof exportedProduct>
export type ExportedContact = z.infer<typeof exportedContact>
export type ExportedSubscription = z.infer<typeof exportedSubscription>
