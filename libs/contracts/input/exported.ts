// The objects of our own exports as an import sends them to the services: fields by the names of libs/export/columns.ts, each
// optional. An absent field stays as it is, null empties it. Amounts are minor units of the shop's currency.
// docs/spec/imports.md#our-own-files
import { z } from 'zod'
import { instantParam } from '../actions/params.ts'
import { limits } from '../limits.ts'
import { consentKinds } from '../objects/exported.ts'
import {
  deliveryMethods,
  orderStatuses,
  paymentMethods,
  paymentStatuses,
  productKinds,
  serviceModes,
} from '../objects/order.ts'
import { membershipIntervals } from '../objects/product.ts'
import { billingModes, manualPaymentMethods, subscriptionStatuses } from '../objects/subscription.ts'
import { contactSource } from './contact.ts'
import { cents, countryInput, line, personName } from './fields.ts'
import { productOptions, productStock, productTags, productTitle } from './product.ts'
import { optionalText, storableText } from './text.ts'

const id = z.guid()
const link = id.nullable().optional()
const wireInstant = instantParam.refine((at) => /^\d{4}-/.test(at.toISOString()), {
  error: 'must lie in the years 0001 to 9999',
})
const instant = wireInstant.optional()
const instantOrNone = wireInstant.nullable().optional()
const amount = cents.optional()
const text = optionalText(limits.textLengthMax)
const flag = z.boolean().optional()

const address = {
  'address.line1': line,
  'address.line2': line,
  'address.city': line,
  'address.region': line,
  'address.postalCode': line,
  'address.country': countryInput,
}

const item = z.strictObject({
  id: id.optional(),
  productId: link,
  variantId: link,
  title: storableText(limits.titleLengthMax).optional(),
  variantLabel: optionalText(limits.descriptionLengthMax), // The names of all options.
  sku: line,
  kind: z.enum(productKinds).optional(),
  quantity: z.int().min(1).max(limits.quantityMax).optional(),
  unitPrice: amount,
  subtotal: amount,
})

export const orderFields = z.strictObject({
  status: z.enum(orderStatuses).optional(),
  paymentStatus: z.enum(paymentStatuses).optional(),
  paymentMethod: z.enum(paymentMethods).optional(),
  subtotal: amount,
  discount: amount,
  deliveryFee: amount,
  tax: amount,
  total: amount,
  refunded: amount,
  itemCount: z.int().min(0).optional(),
  'customer.clientId': link,
  'customer.name': personName,
  'customer.email': optionalText(limits.emailLengthMax),
  'customer.phone': line,
  ...address,
  'delivery.method': z.enum(deliveryMethods).nullable().optional(),
  'delivery.label': line,
  'delivery.pickupLocation': line,
  'delivery.trackingCarrier': line,
  'delivery.trackingNumber': line,
  'delivery.trackingUrl': optionalText(limits.linkLengthMax).refine(
    (url) => typeof url !== 'string' || /^https?:\/\//i.test(url),
    { error: 'must be an http or https link' },
  ),
  'delivery.shippedAt': instantOrNone,
  booking: flag,
  'booking.scheduledFor': instantOrNone,
  'booking.serviceMode': z.enum(serviceModes).nullable().optional(),
  'booking.serviceLocation': text,
  'coupon.code': line,
  'affiliate.code': line,
  note: text,
  privateNote: text,
  createdAt: instant,
  items: z.array(item).optional(),
})

const variant = z.strictObject({
  id: id.optional(),
  sku: line,
  options: productOptions.optional(),
  price: amount,
  inheritsPrice: flag,
  stock: productStock.nullable().optional(),
  continueSelling: flag,
  soldOut: flag,
})

export const productFields = z.strictObject({
  title: productTitle.optional(),
  slug: z.string().min(1).max(limits.wordLengthMax).optional(),
  description: optionalText(limits.descriptionLengthMax),
  kind: z.enum(productKinds).optional(),
  tags: productTags.optional(),
  sku: line,
  price: amount,
  compareAt: cents.nullable().optional(),
  trackInventory: flag,
  stock: productStock.nullable().optional(),
  continueSelling: flag,
  soldOut: flag,
  isPublished: flag,
  isFeatured: flag,
  'booking.durationMinutes': z.int().min(1).max(limits.appointmentMinutesMax).nullable().optional(),
  'booking.serviceMode': z.enum(serviceModes).nullable().optional(),
  'booking.leadHours': z.int().min(0).max(limits.leadHoursMax).nullable().optional(),
  'event.startsAt': instantOrNone,
  'membership.interval': z.enum(membershipIntervals).nullable().optional(),
  'membership.trialDays': z.int().min(0).max(limits.trialDaysMax).nullable().optional(),
  createdAt: instant,
  variants: z.array(variant).max(limits.variantsMax).optional(),
})

const consent = z.strictObject({
  kind: z.enum(consentKinds),
  at: wireInstant,
  email: line,
  address: line,
  agent: optionalText(limits.textLengthMax),
  textVersion: line,
  source: storableText(limits.tagLengthMax),
})

export const contactFields = z.strictObject({
  name: personName,
  email: line,
  phone: line,
  tags: z.array(z.string()).max(limits.tagsPerContact).optional(),
  source: contactSource.optional(),
  marketingConsentAt: instantOrNone,
  ...address,
  privateNote: text,
  createdAt: instant,
  consents: z.array(consent).max(limits.consentsPerContact).optional(),
})

export const subscriptionFields = z.strictObject({
  status: z.enum(subscriptionStatuses).optional(),
  productId: id.optional(),
  clientId: id.optional(),
  price: amount,
  interval: z.enum(membershipIntervals).optional(),
  billingMode: z.enum(billingModes).optional(),
  paymentMethod: z.enum(manualPaymentMethods).nullable().optional(),
  anchorAt: instantOrNone,
  periods: z.int().min(0).max(1_000_000).optional(),
  currentPeriodEnd: instantOrNone,
  cancelAtPeriodEnd: flag,
  canceledAt: instantOrNone,
  trialEndsAt: instantOrNone,
  startedAt: instantOrNone,
  createdAt: instant,
})

export type OrderFields = z.output<typeof orderFields>
export type ItemFields = z.output<typeof item>
export type ProductFields = z.output<typeof productFields>
export type ContactFieldsOfFile = z.output<typeof contactFields>
export type ConsentFields = z.output<typeof consent>
export type SubscriptionFields = z.output<typeof subscriptionFields>
