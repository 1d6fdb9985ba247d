// Proves the table of membership states by walking it. states-and-events.md 10 and 1. Pure: no clock, no database.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { eventKinds } from '#contracts/objects/webhook-event'
import { type SubscriptionStatus, subscriptionStatuses, type UnrecoveredStatus } from '#contracts/objects/subscription'
import { hasAccess } from '../access.ts'
import { addDays } from '../timers/calendar.ts'
import { nextTimer } from '../timers/due.ts'
import type { Move, Outcome } from './move.ts'
import { type Signup, signUp } from '../create/signup.ts'
import type { SubscriptionFacts } from '../tables.ts'
import { apply, transitions } from './transitions.ts'

const born = new Date('2026-01-31T12:00:00.000Z')
const canceledRule = { unrecovered: 'canceled' as const }

function signedUp(facts: Partial<Signup> = {}, now = born): SubscriptionFacts {
  const signup: Signup = {
    id: '10000000-0000-4000-8000-000000000001',
    shop_id: '20000000-0000-4000-8000-000000000001',
    product_id: '30000000-0000-4000-8000-000000000001',
    client_id: '40000000-0000-4000-8000-000000000001',
    price_cents: 900,
    currency: 'GBP',
    interval: 'month',
    billing_mode: 'processor',
    payment_method: null,
    trial_days: 0,
    is_paid: true,
    created_at: born,
    ...facts,
  }
  return signUp(signup, now)
}

function moved(outcome: Outcome): { after: SubscriptionFacts; events: readonly string[] } {
  if (outcome.kind !== 'moved') throw new Error(`It did not move: ${JSON.stringify(outcome)}`)
  return outcome
}

const step = (membership: SubscriptionFacts, move: Move, at: Date, rule: UnrecoveredStatus = 'canceled') =>
  moved(apply(move, membership, { unrecovered: rule }, at))

/** A membership of each state, reached by moves. */
function inState(status: SubscriptionStatus, billing: 'processor' | 'manual'): SubscriptionFacts {
  const active = signedUp({ billing_mode: billing })
  const late: Move = billing === 'manual' ? { move: 'period_over' } : { move: 'payment_failed', isLast: false }
  const lost: Move = billing === 'manual' ? { move: 'grace_over' } : { move: 'payment_failed', isLast: true }
  const pastDue = () => step(active, late, addDays(born, 28)).after
  const made: Record<SubscriptionStatus, () => SubscriptionFacts> = {
    trialing: () => signedUp({ billing_mode: billing, trial_days: 14 }),
    active: () => active,
    incomplete: () => signedUp({ billing_mode: billing, is_paid: false }),
    past_due: pastDue,
    unpaid: () => step(pastDue(), lost, addDays(born, 35), 'unpaid').after,
    canceled: () => step(active, { move: 'end' }, addDays(born, 1)).after,
  }
  return made[status]()
}

const asked: Move[] = [
  { move: 'renew' },
  { move: 'payment_failed', isLast: false },
  { move: 'payment_failed', isLast: true },
  { move: 'cancel' },
  { move: 'resume' },
  { move: 'end' },
]
const timed: Move[] = [{ move: 'first_payment_over' }, { move: 'period_over' }, { move: 'grace_over' }]

describe('signup', () => {
  test('with a trial: trialing, paid through the trial, begun at once', () => {
    expect(signedUp({ trial_days: 14 })).toMatchObject({
      status: 'trialing',
      trial_ends_at: new Date('2026-02-14T12:00:00Z'),
      current_period_end: new Date('2026-02-14T12:00:00Z'),
      started_at: born,
      event_seq: 1,
    })
  })

  test('paid at once: active, one interval from its creation', () => {
    expect(signedUp()).toMatchObject({
      status: 'active',
      trial_ends_at: null,
      current_period_end: new Date('2026-02-28T12:00:00Z'),
      started_at: born,
    })
    expect(signedUp({ interval: 'year' }).current_period_end).toEqual(new Date('2027-01-31T12:00:00Z'))
  })

  test('first payment open: incomplete, without access', () => {
    const incomplete = signedUp({ is_paid: false })
    expect(incomplete).toMatchObject({ status: 'incomplete', current_period_end: null, started_at: null })
    expect(hasAccess(incomplete, born)).toBe(false)
  })
})

