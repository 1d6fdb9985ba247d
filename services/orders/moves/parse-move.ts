// Owns the crossing from a move's body to the move: what was asked, in columns.
// Back office: the order moves. A field that is absent stays undefined, and the move leaves its column alone.
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
import type { Move } from './move.ts'

export type AskedMove = Exclude<Move['move'], 'change'>

/** The move that a body asks for. Refuses invalid_request naming the field, also an amount in a foreign currency. */
export function askedMove(move: AskedMove, body: unknown, currency: string): Move {
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
  const given = amount.currency ?? currency
  if (given === currency) return amount.cents
  const field = 'amount.currency'
  throw refuse('invalid_request', `${field} must be the currency of the shop, ${currency}.`, { field })
}
