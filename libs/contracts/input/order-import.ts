// The order and the refund of an import file, with ids in place of the file's keys: docs/spec/imports.md#shopify-orders,
// docs/spec/imports.md#retail-transactions. Each is checked alone, so that a wrong one fails no other.
import { z } from 'zod'
import { isCountry } from './country.ts'
import { limits } from '../limits.ts'
import { deliveryMethods, orderStatuses, paymentMethods, paymentStatuses, productKinds } from '../objects/order.ts'
import { instantParam } from '../actions/params.ts'
import { cents, importedAddressLines, importedName, line } from './fields.ts'
import { optionalText, storableText } from './text.ts'

const id = z.guid().nullable()

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

/** Statuses and amounts are taken as the file says them. */
export const importedOrder = z.object({
  client_id: id,
  status: z.enum(orderStatuses),
  payment_status: z.enum(paymentStatuses),
  payment_method: z.enum(paymentMethods),
  customer: z.object({ name: importedName, email: optionalText(limits.emailLengthMax), phone: line }),
  address: z.object({
    ...importedAddressLines,
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
  // What the file says belongs to its fingerprint. The order itself changes when it is imported.
  updated_at: instantParam,
  lines: z.array(importedLine).min(1),
})

/** Money back on the contact's latest order until `at` that holds the SKU, compared without case. */
export const importedRefund = z.object({
  client_id: id,
  sku: storableText(limits.wordLengthMax),
  amount_cents: cents.min(1),
  at: instantParam,
})

/** Why a refund of a contact is skipped. */
export const noOrder = {
  code: 'no_order',
  message: 'No earlier order of this contact holds the SKU and has that much left.',
}

export type ImportedOrder = z.output<typeof importedOrder>
export type ImportedRefund = z.output<typeof importedRefund>