// Rows: the state; columns: renew, payment_failed, the last one, cancel, resume, end, then what time does.
const HOLDS = 'holds'
const NO = 'refused'
const RENEWED = 'active: subscription.renewed'
const FAILED = 'past_due: subscription.payment_failed'
const LOST = 'canceled: subscription.payment_failed, subscription.ended'
const STOP = (status: string) => `${status}: subscription.cancelled`
const END = 'canceled: subscription.cancelled, subscription.ended'
const OVER = 'canceled: subscription.ended'
const LATE = 'past_due: subscription.updated'
const table: [SubscriptionStatus, 'processor' | 'manual', string[]][] = [
  ['incomplete', 'processor', [RENEWED, NO, NO, NO, NO, END, OVER, NO, NO]],
  ['incomplete', 'manual', [RENEWED, NO, NO, NO, NO, END, OVER, NO, NO]],
  ['trialing', 'processor', [RENEWED, FAILED, LOST, STOP('trialing'), HOLDS, END, NO, NO, NO]],
  ['trialing', 'manual', [RENEWED, NO, NO, STOP('trialing'), HOLDS, END, NO, LATE, NO]],
  ['active', 'processor', [RENEWED, FAILED, LOST, STOP('active'), HOLDS, END, NO, NO, NO]],
  ['active', 'manual', [RENEWED, NO, NO, STOP('active'), HOLDS, END, NO, LATE, NO]],
  ['past_due', 'processor', [RENEWED, FAILED, LOST, STOP('past_due'), HOLDS, END, NO, NO, NO]],
  ['past_due', 'manual', [RENEWED, NO, NO, STOP('past_due'), HOLDS, END, NO, NO, OVER]],
  ['unpaid', 'processor', [RENEWED, NO, NO, NO, NO, STOP('canceled'), NO, NO, NO]],
  ['unpaid', 'manual', [RENEWED, NO, NO, NO, NO, STOP('canceled'), NO, NO, NO]],
  ['canceled', 'processor', [NO, NO, NO, NO, NO, HOLDS, NO, NO, NO]],
  ['canceled', 'manual', [NO, NO, NO, NO, NO, HOLDS, NO, NO, NO]],
]

describe('the table', () => {
  test.each(table)('%s, %s: every move does what the contract says', (status, billing, expected) => {
    const membership = inState(status, billing)
    expect(membership.status).toBe(status)
    const outcomes = [...asked, ...timed].map((move) => {
      const outcome = apply(move, membership, canceledRule, addDays(born, 36))
      return outcome.kind === 'moved' ? `${outcome.after.status}: ${outcome.events.join(', ')}` : outcome.kind
    })
    expect(outcomes).toEqual(expected)
  })

  test('reaches every state, from every state but canceled; nothing leaves canceled', () => {
    const reached = new Set(table.flatMap(([, , outcomes]) => outcomes.map((outcome) => outcome.split(':')[0] ?? '')))
    for (const status of subscriptionStatuses) {
      const isBeginning = status === 'trialing' || status === 'incomplete'
      expect(isBeginning || reached.has(status) || inState(status, 'manual').status === status).toBe(true)
      const leads = transitions.filter((row) => row.from.includes(status) && row.events.length > 0)
      expect(leads.length > 0).toBe(status !== 'canceled')
    }
  })

  test('fires only events of the list, and each of the seven but the creation', () => {
    const fired = new Set(transitions.flatMap((row) => [...row.events]))
    expect([...fired].filter((event) => !eventKinds.includes(event))).toEqual([])
    const own = eventKinds.filter((kind) => kind.startsWith('subscription.') && kind !== 'subscription.created')
    expect([...fired].toSorted()).toEqual(own.toSorted())
  })

  test('every refusal names the state and the move', () => {
    for (const [status, billing] of table) {
      for (const move of [...asked, ...timed]) {
        const outcome = apply(move, inState(status, billing), canceledRule, addDays(born, 36))
        if (outcome.kind !== 'refused') continue
        expect(outcome.message).toMatch(
          new RegExp(`^The subscription is ${status}: ${move.move.replaceAll('_', '-')} is not`),
        )
      }
    }
  })
})

