// What the back office takes with the file of an import, in the query: docs/spec/back-office.md#imports.
import { z } from 'zod'
import { paymentMethods } from '../objects/order.ts'

export const importFormats = [
  'shopify-products',
  'shopify-orders',
  'shopify-customers',
  'woocommerce-products',
  'spree-products',
  'spree-customers',
  'retail',
  'storefront-orders',
  'storefront-products',
  'storefront-contacts',
  'storefront-subscriptions',
] as const

export type ImportFormatName = (typeof importFormats)[number]

export const importQuery = z.object({
  format: z.enum(importFormats).optional().meta({ description: 'Absent: the header decides.' }),
  dry_run: z.boolean().optional().meta({ description: 'Reports what the import would do, and changes nothing.' }),
  background: z.boolean().optional().meta({
    description: 'Answers 202 when the file has arrived, and imports it afterwards.',
  }),
  create_contacts: z.boolean().optional().meta({ description: 'Makes contacts of the buyers of imported orders.' }),
  default_payment_method: z
    .enum(paymentMethods)
    .optional()
    .meta({ description: 'For orders of which the file names none; `bank_transfer` when absent.' }),
})
