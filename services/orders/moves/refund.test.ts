// The statuses of an order after a refund. docs/spec/order-states.md#refunds
import { describe, expect, test } from '@jest/globals'
import type { OrderStatus, PaymentStatus } from '#contracts/objects/order'
import { applyRefunded } from './refund.ts'

describe('refunded money', () => {
  test.each<[OrderStatus, PaymentStatus, number, OrderStatus, PaymentStatus]>([
    ['new', 'paid', 99, 'new', 'paid'],
    ['new', 'paid', 100, 'refunded', 'refunded'],
    ['confirmed', 'paid', 100, 'refunded', 'refunded'],
    ['shipped', 'paid', 100, 'shipped', 'refunded'],
    ['completed', 'paid', 100, 'completed', 'refunded'],
    ['cancelled', 'paid', 100, 'cancelled', 'refunded'],
    ['completed', 'disputed', 100, 'completed', 'disputed'],
    ['cancelled', 'refunded', 100, 'cancelled', 'refunded'],
  ])('%s and %s, %d of 100 refunded: %s and %s', (status, payment, refunded, statusAfter, paymentAfter) => {
    const order = { status, payment_status: payment, total_cents: 100, refunded_cents: 0 }
    expect(applyRefunded(order, refunded)).toEqual({
      status: statusAfter,
      payment_status: paymentAfter,
      total_cents: 100,
      refunded_cents: refunded,
    })
  })

  test('an order over nothing is not refunded by nothing', () => {
    const order = { status: 'new' as const, payment_status: 'paid' as const, total_cents: 0, refunded_cents: 0 }
    expect(applyRefunded(order, 0)).toEqual(order)
  })
})
