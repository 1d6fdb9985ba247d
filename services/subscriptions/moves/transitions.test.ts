// The state table of memberships: every move from every status, signup, periods, stopping, timers, and any life of a membership.
// docs/spec/subscription-states.md#move-table
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type SubscriptionStatus, subscriptionStatuses, type UnrecoveredStatus } from '#contracts/objects/subscription'
import { eventKinds } from '#contracts/objects/webhook-event'
import { hasAccess } from '../access.ts'
import { type Signup, signUp } from '../create/signup.ts'
import type { SubscriptionFacts } from '../tables.ts'
import { addDays } from '../timers/calendar.ts'
import { nextTimer } from '../timers/next-timer.ts'
import { apply, type Move, transitions } from './transitions.ts'

const born = new Date('2026-01-31T12:00:00.000Z')
const settings = { unrecovered: 'canceled' as const }
const noon = (day: string) => new Date(`${day}T12:00:00.000Z`)

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

function step(membership: SubscriptionFacts, move: Move, at: Date, unrecovered: UnrecoveredStatus = 'canceled') {
  const outcome = apply(move, membership, { unrecovered }, at)
  if (outcome.kind !== 'moved') throw new Error(`It did not move: ${JSON.stringify(outcome)}`)
  return outcome
}

const renew: Move = { move: 'renew' }
const cancel: Move = { move: 'cancel' }
const resume: Move = { move: 'resume' }
const end: Move = { move: 'end' }
const failed: Move = { move: 'payment_failed', isLast: false }
const lastFailed: Move = { move: 'payment_failed', isLast: true }
const timed: Move[] = [{ move: 'first_payment_over' }, { move: 'period_over' }, { move: 'grace_over' }]
const everyMove = [renew, failed, lastFailed, cancel, resume, end, ...timed]

/** A membership of each status, reached by moves. */
function inState(status: SubscriptionStatus, billing: 'processor' | 'manual'): SubscriptionFacts {
  const active = signedUp({ billing_mode: billing })
  const pastDue = () => step(active, billing === 'manual' ? { move: 'period_over' } : failed, addDays(born, 28)).after
  const lost: Move = billing === 'manual' ? { move: 'grace_over' } : lastFailed
  const made: Record<SubscriptionStatus, () => SubscriptionFacts> = {
    trialing: () => signedUp({ billing_mode: billing, trial_days: 14 }),
    active: () => active,
    incomplete: () => signedUp({ billing_mode: billing, is_paid: false }),
    past_due: pastDue,
    unpaid: () => step(pastDue(), lost, addDays(born, 35), 'unpaid').after,
    canceled: () => step(active, end, addDays(born, 1)).after,
  }
  return made[status]()
}

describe('signup', () => {
  test('with a trial: trialing, paid through the trial, started at once', () => {
    const end = noon('2026-02-14')
    expect(signedUp({ trial_days: 14 })).toMatchObject({
      status: 'trialing',
      trial_ends_at: end,
      current_period_end: end,
      started_at: born,
      event_seq: 1,
    })
  })

  test('paid at once for a year: one year from its creation', () => {
    expect(signedUp({ interval: 'year' }).current_period_end).toEqual(noon('2027-01-31'))
  })
})