describe('periods', () => {
  test('renewals count from the anchor day', () => {
    let membership = signedUp()
    const ends = [1, 2, 3].map(() => {
      membership = step(membership, { move: 'renew' }, membership.current_period_end ?? born).after
      return membership.current_period_end?.toISOString().slice(0, 10)
    })
    expect(ends).toEqual(['2026-03-31', '2026-04-30', '2026-05-31'])
  })

  test('the first period after a trial counts from the end of the trial, also when it is paid early', () => {
    const early = step(signedUp({ trial_days: 14 }), { move: 'renew' }, addDays(born, 3)).after
    expect(early).toMatchObject({
      status: 'active',
      trial_ends_at: null,
      current_period_end: new Date('2026-03-14T12:00:00Z'),
      started_at: born,
    })
  })

  test('a first payment and a payment after unpaid begin a period of their own', () => {
    const at = new Date('2026-02-01T08:00:00Z')
    const first = step(inState('incomplete', 'processor'), { move: 'renew' }, at).after
    expect(first).toMatchObject({ started_at: at, current_period_end: new Date('2026-03-01T08:00:00Z') })
    const late = new Date('2026-08-31T08:00:00Z')
    const again = step(inState('unpaid', 'processor'), { move: 'renew' }, late).after
    expect(again).toMatchObject({ started_at: born, current_period_end: new Date('2026-09-30T08:00:00Z') })
  })

  test('a failed attempt leaves the period where it is, and a recovery moves it from there', () => {
    const pastDue = inState('past_due', 'processor')
    expect(pastDue.current_period_end).toEqual(new Date('2026-02-28T12:00:00Z'))
    const recovered = step(pastDue, { move: 'renew' }, addDays(born, 33)).after
    expect(recovered).toMatchObject({ status: 'active', current_period_end: new Date('2026-03-31T12:00:00Z') })
  })

  test('nobody pays beyond the year 9999', () => {
    const membership = { ...signedUp({ interval: 'year' }), periods: 7_973 }
    expect(apply({ move: 'renew' }, membership, canceledRule, born)).toEqual({
      kind: 'refused',
      message: 'The subscription is active: renew is not possible (it is paid through the last year there is).',
    })
  })
})

describe('stopping', () => {
  const at = addDays(born, 2)

  test('keeps state and access, says when it was asked, and can be taken back', () => {
    const stopping = step(signedUp(), { move: 'cancel' }, at)
    expect(stopping.after).toMatchObject({ status: 'active', cancel_at_period_end: true, canceled_at: at })
    expect(apply({ move: 'cancel' }, stopping.after, canceledRule, addDays(at, 1))).toEqual({ kind: 'holds' })
    const back = step(stopping.after, { move: 'resume' }, addDays(at, 1)).after
    expect(back).toMatchObject({ cancel_at_period_end: false, canceled_at: null, event_seq: 3 })
  })

  test('cannot be taken back once the period is over, though nobody has ended it yet', () => {
    const stopping = step(signedUp(), { move: 'cancel' }, at).after
    const outcome = apply({ move: 'resume' }, stopping, canceledRule, new Date('2026-02-28T12:00:00Z'))
    expect(outcome).toEqual({
      kind: 'refused',
      message: 'The subscription is active: resume is not possible (its period is over).',
    })
  })

  test('ends with the period or the trial, without an event of its own kind before', () => {
    const stopping = step(signedUp({ trial_days: 5 }), { move: 'cancel' }, at).after
    const over = step(stopping, { move: 'period_over' }, addDays(born, 5))
    expect(over.events).toEqual(['subscription.ended'])
    expect(over.after).toMatchObject({ status: 'canceled', canceled_at: at, cancel_at_period_end: true })
  })

  test('one who asked to stop never waits as unpaid', () => {
    const stopping = step(signedUp(), { move: 'cancel' }, at).after
    const lost = step(stopping, { move: 'payment_failed', isLast: true }, addDays(at, 1), 'unpaid')
    expect(lost.after.status).toBe('canceled')
  })

  test('ended at once by the seller, what was paid for is cut off now', () => {
    const ended = step(signedUp(), { move: 'end' }, at).after
    expect(ended).toMatchObject({
      status: 'canceled',
      canceled_at: at,
      current_period_end: at,
      cancel_at_period_end: false,
    })
  })
})

