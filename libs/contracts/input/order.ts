// Owns the order as the back office may place it: strict, so that a misspelt field is refused and named.
// Back office: POST /shops/{shop}/orders; Conventions ("input mirrors output": what a GET returned may be sent back, so
// the fields that only the server sets are listed and dropped). What needs the shop or the catalogue is the service's.
import { z } from 'zod'
import { addressInput } from './address.ts'
import { limits } from '../limits.ts'
import { deliveryMethods, paymentMethods, productKinds, serviceModes } from '../objects/order.ts'
import { instantParam } from '../actions/params.ts'
import { optionalText, storableText, trimInvisible } from './text.ts'

/** A field that only the server sets. */
const dropped = z.unknown().optional()
const line = optionalText(limits.wordLengthMax)

const requiredText = (max: number) =>
  storableText(max).refine((text) => trimInvisible(text) !== '', { error: 'must not be blank' })

// The wire form has four digits for the year; an offset can push an instant out of them.
const wireInstant = instantParam.refine((instant) => /^\d{4}-/.test(instant.toISOString()), {
  error: 'must lie in the years 0001 to 9999',
})

// Not the whole grammar: what cannot be an address at all is refused, the rest is the buyer's to get right.
const addressForm = /^[^\s@\p{C}]+@[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+$/u
const email = optionalText(limits.emailLengthMax)
  .transform((text) => (typeof text === 'string' ? trimInvisible(text) : text))
  .refine((text) => typeof text !== 'string' || addressForm.test(text), { error: 'must be an email address' })

/** `amount` is ignored; `currency` is compared with the shop's by the service. */
const moneyInput = z.strictObject({
  cents: z.int().min(0).max(limits.centsMax),
  amount: dropped,
  currency: z.string().nullable().optional(),
})

const code = z.strictObject({ code: requiredText(limits.wordLengthMax) })
const quantity = z.int().min(1).max(limits.quantityMax)
const derived = { id: dropped, subtotal: dropped }

/** Title, sku, kind and price of such an item are copied from the catalogue, so what was sent for them is dropped. */
const catalogueItem = z.strictObject({
  ...derived,
  productId: z.uuid(),
  variantId: z.uuid().nullable().optional(),
  quantity,
  title: dropped,
  variantLabel: dropped,
  sku: dropped,
  kind: dropped,
  unitPrice: dropped,
})

const freeItem = z.strictObject({
  ...derived,
  productId: z.null().optional(),
  variantId: z.null().optional(),
  title: requiredText(limits.titleLengthMax),
  variantLabel: line,
  sku: line,
  kind: z.enum(productKinds),
  quantity,
  unitPrice: moneyInput,
})

export type CatalogueItem = z.output<typeof catalogueItem>
export type FreeItem = z.output<typeof freeItem>

// A union would answer for both forms at once; the form that is meant is known by its productId, so only it is opened.
const item = z.unknown().transform((given, context): CatalogueItem | FreeItem => {
  const namesProduct = typeof given === 'object' && given !== null && 'productId' in given && given.productId !== null
  const opened = (namesProduct ? catalogueItem : freeItem).safeParse(given, { reportInput: true })
  if (opened.success) return opened.data
  context.issues.push(...(opened.error.issues as typeof context.issues))
  return z.NEVER
})

export const orderInput = z.strictObject({
  paymentMethod: z.enum(paymentMethods),
  paymentStatus: dropped,
  customer: z.strictObject({ clientId: dropped, name: line, email, phone: line }).nullable().optional(),
  address: addressInput.nullable().optional(),
  delivery: z
    .strictObject({
      method: z.enum(deliveryMethods).nullable().optional(),
      label: line,
      pickupLocation: line,
      trackingCarrier: dropped,
      trackingNumber: dropped,
      trackingUrl: dropped,
      shippedAt: dropped,
    })
    .nullable()
    .optional(),
  booking: z
    .strictObject({
      scheduledFor: wireInstant.nullable().optional(),
      serviceMode: z.enum(serviceModes).nullable().optional(),
      serviceLocation: optionalText(limits.textLengthMax),
    })
    .nullable()
    .optional(),
  coupon: code.nullable().optional(),
  affiliate: code.nullable().optional(),
  note: optionalText(limits.textLengthMax),
  privateNote: optionalText(limits.textLengthMax),
  discount: moneyInput.nullable().optional(),
  deliveryFee: moneyInput.nullable().optional(),
  tax: moneyInput.nullable().optional(),
  items: z.array(item).min(1).max(limits.orderLinesMax),
  createdAt: wireInstant.nullable().optional(),
  currency: z.string().nullable().optional(),
  id: dropped,
  object: dropped,
  status: dropped,
  subtotal: dropped,
  total: dropped,
  refunded: dropped,
  itemCount: dropped,
  updatedAt: dropped,
})

export type OrderInput = z.output<typeof orderInput>
