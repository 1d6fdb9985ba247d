// The state table of memberships, and the pure function that reads it. docs/spec/subscription-states.md#move-table
// The first transition that fits decides. A move that fits none is a conflict; one without events is answered with the
// subscription as it is. The instant is a parameter, so that columns, event and access rule share it.
import type { SubscriptionStatus, UnrecoveredStatus } from '#contracts/objects/subscription'
import type { EventKind } from '#contracts/objects/webhook-event'
import { hasAccess, liveStatuses } from '../access.ts'
import type { MoveName, movedColumns, SubscriptionFacts } from '../tables.ts'
import { addIntervals } from '../timers/calendar.ts'

/** `isLast`: the processor has given up on the card. */
export type Move = { move: Exclude<MoveName, 'payment_failed'> } | { move: 'payment_failed'; isLast: boolean }

/** The settings of the shop: the status of memberships whose payment is not recovered. */
export type ShopSettings = { unrecovered: UnrecoveredStatus }
export type SubscriptionEvent = Extract<EventKind, `subscription.${string}`>

/** `refused`: a conflict, with the message for the caller. */
export type Outcome =
  | { kind: 'moved'; after: SubscriptionFacts; events: readonly SubscriptionEvent[] }
  | { kind: 'unchanged' }
  | { kind: 'refused'; message: string }

type Situation = { move: Move; membership: SubscriptionFacts; settings: ShopSettings; now: Date }
type Change = Partial<Pick<SubscriptionFacts, Exclude<(typeof movedColumns)[number], 'document'>>>
type Condition = (situation: Situation) => boolean
type Transition = {
  move: MoveName
  from: readonly SubscriptionStatus[]
  when?: Condition
  set: Change | ((situation: Situation) => Change)
  events: readonly SubscriptionEvent[]
}

const live = liveStatuses
const unchanged = { set: {}, events: [] }
const renewed = ['subscription.renewed'] as const
const ended = ['subscription.ended'] as const
const overdue: Change = { status: 'past_due', trial_ends_at: null }
const over: Change = { status: 'canceled', trial_ends_at: null }
const LAST_YEAR = 9_999 // The wire form of an instant has four digits for the year.

export const transitions: readonly Transition[] = [
  { move: 'renew', from: ['incomplete', 'unpaid'], set: firstPeriod, events: renewed },
  { move: 'renew', from: live, when: canExtend, set: nextPeriod, events: renewed },
  { move: 'first_payment_over', from: ['incomplete'], set: { status: 'canceled' }, events: ended },

  {
    move: 'payment_failed',
    from: live,
    when: all(isCard, not(isLastAttempt)),
    set: overdue,
    events: ['subscription.payment_failed'],
  },
  {
    move: 'payment_failed',
    from: live,
    when: all(isCard, isLastAttempt),
    set: unrecovered,
    events: ['subscription.payment_failed', 'subscription.ended'],
  },
  {
    move: 'period_over',
    from: ['trialing', 'active'],
    when: all(not(isCard), not(isStopping)),
    set: overdue,
    events: ['subscription.updated'],
  },
  { move: 'period_over', from: live, when: isStopping, set: over, events: ended },
  { move: 'grace_over', from: ['past_due'], when: not(isCard), set: unrecovered, events: ended },

  { move: 'cancel', from: live, when: not(isStopping), set: stopping, events: ['subscription.cancelled'] },
  { move: 'cancel', from: live, when: isStopping, ...unchanged },
  {
    move: 'resume',
    from: live,
    when: all(isStopping, isPaidThrough),
    set: { cancel_at_period_end: false, canceled_at: null },
    events: ['subscription.resumed'],
  },
  { move: 'resume', from: live, when: not(isStopping), ...unchanged },

  { move: 'end', from: ['incomplete', ...live], set: endNow, events: ['subscription.cancelled', 'subscription.ended'] },
  // It ended when its payment was given up, and ends once.
  { move: 'end', from: ['unpaid'], set: endNow, events: ['subscription.cancelled'] },
  { move: 'end', from: ['canceled'], ...unchanged },
]