// The columns are the moves of `everyMove`. A cell is `-` for a conflict, `200` for an unchanged subscription, or the status
// afterwards with the events.
const same = '200'
const RENEWED = 'active renewed'
const FAILED = 'past_due payment_failed'
const LOST = 'canceled payment_failed ended'
const ENDED = 'canceled cancelled ended'
const OVER = 'canceled ended'
const LATE = 'past_due updated'
type Row = [SubscriptionStatus, 'processor' | 'manual', cells: string[]]
const table: Row[] = [
  ['incomplete', 'processor', [RENEWED, '-', '-', '-', '-', ENDED, OVER, '-', '-']],
  ['incomplete', 'manual', [RENEWED, '-', '-', '-', '-', ENDED, OVER, '-', '-']],
  ['trialing', 'processor', [RENEWED, FAILED, LOST, 'trialing cancelled', same, ENDED, '-', '-', '-']],
  ['trialing', 'manual', [RENEWED, '-', '-', 'trialing cancelled', same, ENDED, '-', LATE, '-']],
  ['active', 'processor', [RENEWED, FAILED, LOST, 'active cancelled', same, ENDED, '-', '-', '-']],
  ['active', 'manual', [RENEWED, '-', '-', 'active cancelled', same, ENDED, '-', LATE, '-']],
  ['past_due', 'processor', [RENEWED, FAILED, LOST, 'past_due cancelled', same, ENDED, '-', '-', '-']],
  ['past_due', 'manual', [RENEWED, '-', '-', 'past_due cancelled', same, ENDED, '-', '-', OVER]],
  ['unpaid', 'processor', [RENEWED, '-', '-', '-', '-', 'canceled cancelled', '-', '-', '-']],
  ['unpaid', 'manual', [RENEWED, '-', '-', '-', '-', 'canceled cancelled', '-', '-', '-']],
  ['canceled', 'processor', ['-', '-', '-', '-', '-', same, '-', '-', '-']],
  ['canceled', 'manual', ['-', '-', '-', '-', '-', same, '-', '-', '-']],
]

describe('the state table', () => {
  test.each(table)('%s, %s: every move does what the table says, and a refusal names state and move', (...row) => {
    const [status, billing, expected] = row
    const membership = inState(status, billing)
    expect(membership.status).toBe(status)
    const cells = everyMove.map((move) => {
      const outcome = apply(move, membership, settings, addDays(born, 36))
      if (outcome.kind === 'unchanged') return '200'
      if (outcome.kind === 'moved') {
        return [outcome.after.status, ...outcome.events.map((name) => name.replace('subscription.', ''))].join(' ')
      }
      const start = `The subscription is ${status}: ${move.move.replaceAll('_', '-')} is not possible`
      expect(outcome.message.startsWith(start)).toBe(true)
      return '-'
    })
    expect(cells).toEqual(expected)
  })

  test('reaches every status, leads out of every status but canceled, and fires every event but the first', () => {
    const reached = new Set(table.flatMap(([, , cells]) => cells.map((cell) => cell.split(' ')[0])))
    for (const status of subscriptionStatuses) {
      const isFirst = status === 'trialing' || status === 'incomplete'
      expect(isFirst || reached.has(status) || inState(status, 'manual').status === status).toBe(true)
      const leadsOut = transitions.some(({ from, events }) => from.includes(status) && events.length > 0)
      expect(leadsOut).toBe(status !== 'canceled')
    }
    const own = eventKinds.filter((kind) => kind.startsWith('subscription.') && kind !== 'subscription.created')
    expect(new Set(transitions.flatMap(({ events }) => events))).toEqual(new Set(own))
  })
})

describe('periods', () => {
  test('after a trial count from its end, also when the first is paid early', () => {
    expect(step(signedUp({ trial_days: 14 }), renew, addDays(born, 3)).after).toMatchObject({
      status: 'active',
      trial_ends_at: null,
      current_period_end: noon('2026-03-14'),
      started_at: born,
    })
  })

  test.each<[SubscriptionStatus, string, string, Date | null]>([
    ['incomplete', '2026-02-01', '2026-03-01', null],
    ['unpaid', '2026-08-31', '2026-09-30', born],
  ])('a payment while %s begins a period of its own', (status, day, end, started) => {
    const { after } = step(inState(status, 'processor'), renew, noon(day))
    expect(after).toMatchObject({ started_at: started ?? noon(day), current_period_end: noon(end) })
  })

  test('no period ends after the year 9999', () => {
    const membership = { ...signedUp({ interval: 'year' }), periods: 7_973 }
    const message = 'The subscription is active: renew is not possible (it is paid through the last year there is).'
    expect(apply(renew, membership, settings, born)).toEqual({ kind: 'refused', message })
  })
})