describe('timers', () => {
  test.each<[string, SubscriptionFacts, ReturnType<typeof nextTimer>]>([
    [
      'incomplete',
      signedUp({ is_paid: false }),
      { move: 'first_payment_over', due_at: new Date('2026-02-01T11:00:00Z') },
    ],
    ['card, going on', signedUp(), null],
    ['card, in trial', signedUp({ trial_days: 3 }), null],
    [
      'manual, in trial',
      signedUp({ trial_days: 3, billing_mode: 'manual' }),
      { move: 'period_over', due_at: new Date('2026-02-03T12:00:00Z') },
    ],
    ['manual, active', inState('active', 'manual'), { move: 'period_over', due_at: new Date('2026-02-28T12:00:00Z') }],
    [
      'manual, overdue',
      inState('past_due', 'manual'),
      { move: 'grace_over', due_at: new Date('2026-03-07T12:00:00Z') },
    ],
    ['card, overdue', inState('past_due', 'processor'), null],
    [
      'card, stopping',
      step(signedUp(), { move: 'cancel' }, born).after,
      { move: 'period_over', due_at: new Date('2026-02-28T12:00:00Z') },
    ],
    ['unpaid', inState('unpaid', 'manual'), null],
    ['canceled', inState('canceled', 'manual'), null],
  ])('%s', (_what, membership, timer) => {
    expect(nextTimer(membership)).toEqual(timer)
  })
})

const moves = fc.constantFrom(...asked, ...timed)
const lives = fc.record({
  trial_days: fc.constantFrom(0, 0, 14),
  is_paid: fc.boolean(),
  billing_mode: fc.constantFrom('processor' as const, 'manual' as const),
  interval: fc.constantFrom('month' as const, 'year' as const),
  rule: fc.constantFrom('canceled' as const, 'unpaid' as const),
  steps: fc.array(fc.tuple(moves, fc.integer({ min: 0, max: 40 * 24 })), { maxLength: 40 }),
})

describe('any life of a membership', () => {
  test('counts its events without gaps, ends once a life, and gives no access after its end', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(lives, ({ steps, rule, ...facts }) => {
        let membership = signedUp(facts)
        let at = born
        let isOver = false
        for (const [move, hours] of steps) {
          at = new Date(at.getTime() + hours * 3_600_000)
          const before = membership
          const outcome = apply(move, membership, { unrecovered: rule }, at)
          if (outcome.kind !== 'moved') continue
          membership = outcome.after
          seen.add(`${before.status} ${membership.status}`)
          expect(before.status).not.toBe('canceled')
          expect(outcome.events.length).toBeGreaterThan(0)
          expect(membership.event_seq).toBe(before.event_seq + outcome.events.length)
          expect(membership.updated_at).toEqual(at)
          expect((membership.status === 'trialing') === (membership.trial_ends_at !== null)).toBe(true)
          expect(membership.price_cents).toBe(900)
          if (outcome.events.includes('subscription.ended')) {
            expect(isOver).toBe(false)
            expect((membership.current_period_end?.getTime() ?? 0) <= at.getTime()).toBe(true)
          }
          if (outcome.events.includes('subscription.renewed')) {
            expect((before.current_period_end?.getTime() ?? 0) < (membership.current_period_end?.getTime() ?? 0)).toBe(
              true,
            )
          }
          isOver = ['canceled', 'unpaid'].includes(membership.status)
          if (isOver) expect(hasAccess(membership, at)).toBe(false)
        }
      }),
      { numRuns: 3_000 },
    )
    expect(seen.has('unpaid active')).toBe(true)
  })

  test('an earlier clock does not date a change before the last one', () => {
    const membership = signedUp({}, addDays(born, 5))
    const stopping = step(membership, { move: 'cancel' }, born).after
    expect(stopping).toMatchObject({ updated_at: addDays(born, 5), canceled_at: addDays(born, 5) })
  })
})