/** What the move does to the membership. Pure: reads no clock. */
export function apply(move: Move, membership: SubscriptionFacts, settings: ShopSettings, at: Date): Outcome {
  // The clocks of two processes differ; a later change must not have an earlier date.
  const now = at > membership.updated_at ? at : membership.updated_at
  const situation = { move, membership, settings, now }
  const transition = transitions.find(
    (one) =>
      one.move === move.move && one.from.includes(membership.status) && (one.when === undefined || one.when(situation)),
  )
  if (transition === undefined) return { kind: 'refused', message: messageOf(situation) }
  const { set, events } = transition
  if (events.length === 0) return { kind: 'unchanged' }
  const isOver = events.includes('subscription.ended')
  const after: SubscriptionFacts = {
    ...membership,
    ...(typeof set === 'function' ? set(situation) : set),
    ...(isOver ? { current_period_end: earlier(membership.current_period_end, now) } : {}),
    event_seq: membership.event_seq + events.length,
    updated_at: now,
  }
  if (isOver && hasAccess(after, now)) throw new Error('A membership that is over still grants access.')
  return { kind: 'moved', after, events }
}

function not(condition: Condition): Condition {
  return (situation) => !condition(situation)
}

function all(...list: Condition[]): Condition {
  return (situation) => list.every((condition) => condition(situation))
}

function isCard({ membership }: Situation): boolean {
  return membership.billing_mode === 'processor'
}

function isLastAttempt({ move }: Situation): boolean {
  return move.move === 'payment_failed' && move.isLast
}

function isStopping({ membership }: Situation): boolean {
  return membership.cancel_at_period_end
}

function isPaidThrough({ membership, now }: Situation): boolean {
  return membership.current_period_end !== null && membership.current_period_end > now
}

// The paid period begins with the payment: there was no access before.
function firstPeriod({ membership, now }: Situation): Change {
  return {
    status: 'active',
    anchor_at: now,
    periods: 1,
    current_period_end: addIntervals(now, 1, membership.interval),
    started_at: membership.started_at ?? now,
  }
}

function nextPeriod({ membership }: Situation): Change {
  const periods = membership.periods + 1
  return { status: 'active', periods, current_period_end: periodEnd(membership, periods), trial_ends_at: null }
}

function canExtend({ membership }: Situation): boolean {
  return periodEnd(membership, membership.periods + 1).getUTCFullYear() <= LAST_YEAR
}

function periodEnd({ anchor_at, interval }: SubscriptionFacts, periods: number): Date {
  if (anchor_at === null) throw new Error('A membership with a period has an anchor.')
  return addIntervals(anchor_at, periods, interval)
}

// A member who asked to stop never becomes `unpaid`: nobody expects a payment.
function unrecovered({ membership, settings }: Situation): Change {
  return { ...over, status: membership.cancel_at_period_end ? 'canceled' : settings.unrecovered }
}

function stopping({ now }: Situation): Change {
  return { cancel_at_period_end: true, canceled_at: now }
}

function endNow({ membership, now }: Situation): Change {
  return { ...over, canceled_at: membership.canceled_at ?? now }
}

function earlier(instant: Date | null, now: Date): Date | null {
  return instant !== null && instant > now ? now : instant
}

function messageOf(situation: Situation): string {
  const { move, membership } = situation
  const reason = reasonOf(situation)
  const state = `The subscription is ${membership.status}`
  return `${state}: ${move.move.replaceAll('_', '-')} is not possible${reason === null ? '' : ` (${reason})`}.`
}

function reasonOf(situation: Situation): string | null {
  const { move, membership } = situation
  if (membership.status === 'canceled') return 'it is over for good'
  if (!live.includes(membership.status)) return null
  if (move.move === 'payment_failed' && !isCard(situation)) return 'its billing is manual, no card is charged'
  if (move.move === 'resume') return 'its period is over'
  if (move.move === 'renew') return 'it is paid through the last year there is'
  return null
}
