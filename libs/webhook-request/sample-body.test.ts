// Tests that a sample event has every field of a real one, and the state of its kind. docs/spec/webhooks.md#test-events
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type EventKind, event, eventKinds } from '#contracts/objects/webhook-event'
import { order } from '#contracts/objects/order'
import { subscription } from '#contracts/objects/subscription'
import { eventId } from '#outbox/record-event'
import { sampleBody } from './sample-body.ts'

const now = new Date('2026-08-12T10:00:00.123Z')
const shopId = randomUUID()
const sample = (kind: EventKind, currency = 'EUR') =>
  JSON.parse(sampleBody(kind, { id: eventId(now, 0), shopId, currency, now })) as Record<string, unknown> & {
    data: Record<string, unknown>
  }

/** The schema with every object closed: what is not in it is refused. */
function closed(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.fromEntries(
      Object.entries(schema.shape).map(([name, field]) => [name, closed(field as z.ZodType)]),
    )
    return z.strictObject(shape)
  }
  if (schema instanceof z.ZodNullable) return closed(schema.unwrap() as z.ZodType).nullable()
  if (schema instanceof z.ZodArray) return z.array(closed(schema.element as z.ZodType))
  return schema
}

describe.each(eventKinds)('the sample of %s', (kind) => {
  test('has exactly the fields of the real object, in their order', () => {
    const isMember = kind.startsWith('subscription.')
    const body = sample(kind)
    const { data, ...head } = body
    expect(closed(event.omit({ data: true })).safeParse(head).error?.issues ?? []).toEqual([])
    expect(closed(isMember ? subscription : order).safeParse(data).error?.issues ?? []).toEqual([])
    expect(Object.keys(body)).toEqual(Object.keys(event.shape))
    expect(Object.keys(body.data)).toEqual(Object.keys((isMember ? subscription : order).shape))
  })

  test('says that it is a test, in the currency of the shop', () => {
    for (const currency of ['EUR', 'JPY', 'KWD']) {
      const body = sample(kind, currency)
      expect(body).toMatchObject({ type: kind, test: true, sequence: 0, shopId, data: { currency } })
    }
  })
})

test('the amounts of a sample order add up', () => {
  for (const kind of eventKinds.filter((name) => !name.startsWith('subscription.'))) {
    const { data } = sample(kind) as { data: Record<string, { cents: number }> }
    const cents = (field: string) => data[field]?.cents ?? Number.NaN
    expect(cents('subtotal') - cents('discount') + cents('deliveryFee') + cents('tax')).toBe(cents('total'))
    expect(cents('refunded')).toBeLessThanOrEqual(cents('total'))
  }
})

test('a sample looks like its event', () => {
  expect(sample('order.shipped').data).toMatchObject({ status: 'shipped', delivery: { shippedAt: now.toISOString() } })
  expect(sample('order.paid').data).toMatchObject({ status: 'new', paymentStatus: 'paid', booking: null })
  expect(sample('order.refunded').data).toMatchObject({ paymentStatus: 'refunded', refunded: { amount: '42.50' } })
  expect(sample('booking.rescheduled').data).toMatchObject({ object: 'order', booking: { serviceMode: 'in_person' } })
  expect(sample('subscription.payment_failed').data).toMatchObject({ status: 'past_due' })
  const { data, timestamp } = sample('subscription.ended')
  expect(data.status).toBe('canceled')
  expect(String(data.currentPeriodEnd) <= String(timestamp)).toBe(true)
})
