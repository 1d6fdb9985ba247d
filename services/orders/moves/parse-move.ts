// From the body of a request to the requested move, in columns. docs/spec/back-office.md#order-moves
// The bus has validated the body. A field that is absent stays undefined, and the move leaves its column alone.
import type { ActionParams } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import type { MoneyInput } from '#contracts/input/order'
import type { Move } from './transitions.ts'

export type RequestedMove = Exclude<Move['move'], 'change'>
type ParseMove<Name extends RequestedMove> = (body: ActionParams<`orders.${Name}`>['move'], currency: string) => Move

/**
 * How the body of each move is read, by the name of the move; `currency` is that of the shop. Refuses invalid_request for an amount in
 * another one.
 */
export const parsers: { [Name in RequestedMove]: ParseMove<Name> } = {
  confirm: () => ({ move: 'confirm' }),
  mark_paid: () => ({ move: 'mark_paid' }),
  payment_pending: () => ({ move: 'payment_pending' }),
  payment_failed: () => ({ move: 'payment_failed' }),
  ship: ({ trackingCarrier, trackingNumber, trackingUrl }) => ({
    move: 'ship',
    fields: {
      tracking_carrier: trackingCarrier,
      tracking_number: trackingNumber,
      tracking_url: trackingUrl,
    },
  }),
  complete: () => ({ move: 'complete' }),
  cancel: ({ refund }) => ({ move: 'cancel', refund: refund === true }),
  refund: ({ amount }, currency) => ({ move: 'refund', amount_cents: centsOf(amount, currency) }),
  dispute: ({ amount, reason = null }, currency) => ({
    move: 'dispute',
    amount_cents: centsOf(amount, currency),
    reason,
  }),
  resolve_dispute: ({ outcome }) => ({ move: 'resolve_dispute', outcome }),
  reschedule: ({ scheduledFor, serviceMode, serviceLocation }) => ({
    move: 'reschedule',
    fields: {
      scheduled_for: scheduledFor,
      service_mode: serviceMode,
      service_location: serviceLocation,
    },
  }),
}

function centsOf(amount: MoneyInput, currency: string): number | null {
  if (amount === undefined || amount === null) return null
  if ((amount.currency ?? currency) === currency) return amount.cents
  const field = 'amount.currency'
  throw refuse('invalid_request', `${field} must be the currency of the shop, ${currency}.`, { field })
}
