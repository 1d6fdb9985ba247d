// Owns what a move of a membership is: what was asked or what time did, and what comes of it.
// states-and-events.md 10. Back office: the subscription moves.
import type { EventKind } from '#contracts/objects/webhook-event'
import type { SubscriptionStatus, UnrecoveredStatus } from '#contracts/objects/subscription'
import type { SubscriptionFacts } from '../tables.ts'

/** What time does by itself: 23 hours without a first payment, a trial or period at its end, the grace used up. */
export type TimedMove = 'first_payment_over' | 'period_over' | 'grace_over'
/** What the back office asks. */
export type AskedMove = 'renew' | 'payment_failed' | 'cancel' | 'resume' | 'end'
export type MoveName = AskedMove | TimedMove

/** `isLast`: the processor has given up on the card. */
export type Move = { move: Exclude<MoveName, 'payment_failed'> } | { move: 'payment_failed'; isLast: boolean }

/** What the row does not say: what the shop wants to become of memberships that are never paid. */
export type ShopRules = { unrecovered: UnrecoveredStatus }

export type SubscriptionEvent = Extract<EventKind, `subscription.${string}`>

/** A line of the history; the signup comes from no state. `who` is a key, the back office or the timer. */
export type HistoryRow = {
  subscription_id: string
  position: number
  at: Date
  who: string
  move: MoveName | 'create'
  from_status: SubscriptionStatus | null
  to_status: SubscriptionStatus
}

/** `holds`: the result is there already. `refused`: the words for the caller, code conflict. */
export type Outcome =
  | { kind: 'moved'; after: SubscriptionFacts; events: readonly SubscriptionEvent[] }
  | { kind: 'holds' }
  | { kind: 'refused'; message: string }
