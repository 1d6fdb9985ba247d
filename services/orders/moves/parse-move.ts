// From the body of a request to the requested move, in columns. docs/spec/back-office.md#order-moves
// A field that is absent stays undefined, and the move leaves its column alone.
import { refuse } from '#contracts/errors'
import { emptyInput } from '#contracts/input/fields'
import {
  cancelInput,
  disputeInput,
  type MoneyInput,
  refundInput,
  rescheduleInput,
  resolveDisputeInput,
  shipInput,
} from '#contracts/input/order'
import { openParams } from '#schema/open'
import type { Move } from './transitions.ts'

export type RequestedMove = Exclude<Move['move'], 'change'>

/** Refuses invalid_request naming the field, also for an amount in another currency than the shop's. */
export function parseMove(move: RequestedMove, body: unknown, currency: string): Move {
  switch (move) {
    case 'ship': {
      const { trackingCarrier, trackingNumber, trackingUrl } = openParams(shipInput, body)
      const fields = { tracking_carrier: trackingCarrier, tracking_number: trackingNumber, tracking_url: trackingUrl }
      return { move, fields }
    }
    case 'cancel':
      return { move, refund: openParams(cancelInput, body).refund === true }
    case 'refund':
      return { move, amount_cents: centsOf(openParams(refundInput, body).amount, currency) }
    case 'dispute': {
      const { amount, reason = null } = openParams(disputeInput, body)
      return { move, amount_cents: centsOf(amount, currency), reason }
    }
    case 'resolve_dispute':
      return { move, outcome: openParams(resolveDisputeInput, body).outcome }
    case 'reschedule': {
      const { scheduledFor, serviceMode, serviceLocation } = openParams(rescheduleInput, body)
      const fields = { scheduled_for: scheduledFor, service_mode: serviceMode, service_location: serviceLocation }
      return { move, fields }
    }
    default:
      openParams(emptyInput, body)
      return { move }
  }
}

function centsOf(amount: MoneyInput, currency: string): number | null {
  if (amount === undefined || amount === null) return null
  if ((amount.currency ?? currency) === currency) return amount.cents
  const field = 'amount.currency'
  throw refuse('invalid_request', `${field} must be the currency of the shop, ${currency}.`, { field })
}
