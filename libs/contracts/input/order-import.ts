// Owns the order and the refund of an import file, keys of the file already exchanged for ids.
// import-formats.md, sections 1, 3 and 6. A text that is too long or cannot be stored fails its order alone.
import { z } from 'zod'
import { isCountry } from './country.ts'
import { limits } from '../limits.ts'
import { deliveryMethods, orderStatuses, paymentMethods, paymentStatuses, productKinds } from '../objects/order.ts'
import { instantParam } from '../actions/params.ts'
import { optionalText, storableText } from './text.ts'

const line = optionalText(limits.wordLengthMax)
const cents = z.int().min(0).max(limits.centsMax)
const id = z.guid().nullable()

export const orderKey = storableText(limits.wordLengthMax)

const importedLine = z.object({
  product_id: id,
  variant_id: id,
  title: storableText(limits.titleLengthMax),
  variant_label: line,
  sku: line,
  kind: z.enum(productKinds),
  quantity: z.int().min(1).max(limits.quantityMax),
  unit_price_cents: cents,
})

export const importedOrder = z.object({
  client_id: id,
  status: z.enum(orderStatuses),
  payment_status: z.enum(paymentStatuses),
  payment_method: z.enum(paymentMethods),
  customer: z.object({ name: line, email: optionalText(limits.emailLengthMax), phone: line }),
  address: z.object({
    line1: line,
    line2: line,
    city: line,
    region: line,
    postal_code: line,
    country: z.string().refine(isCountry, { error: 'must be a country of ISO 3166-1 alpha-2' }).nullable(),
  }),
  delivery: z.object({ method: z.enum(deliveryMethods).nullable(), label: line }),
  coupon_code: line,
  note: optionalText(limits.textLengthMax),
  discount_cents: cents,
  delivery_fee_cents: cents,
  tax_cents: cents,
  refunded_cents: cents,
  shipped_at: instantParam.nullable(),
  created_at: instantParam,
  updated_at: instantParam,
  lines: z.array(importedLine).min(1),
})

export type ImportedOrder = z.output<typeof importedOrder>

/** Money back on the contact's latest order until `at` that holds the SKU, compared without case. */
export const importedRefund = z.object({
  client_id: id,
  sku: storableText(limits.wordLengthMax),
  amount_cents: cents.min(1),
  at: instantParam,
})

export type ImportedRefund = z.output<typeof importedRefund>

/** Why a refund of a contact is skipped. */
export const noOrder = {
  code: 'no_order',
  message: 'No earlier order of this contact holds the SKU and has that much left.',
}
