// The published order, its lines and their enumerations: docs/spec/objects.md#order,
// docs/spec/objects.md#enumeration-members.
import { z } from 'zod'
import { address, currencyCode, instant, money, openEnumeration, uuid } from './scalar.ts'

export const orderStatuses = ['new', 'confirmed', 'shipped', 'completed', 'cancelled', 'refunded'] as const
export const paymentStatuses = ['unpaid', 'pending', 'paid', 'refunded', 'disputed'] as const
export const paymentMethods = [
  'card',
  'bank_transfer',
  'cod',
  'paypal',
  'venmo',
  'whatsapp',
  'telegram',
  'instagram',
  'email',
  'phone',
] as const
export const productKinds = ['physical', 'digital', 'service', 'event', 'membership'] as const
export const serviceModes = ['in_person', 'online'] as const
export const deliveryMethods = ['shipping', 'collection'] as const

export type OrderStatus = (typeof orderStatuses)[number]
export type PaymentStatus = (typeof paymentStatuses)[number]
export type PaymentMethod = (typeof paymentMethods)[number]
export type ProductKind = (typeof productKinds)[number]
export type ServiceMode = (typeof serviceModes)[number]
export type DeliveryMethod = (typeof deliveryMethods)[number]

/** docs/spec/objects.md#line-item */
export const orderLine = z
  .object({
    id: uuid,
    productId: uuid
      .nullable()
      .meta({ description: 'Null once the product was deleted; the line keeps its own title, sku and prices.' }),
    variantId: uuid.nullable(),
    title: z.string().meta({ description: 'Product name at the moment of sale.' }),
    variantLabel: z.string().nullable(),
    sku: z.string().nullable(),
    kind: openEnumeration(productKinds, 'Kind of the product.'),
    quantity: z.int(),
    unitPrice: money,
    subtotal: money,
  })
  .meta({ id: 'OrderLine' })

/** docs/spec/objects.md#order */
export const order = z
  .object({
    id: uuid,
    object: z.literal('order'),
    status: openEnumeration(orderStatuses, 'Fulfilment stage.'),
    paymentStatus: openEnumeration(paymentStatuses, 'Money; says nothing about fulfilment.'),
    paymentMethod: openEnumeration(paymentMethods, 'How the buyer pays.'),
    currency: currencyCode,
    subtotal: money,
    discount: money,
    deliveryFee: money,
    tax: money,
    total: money.meta({ description: 'subtotal - discount + deliveryFee + tax.' }),
    refunded: money.meta({ description: 'Given back so far; outside the sum above.' }),
    itemCount: z.int().meta({ description: 'Total units across all lines.' }),
    customer: z.object({
      clientId: uuid.nullable().meta({ description: 'Contact id; null on a guest checkout that matched nobody.' }),
      name: z.string().nullable(),
      email: z.string().nullable(),
      phone: z.string().nullable(),
    }),
    address,
    delivery: z.object({
      method: openEnumeration(deliveryMethods, 'Null when no delivery is needed.').nullable(),
      label: z.string().nullable(),
      pickupLocation: z.string().nullable(),
      trackingCarrier: z.string().nullable(),
      trackingNumber: z.string().nullable(),
      trackingUrl: z.string().nullable(),
      shippedAt: instant.nullable(),
    }),
    booking: z
      .object({
        scheduledFor: instant.nullable(),
        serviceMode: openEnumeration(serviceModes, 'Where it takes place.').nullable(),
        serviceLocation: z.string().nullable(),
      })
      .nullable(),
    coupon: z.object({ code: z.string() }).nullable(),
    affiliate: z.object({ code: z.string() }).nullable(),
    note: z.string().nullable(),
    items: z.array(orderLine),
    createdAt: instant.nullable(),
    updatedAt: instant.nullable(),
  })
  .meta({ id: 'Order' })

export type Order = z.infer<typeof order>
export type OrderLine = z.infer<typeof orderLine>
