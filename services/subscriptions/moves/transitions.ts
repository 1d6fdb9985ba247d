// Owns what a move does to a membership: the whole table of states, and one pure function that reads it.
// states-and-events.md 10, row by row; 1 for what each event means. Spec: "Subscription moves that are stated".
// A move that finds no row is refused; one whose row fires nothing holds already. Time comes in, so that the columns, the
// event and the access rule share one instant.
import type { SubscriptionStatus } from '#contracts/objects/subscription'
import { hasAccess, liveStatuses } from '../access.ts'
import { addIntervals } from '../timers/calendar.ts'
import type { Move, MoveName, Outcome, ShopRules, SubscriptionEvent } from './move.ts'
import type { SubscriptionFacts } from '../tables.ts'

type Situation = { move: Move; membership: SubscriptionFacts; rules: ShopRules; now: Date }
type Change = Partial<SubscriptionFacts>
type Row = {
  move: MoveName
  from: readonly SubscriptionStatus[]
  when?: (situation: Situation) => boolean
  set: Change | ((situation: Situation) => Change)
  events: readonly SubscriptionEvent[]
}

const HOLDS = { set: {}, events: [] }
const LIVE = liveStatuses
const LAST_YEAR = 9_999 // The wire form of an instant has four digits for the year.

export const transitions: readonly Row[] = [
  { move: 'renew', from: ['incomplete'], set: firstPeriod, events: ['subscription.renewed'] },
  { move: 'first_payment_over', from: ['incomplete'], set: { status: 'canceled' }, events: ['subscription.ended'] },

  { move: 'renew', from: LIVE, when: canExtend, set: nextPeriod, events: ['subscription.renewed'] },
  {
    move: 'payment_failed',
    from: LIVE,
    when: (situation) => isCard(situation) && !isLastAttempt(situation),
    set: { status: 'past_due', trial_ends_at: null },
    events: ['subscription.payment_failed'],
  },
  {
    move: 'period_over',
    from: ['trialing', 'active'],
    when: (situation) => !isCard(situation) && !isStopping(situation),
    set: { status: 'past_due', trial_ends_at: null },
    events: ['subscription.updated'],
  },

  {
    move: 'payment_failed',
    from: LIVE,
    when: (situation) => isCard(situation) && isLastAttempt(situation),
    set: unrecovered,
    events: ['subscription.payment_failed', 'subscription.ended'],
  },
  {
    move: 'grace_over',
    from: ['past_due'],
    when: (situation) => !isCard(situation),
    set: unrecovered,
    events: ['subscription.ended'],
  },
  { move: 'renew', from: ['unpaid'], set: firstPeriod, events: ['subscription.renewed'] },

  {
    move: 'cancel',
    from: LIVE,
    when: (situation) => !isStopping(situation),
    set: ({ now }) => ({ cancel_at_period_end: true, canceled_at: now }),
    events: ['subscription.cancelled'],
  },
  { move: 'cancel', from: LIVE, when: isStopping, ...HOLDS },
  {
    move: 'resume',
    from: LIVE,
    when: (situation) => isStopping(situation) && isPaidThrough(situation),
    set: { cancel_at_period_end: false, canceled_at: null },
    events: ['subscription.resumed'],
  },
  { move: 'resume', from: LIVE, when: (situation) => !isStopping(situation), ...HOLDS },
  {
    move: 'period_over',
    from: LIVE,
    when: isStopping,
    set: { status: 'canceled', trial_ends_at: null },
    events: ['subscription.ended'],
  },

  { move: 'end', from: ['incomplete', ...LIVE], set: endNow, events: ['subscription.cancelled', 'subscription.ended'] },
  // It ended when its payment was given up; it does not end twice in one life.
  { move: 'end', from: ['unpaid'], set: endNow, events: ['subscription.cancelled'] },
  { move: 'end', from: ['canceled'], ...HOLDS },
]

/** Pure: the same membership, rules and instant give the same outcome. */
export function apply(move: Move, membership: SubscriptionFacts, rules: ShopRules, at: Date): Outcome {
  // The clocks of two processes differ; what happens later is never dated before.
  const now = at > membership.updated_at ? at : membership.updated_at
  const situation = { move, membership, rules, now }
  const row = rowFor(situation)
  if (row === undefined) return { kind: 'refused', message: refusalOf(situation) }
  if (row.events.length === 0) return { kind: 'holds' }
  const change = typeof row.set === 'function' ? row.set(situation) : row.set
  const isOver = row.events.includes('subscription.ended')
  const after: SubscriptionFacts = {
    ...membership,
    ...change,
    ...(isOver ? { current_period_end: earlier(membership.current_period_end, now) } : {}),
    event_seq: membership.event_seq + row.events.length,
    updated_at: now,
  }
  if (isOver && hasAccess(after, now)) throw new Error('A membership that is over still gives access.')
  return { kind: 'moved', after, events: row.events }
}

function rowFor(situation: Situation): Row | undefined {
  const { move, membership } = situation
  return transitions.find(
    (row) =>
      row.move === move.move && row.from.includes(membership.status) && (row.when === undefined || row.when(situation)),
  )
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

// The month that is paid begins when it is paid: nobody had access before.
function firstPeriod({ membership, now }: Situation): Change {
  return {
    status: 'active',
    anchor_at: now,
    periods: 1,
    current_period_end: addIntervals(now, 1, membership.interval),
    started_at: membership.started_at ?? now,
  }
}

function nextPeriod(situation: Situation): Change {
  const periods = situation.membership.periods + 1
  return { status: 'active', periods, current_period_end: periodEnd(situation, periods), trial_ends_at: null }
}

function periodEnd({ membership }: Situation, periods: number): Date {
  if (membership.anchor_at === null) throw new Error('A membership with a period has an anchor.')
  return addIntervals(membership.anchor_at, periods, membership.interval)
}

function canExtend(situation: Situation): boolean {
  return periodEnd(situation, situation.membership.periods + 1).getUTCFullYear() <= LAST_YEAR
}

// Whoever asked to stop does not wait as unpaid for a payment that nobody expects.
function unrecovered({ membership, rules }: Situation): Change {
  const status = membership.cancel_at_period_end ? 'canceled' : rules.unrecovered
  return { status, trial_ends_at: null }
}

function endNow({ membership, now }: Situation): Change {
  return { status: 'canceled', trial_ends_at: null, canceled_at: membership.canceled_at ?? now }
}

function earlier(instant: Date | null, now: Date): Date | null {
  return instant !== null && instant > now ? now : instant
}

function refusalOf(situation: Situation): string {
  const { move, membership } = situation
  const reason = reasonOf(situation)
  const state = `The subscription is ${membership.status}`
  return `${state}: ${move.move.replaceAll('_', '-')} is not possible${reason === null ? '' : ` (${reason})`}.`
}

function reasonOf(situation: Situation): string | null {
  const { move, membership } = situation
  if (membership.status === 'canceled') return 'it is over for good'
  if (!LIVE.includes(membership.status)) return null
  if (move.move === 'payment_failed' && !isCard(situation)) return 'its billing is manual, no card is charged'
  if (move.move === 'resume') return 'its period is over'
  if (move.move === 'renew') return 'it is paid through the last year there is'
  return null
}
