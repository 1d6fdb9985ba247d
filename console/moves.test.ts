// The moves that the console offers are those that the services make (docs/spec/order-states.md#move-table,
// docs/spec/subscription-states.md#move-table).
import { expect, test } from '@jest/globals'
import { orderInput } from '#contracts/input/order'
import { orderStatuses, paymentStatuses } from '#contracts/objects/order'
import { billingModes, subscriptionStatuses } from '#contracts/objects/subscription'
import { openParams } from '#schema/open'
import { apply, type Facts, type Move } from '../services/orders/moves/transitions.ts'
import { draftOrder, soldFreely } from '../services/orders/place/draft.ts'
import { toOrder } from '../services/orders/shape.ts'
import type { OrderFacts } from '../services/orders/tables.ts'
import { type Move as MembershipMove, apply as applyToMembership } from '../services/subscriptions/moves/transitions.ts'
import type { SubscriptionFacts } from '../services/subscriptions/tables.ts'
import { moveNames as membershipMoves, whyNot } from './src/screens/memberships/moves.ts'
import { type MoveName, moveNames, verdictOf } from './src/screens/orders/moves.ts'

const now = new Date('2026-03-01T10:00:00.000Z')
const before = new Date('2026-02-01T10:00:00.000Z')
const input = openParams(orderInput, {
  paymentMethod: 'card',
  items: [{ title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 1_000 } }],
})
const sold = [soldFreely(input.items[0] as Parameters<typeof soldFreely>[0])]
const buyer = { contact_id: null, phone: null }
const draft = draftOrder(input, { id: 'order', shopId: 'shop', currency: 'GBP', buyer, sold, now: before })

const sent: Record<MoveName, (givesBack: boolean) => Move> = {
  confirm: () => ({ move: 'confirm' }),
  'mark-paid': () => ({ move: 'mark_paid' }),
  ship: () => ({ move: 'ship', fields: { tracking_number: 'AB1' } }),
  complete: () => ({ move: 'complete' }),
  reschedule: () => ({ move: 'reschedule', fields: { scheduled_for: now } }),
  refund: () => ({ move: 'refund', amount_cents: null }),
  cancel: (givesBack) => ({ move: 'cancel', refund: givesBack }),
  'payment-pending': () => ({ move: 'payment_pending' }),
  'payment-failed': () => ({ move: 'payment_failed' }),
  dispute: () => ({ move: 'dispute', amount_cents: null, reason: null }),
  'resolve-dispute': () => ({ move: 'resolve_dispute', outcome: 'won' }),
}
const kinds = [
  { of: 'goods', kind: 'physical', change: {} },
  { of: 'a file', kind: 'digital', change: {} },
  { of: 'a file that is shipped', kind: 'digital', change: { delivery_method: 'shipping' } },
  { of: 'an appointment', kind: 'service', change: { has_booking: true } },
  { of: 'goods by bank transfer', kind: 'physical', change: { payment_method: 'bank_transfer' } },
  { of: 'goods for nothing', kind: 'physical', change: { total_cents: 0 } },
] as const

test.each(kinds)('an order of $of: a move is offered in exactly the states in which it changes something', (form) => {
  const wrong: string[] = []
  for (const status of orderStatuses) {
    for (const payment of paymentStatuses) {
      const row: OrderFacts = {
        ...draft.row,
        ...form.change,
        status,
        payment_status: payment,
        ...(payment === 'refunded' ? { refunded_cents: draft.row.total_cents } : {}),
      }
      const lines = draft.lines.map((line) => ({ ...line, kind: form.kind }))
      const order = toOrder(row, lines)
      const dispute = payment === 'disputed' ? ({ amount_cents: 500, state: 'open' } as const) : null
      const facts: Facts = { isPhysical: form.kind === 'physical', dispute }
      for (const move of moveNames) {
        const verdict = verdictOf(move, order)
        const outcome = apply(sent[move](verdict.isPossible && verdict.givesBack), row, facts, now)
        if (verdict.isPossible !== (outcome.kind === 'moved'))
          wrong.push(`${move} at ${status}/${payment}: ${outcome.kind}`)
      }
    }
  }
  expect(wrong).toEqual([])
})

test('a membership: a move is offered in exactly the states in which it changes something', () => {
  const sentTo = (move: (typeof membershipMoves)[number]): MembershipMove =>
    move === 'payment-failed' ? { move: 'payment_failed', isLast: false } : { move }
  const wrong: string[] = []
  for (const status of subscriptionStatuses)
    for (const billing of billingModes)
      for (const isStopping of [true, false])
        for (const isPaidThrough of [true, false]) {
          const end = isPaidThrough ? new Date('2026-04-01T10:00:00.000Z') : before
          const row: SubscriptionFacts = {
            ...{ shop_id: 'shop', id: 'membership', product_id: 'product', client_id: 'contact' },
            ...{ price_cents: 900, currency: 'GBP', interval: 'month', payment_method: null },
            ...{ anchor_at: before, periods: 1, trial_ends_at: null, started_at: before, event_seq: 1 },
            ...{ created_at: before, updated_at: before, canceled_at: isStopping ? before : null },
            ...{ status, billing_mode: billing, cancel_at_period_end: isStopping, current_period_end: end },
          }
          const shown = { status, billingMode: billing, cancelAtPeriodEnd: isStopping }
          for (const move of membershipMoves) {
            const reason = whyNot(move, { ...shown, currentPeriodEnd: end.toISOString() }, now)
            const { kind } = applyToMembership(sentTo(move), row, { unrecovered: 'canceled' }, now)
            if ((reason === null) !== (kind === 'moved')) wrong.push(`${move} at ${status}/${billing}: ${kind}`)
          }
        }
  expect(wrong).toEqual([])
})
