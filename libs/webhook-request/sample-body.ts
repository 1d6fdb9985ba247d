// Bodies of test events: docs/spec/webhooks.md#test-events. The order or subscription looks as it does right after the event.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { EventBody, EventKind } from '#contracts/objects/webhook-event'
import { type Order, order } from '#contracts/objects/order'
import type { Subscription } from '#contracts/objects/subscription'
import { EVENT_VERSION, SERVICE_VERSION } from '#contracts/versions'
import { toMoney } from '#money/money'

/** `epoch`: that of the shop, 0 where it was never restored. */
type Facts = { id: string; shopId: string; currency: string; now: Date; epoch?: number }

const DAY_MS = 86_400_000

/** The body of a test event, as it is sent. */
export function sampleBody(kind: EventKind, facts: Facts): string {
  const event: EventBody = {
    id: facts.id,
    object: 'event',
    type: kind,
    version: EVENT_VERSION,
    apiVersion: SERVICE_VERSION,
    timestamp: facts.now.toISOString(),
    shopId: facts.shopId,
    sequence: 0,
    epoch: facts.epoch ?? 0,
    test: true,
    data: kind.startsWith('subscription.') ? subscriptionAfter(kind, facts) : orderAfter(kind, facts),
  }
  return JSON.stringify(event)
}

type OrderFacts = Partial<Pick<Order, 'status' | 'paymentStatus' | 'paymentMethod'>> & { refundedCents?: number }

const paid = { status: 'new', paymentStatus: 'paid' }
const orders: Partial<Record<EventKind, OrderFacts>> = {
  'order.created': { status: 'new', paymentStatus: 'unpaid', paymentMethod: 'bank_transfer' },
  'order.paid': paid,
  'order.confirmed': { ...paid, status: 'confirmed' },
  'order.shipped': { ...paid, status: 'shipped' },
  'order.completed': { ...paid, status: 'completed' },
  'order.cancelled': { status: 'cancelled', paymentStatus: 'unpaid', paymentMethod: 'bank_transfer' },
  'order.refunded': { status: 'refunded', paymentStatus: 'refunded', refundedCents: 4_250 },
  'order.disputed': { ...paid, paymentStatus: 'disputed' },
  'order.dispute_closed': paid,
  'order.updated': { status: 'new', paymentStatus: 'pending', paymentMethod: 'paypal' },
  'booking.confirmed': { ...paid, status: 'confirmed' },
  'booking.rescheduled': { ...paid, status: 'confirmed' },
  'booking.cancelled': { status: 'cancelled', paymentStatus: 'unpaid', paymentMethod: 'bank_transfer' },
}

function orderAfter(kind: EventKind, { currency, now }: Facts): Order {
  const { status = 'new', paymentStatus = 'paid', paymentMethod = 'card', refundedCents = 0 } = orders[kind] ?? {}
  const isBooking = kind.startsWith('booking.')
  const hasShipped = kind === 'order.shipped' || kind === 'order.completed'
  const money = (cents: number) => toMoney(cents, currency)
  return {
    ...nullsOf(order),
    id: randomUUID(),
    object: 'order',
    status,
    paymentStatus,
    paymentMethod,
    currency,
    subtotal: money(4_000),
    discount: money(0),
    deliveryFee: money(isBooking ? 0 : 250),
    tax: money(isBooking ? 250 : 0),
    total: money(4_250),
    refunded: money(refundedCents),
    itemCount: 2,
    customer: { clientId: null, name: 'Test Customer', email: 'test@example.com', phone: null },
    address: isBooking
      ? { line1: null, line2: null, city: null, region: null, postalCode: null, country: null }
      : { line1: '1 Test Street', line2: null, city: 'Testville', region: null, postalCode: 'T1 1ST', country: 'GB' },
    delivery: {
      method: isBooking ? null : 'shipping',
      label: isBooking ? null : 'Standard',
      pickupLocation: null,
      trackingCarrier: hasShipped ? 'Test Carrier' : null,
      trackingNumber: hasShipped ? 'TEST123456' : null,
      trackingUrl: null,
      shippedAt: hasShipped ? now.toISOString() : null,
    },
    booking: isBooking
      ? {
          scheduledFor: new Date(now.getTime() + 2 * DAY_MS).toISOString(),
          serviceMode: 'in_person',
          serviceLocation: '1 Test Street, Testville',
        }
      : null,
    items: [
      {
        id: randomUUID(),
        productId: null,
        variantId: null,
        title: isBooking ? 'Test appointment' : 'Test product',
        variantLabel: null,
        sku: isBooking ? null : 'TEST-1',
        kind: isBooking ? 'service' : 'physical',
        quantity: 2,
        unitPrice: money(2_000),
        subtotal: money(4_000),
      },
    ],
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  }
}

type Nulls<One> = { [Field in keyof One as null extends One[Field] ? Field : never]: null }

// All fields, so that they keep the order of the contract; those that may not be null are undefined until they are set.
function nullsOf<One>({ shape }: z.ZodObject & z.ZodType<One>): Nulls<One> {
  const fields = Object.entries(shape).map(([name, field]) => [name, field instanceof z.ZodNullable ? null : undefined])
  return Object.fromEntries(fields) as Nulls<One>
}

type MemberFacts = Partial<Pick<Subscription, 'status' | 'cancelAtPeriodEnd'>> & {
  hasAsked?: boolean
  isOver?: boolean
}

const members: Partial<Record<EventKind, MemberFacts>> = {
  'subscription.payment_failed': { status: 'past_due' },
  'subscription.cancelled': { cancelAtPeriodEnd: true, hasAsked: true },
  'subscription.ended': { status: 'canceled', cancelAtPeriodEnd: true, hasAsked: true, isOver: true },
  'subscription.updated': { status: 'past_due' },
}

function subscriptionAfter(kind: EventKind, { currency, now }: Facts): Subscription {
  const { status = 'active', cancelAtPeriodEnd = false, hasAsked = false, isOver = false } = members[kind] ?? {}
  const isManual = kind === 'subscription.updated'
  const at = (days: number) => new Date(now.getTime() + days * DAY_MS).toISOString()
  return {
    id: randomUUID(),
    object: 'subscription',
    status,
    productId: null,
    clientId: null,
    price: toMoney(1_500, currency),
    currency,
    interval: 'month',
    billingMode: isManual ? 'manual' : 'processor',
    paymentMethod: isManual ? 'bank_transfer' : null,
    currentPeriodEnd: at(isOver ? 0 : 30),
    cancelAtPeriodEnd,
    canceledAt: hasAsked ? at(isOver ? -10 : 0) : null,
    trialEndsAt: null,
    startedAt: at(-30),
    createdAt: at(-30),
    updatedAt: now.toISOString(),
  }
}