describe('stopping', () => {
  const at = addDays(born, 2)
  const stopping = step(signedUp(), cancel, at).after

  test('cannot be taken back once the period is over, even before its timer fires', () => {
    const message = 'The subscription is active: resume is not possible (its period is over).'
    expect(apply(resume, stopping, settings, noon('2026-02-28'))).toEqual({ kind: 'refused', message })
  })

  test('ends with the period or the trial, with subscription.ended alone', () => {
    const trial = step(signedUp({ trial_days: 5 }), cancel, at).after
    const over = step(trial, { move: 'period_over' }, addDays(born, 5))
    expect(over.events).toEqual(['subscription.ended'])
    expect(over.after).toMatchObject({ status: 'canceled', canceled_at: at, cancel_at_period_end: true })
  })

  test('never leads to unpaid', () => {
    expect(step(stopping, lastFailed, addDays(at, 1), 'unpaid').after.status).toBe('canceled')
  })
})

describe('the next timer', () => {
  test.each<[string, SubscriptionFacts, [string, Date] | null]>([
    ['incomplete', signedUp({ is_paid: false }), ['first_payment_over', new Date('2026-02-01T11:00:00Z')]],
    ['active by card', signedUp(), null],
    ['in trial by card', signedUp({ trial_days: 3 }), null],
    ['in trial by hand', signedUp({ trial_days: 3, billing_mode: 'manual' }), ['period_over', noon('2026-02-03')]],
    ['active by hand', inState('active', 'manual'), ['period_over', noon('2026-02-28')]],
    ['overdue by hand', inState('past_due', 'manual'), ['grace_over', noon('2026-03-07')]],
    ['overdue by card', inState('past_due', 'processor'), null],
    ['stopping by card', step(signedUp(), cancel, born).after, ['period_over', noon('2026-02-28')]],
    ['unpaid', inState('unpaid', 'manual'), null],
    ['canceled', inState('canceled', 'manual'), null],
  ])('%s', (_what, membership, timer) => {
    expect(nextTimer(membership)).toEqual(timer === null ? null : { move: timer[0], due_at: timer[1] })
  })
})

describe('any life of a membership', () => {
  const lives = fc.record({
    trial_days: fc.constantFrom(0, 0, 14),
    is_paid: fc.boolean(),
    billing_mode: fc.constantFrom('processor' as const, 'manual' as const),
    interval: fc.constantFrom('month' as const, 'year' as const),
    unrecovered: fc.constantFrom('canceled' as const, 'unpaid' as const),
    steps: fc.array(fc.tuple(fc.constantFrom(...everyMove), fc.integer({ min: 0, max: 40 * 24 })), { maxLength: 40 }),
  })

  test('counts its events without gaps, ends once a life, and grants no access after its end', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(lives, ({ steps, unrecovered, ...facts }) => {
        let membership = signedUp(facts)
        let at = born
        let isOver = false
        for (const [move, hours] of steps) {
          at = new Date(at.getTime() + hours * 3_600_000)
          const before = membership
          const outcome = apply(move, before, { unrecovered }, at)
          if (outcome.kind !== 'moved') continue
          membership = outcome.after
          const endOf = ({ current_period_end }: SubscriptionFacts) => current_period_end?.getTime() ?? 0
          seen.add(`${before.status} ${membership.status}`)
          expect(before.status).not.toBe('canceled')
          expect(outcome.events.length).toBeGreaterThan(0)
          expect(membership.event_seq).toBe(before.event_seq + outcome.events.length)
          expect(membership.updated_at).toEqual(at)
          expect(membership.status === 'trialing').toBe(membership.trial_ends_at !== null)
          expect(membership.price_cents).toBe(900)
          if (outcome.events.includes('subscription.ended')) {
            expect(isOver).toBe(false)
            expect(endOf(membership)).toBeLessThanOrEqual(at.getTime())
          }
          if (outcome.events.includes('subscription.renewed')) {
            expect(endOf(before)).toBeLessThan(endOf(membership))
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
    const last = addDays(born, 5)
    const { after } = step(signedUp({}, last), cancel, born)
    expect(after).toMatchObject({ updated_at: last, canceled_at: last })
  })
})
