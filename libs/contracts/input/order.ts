// The bodies about orders that the back office may send: docs/spec/back-office.md#orders,
// docs/spec/order-states.md#correct-an-order, docs/spec/back-office.md#order-moves. They are strict, so that a misspelt
// field is refused by name. The service checks what needs the shop, the catalogue or the order's state.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { deliveryMethods, order, paymentMethods, productKinds, serviceModes } from '../objects/order.ts'
import { instantParam } from '../actions/params.ts'
import { addressInput, currencyCode, line, moneyInput, personName, readOnly } from './fields.ts'
import { orBlank, visiblePattern, withRule } from './rule.ts'
import { optionalText, storableText, trimInvisible } from './text.ts'

const requiredText = (max: number) =>
  withRule(
    storableText(max),
    (text) => trimInvisible(text) !== '',
    { error: 'must not be blank' },
    { pattern: visiblePattern },
  )

// The wire form has four digits for the year; an offset can push an instant out of them.
const wireInstant = instantParam.refine((instant) => /^\d{4}-/.test(instant.toISOString()), {
  error: 'must lie in the years 0001 to 9999',
})

// Not the whole grammar: only what cannot be an address at all is refused.
const addressForm = /^[^\s@\p{C}]+@[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+$/u
const email = withRule(
  optionalText(limits.emailLengthMax).transform((text) => (typeof text === 'string' ? trimInvisible(text) : text)),
  (text) => typeof text !== 'string' || addressForm.test(text),
  { error: 'must be an email address' },
  { pattern: orBlank('\\s*[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+\\s*') },
)

const money = moneyInput.extend({ currency: currencyCode.nullable().optional() })
const optionalMoney = money.nullable().optional()
const code = z.strictObject({ code: requiredText(limits.wordLengthMax) })
const quantity = z.int().min(1).max(limits.quantityMax)
const derived = { id: readOnly, subtotal: readOnly }

/** An item of the catalogue, from which title, sku, kind and price are copied; values sent for them are dropped. */
const catalogueItem = z.strictObject({
  ...derived,
  productId: z.uuid(),
  variantId: z.uuid().nullable().optional(),
  quantity,
  title: readOnly,
  variantLabel: readOnly,
  sku: readOnly,
  kind: readOnly,
  unitPrice: readOnly,
})

/** An item that is not in the catalogue. */
const freeItem = z.strictObject({
  ...derived,
  productId: z.null().optional(),
  variantId: z.null().optional(),
  title: requiredText(limits.titleLengthMax),
  variantLabel: line,
  sku: line,
  kind: z.enum(productKinds),
  quantity,
  unitPrice: money,
})

// A union would report the problems of both forms; `productId` tells which form is meant.
const item = z
  .unknown()
  .meta({ anyOf: [catalogueItem, freeItem].map(jsonSchemaOf) })
  .transform((value, context): CatalogueItem | FreeItem => {
    const namesProduct = typeof value === 'object' && value !== null && 'productId' in value && value.productId !== null
    const parsed = (namesProduct ? catalogueItem : freeItem).safeParse(value, { reportInput: true })
    if (parsed.success) return parsed.data
    context.issues.push(...(parsed.error.issues as typeof context.issues))
    return z.NEVER
  })

function jsonSchemaOf(form: z.ZodType): object {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(form, { io: 'input' })
  return schema
}

/** A new order. */
export const orderInput = z.strictObject({
  paymentMethod: z.enum(paymentMethods),
  paymentStatus: readOnly,
  customer: z.strictObject({ clientId: readOnly, name: personName, email, phone: line }).nullable().optional(),
  address: addressInput.nullable().optional(),
  delivery: z
    .strictObject({
      method: z.enum(deliveryMethods).nullable().optional(),
      label: line,
      pickupLocation: line,
      trackingCarrier: readOnly,
      trackingNumber: readOnly,
      trackingUrl: readOnly,
      shippedAt: readOnly,
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
  discount: optionalMoney,
  deliveryFee: optionalMoney,
  tax: optionalMoney,
  items: z.array(item).min(1).max(limits.orderLinesMax),
  createdAt: wireInstant.nullable().optional(),
  currency: currencyCode.nullable().optional(),
  id: readOnly,
  object: readOnly,
  status: readOnly,
  subtotal: readOnly,
  total: readOnly,
  refunded: readOnly,
  itemCount: readOnly,
  updatedAt: readOnly,
})

const { booking, address, customer, privateNote } = orderInput.shape
const unread = z.unknown().meta({ type: ['string', 'null'] })
const link = withRule(
  optionalText(limits.linkLengthMax),
  (text) => typeof text !== 'string' || isWebLink(text),
  { error: 'must be a link that begins with http:// or https://' },
  { pattern: orBlank('[hH][tT][tT][pP][sS]?://\\S+') },
)

/** An absent field stays as it is; null or blank empties it. */
export const shipInput = z.strictObject({ trackingCarrier: line, trackingNumber: line, trackingUrl: link })
export const cancelInput = z.strictObject({ refund: z.boolean().nullable().optional() })
/** `amount` absent or null: all that is not refunded yet. */
export const refundInput = z.strictObject({ amount: optionalMoney })
/** `amount` absent or null: the whole order. */
export const disputeInput = z.strictObject({ amount: optionalMoney, reason: optionalText(limits.textLengthMax) })
export const resolveDisputeInput = z.strictObject({ outcome: z.enum(['won', 'lost']) })
export const rescheduleInput = booking.unwrap().unwrap()

/** The fields of the buyer that a correction changes. */
export const customerChange = z.object({ customer })

const { address: _address, customer: _customer, ...others } = order.shape
const unchanged = Object.fromEntries(Object.keys(others).map((name) => [name, readOnly])) as Record<
  keyof typeof others,
  typeof readOnly
>

/**
 * A correction of an order; the fields that it cannot change are dropped. Those of the buyer are read by `customerChange` once
 * the stored ones are known: what was read may be sent back, also in a form that only an import takes.
 */
export const orderChange = z.strictObject({
  address,
  customer: z
    .strictObject({ clientId: readOnly, name: unread, email: unread, phone: unread })
    .partial()
    .nullable()
    .optional(),
  privateNote,
  ...unchanged,
})

export type CatalogueItem = z.output<typeof catalogueItem>
export type FreeItem = z.output<typeof freeItem>
export type OrderInput = z.output<typeof orderInput>
export type OrderChange = z.output<typeof orderChange>
export type CustomerChange = z.output<typeof customerChange>['customer']
export type MoneyInput = z.output<typeof optionalMoney>

// Readers of the order show it as a link, so no other scheme is allowed.
function isWebLink(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
}
