// Timers move memberships once and in order, also after a worker has died or long after the due time. Timers are due by the clock
// of the database, so the tests create memberships in the past. docs/spec/subscription-states.md#timers
import { afterEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Worker } from '#runtime/worker-loop'
import { databaseDuringTests } from '#testing/during-tests'
import { inBatches } from '#testing/in-batches'
import { planModes, planOf } from '#testing/plan'
import { until } from '#testing/until'
import { hasAccess } from '../access.ts'
import { addDays } from './calendar.ts'
import { insertSignup, moveLocked } from '../moves/move-subscription.ts'
import type { Move } from '../moves/transitions.ts'
import { lockSubscription } from '../queries.ts'
import { subscriptions } from '../service.ts'
import { type Signup, signUp } from '../create/signup.ts'
import { claimTimers } from './queries.ts'
import { fireTimer, startTimers } from './timers.ts'

const LEASE_MS = 30_000
const db = databaseDuringTests(subscriptions.storage)
let workers: Worker[] = []
const errors: unknown[] = []

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  expect(errors).toEqual([])
  workers = []
  await db.rows('delete from timers')
})

function start(): Worker {
  const worker = startTimers({ db, onFired: () => undefined, onError: (error) => errors.push(error) })
  workers.push(worker)
  return worker
}

async function signUpNow(facts: Partial<Signup>): Promise<string> {
  const now = new Date()
  const signup: Signup = {
    id: randomUUID(),
    shop_id: randomUUID(),
    product_id: randomUUID(),
    client_id: randomUUID(),
    price_cents: 900,
    currency: 'GBP',
    interval: 'month',
    billing_mode: 'manual',
    payment_method: null,
    trial_days: 0,
    is_paid: true,
    created_at: now,
    ...facts,
  }
  await db.transaction((tx) => insertSignup(tx, signUp(signup, now), 'test'))
  return signup.id
}

async function moveNow(id: string, move: Move): Promise<void> {
  await db.transaction(async (tx) => {
    const [owner] = await tx.rows<{ shop_id: string }>('select shop_id from subscriptions where id = $1', [id])
    const before = await lockSubscription(tx, owner?.shop_id ?? '', id)
    if (before === null) throw new Error('There is no such subscription.')
    await moveLocked(tx, before, move, { unrecovered: 'canceled', who: 'test', now: new Date() })
  })
}

type EventBody = {
  sequence: number
  type: string
  timestamp: string
  data: { status: string; currentPeriodEnd: string | null }
}
async function eventsOf(id: string): Promise<EventBody[]> {
  const rows = await db.rows<{ body: string }>('select body from events where object_id = $1 order by position', [id])
  return rows.map(({ body }) => JSON.parse(body))
}
const typesAndStates = async (id: string) => (await eventsOf(id)).map(({ type, data }) => `${type} ${data.status}`)
const timersOf = (id: string) =>
  db.rows<{ move: string; due_at: Date }>('select move, due_at from timers where subscription_id = $1', [id])
const isDone = async (id: string) => (await timersOf(id)).length === 0
const daysAgo = (days: number) => addDays(new Date(), -days)

describe('a membership that is created in the past', () => {
  test('manual and not paid again: overdue, then over, at once and in order', async () => {
    const id = await signUpNow({ created_at: daysAgo(60) })
    start()
    await until(() => isDone(id))
    expect(await typesAndStates(id)).toEqual([
      'subscription.created active',
      'subscription.updated past_due',
      'subscription.ended canceled',
    ])
  })

  test('with a trial: trial over, grace over', async () => {
    const id = await signUpNow({ created_at: daysAgo(40), trial_days: 14 })
    start()
    await until(() => isDone(id))
    expect(await typesAndStates(id)).toEqual([
      'subscription.created trialing',
      'subscription.updated past_due',
      'subscription.ended canceled',
    ])
    const [end] = (await eventsOf(id)).slice(-1)
    expect(Date.parse(end?.data.currentPeriodEnd ?? '')).toBeLessThan(daysAgo(20).getTime())
  })

  test('whose grace still runs: overdue, and the grace ends seven days after the period', async () => {
    const created = daysAgo(14 + 3)
    const id = await signUpNow({ created_at: created, trial_days: 14 })
    start()
    await until(async () => (await typesAndStates(id)).length === 2)
    expect(await typesAndStates(id)).toEqual(['subscription.created trialing', 'subscription.updated past_due'])
    expect(await timersOf(id)).toEqual([{ move: 'grace_over', due_at: addDays(created, 14 + 7) }])
  })

  test('whose first payment stayed open for 23 hours is over', async () => {
    const id = await signUpNow({ created_at: daysAgo(1), is_paid: false, billing_mode: 'processor' })
    const young = await signUpNow({ created_at: daysAgo(22 / 24), is_paid: false, billing_mode: 'processor' })
    start()
    await until(() => isDone(id))
    expect(await typesAndStates(id)).toEqual(['subscription.created incomplete', 'subscription.ended canceled'])
    expect(await typesAndStates(young)).toEqual(['subscription.created incomplete'])
  })

  test('a card membership waits for the processor, until the member asks to stop', async () => {
    const id = await signUpNow({ created_at: daysAgo(60), billing_mode: 'processor' })
    expect(await timersOf(id)).toEqual([])
    const worker = start()
    await moveNow(id, { move: 'cancel' })
    worker.wake()
    await until(() => isDone(id))
    expect(await typesAndStates(id)).toEqual([
      'subscription.created active',
      'subscription.cancelled active',
      'subscription.ended canceled',
    ])
  })

  test('after every end there is no access at the time of the event', async () => {
    const ids = await Promise.all([
      signUpNow({ created_at: daysAgo(60) }),
      signUpNow({ created_at: daysAgo(2), is_paid: false }),
      signUpNow({ created_at: daysAgo(30), trial_days: 1 }),
    ])
    start()
    for (const id of ids) await until(() => isDone(id))
    for (const id of ids) {
      const events = await eventsOf(id)
      const end = events.at(-1)
      const periodEnd = end?.data.currentPeriodEnd ?? null
      const membership = {
        status: 'canceled' as const,
        current_period_end: periodEnd === null ? null : new Date(periodEnd),
      }
      expect([end?.type, hasAccess(membership, new Date(end?.timestamp ?? ''))]).toEqual(['subscription.ended', false])
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    }
  })
})

describe('workers', () => {
  test('the timer of a dead worker is fired once by another, after its lease', async () => {
    const id = await signUpNow({ created_at: daysAgo(2), is_paid: false })
    const dead = randomUUID()
    const [held] = await claimTimers(db, dead, LEASE_MS, 10)
    expect(held?.subscription_id).toBe(id)
    expect(await claimTimers(db, randomUUID(), LEASE_MS, 10)).toEqual([])
    start()
    start()
    expect(await typesAndStates(id)).toEqual(['subscription.created incomplete'])
    await db.rows('update timers set lease_until = now() where subscription_id = $1', [id])
    await until(() => isDone(id))
    expect(await typesAndStates(id)).toEqual(['subscription.created incomplete', 'subscription.ended canceled'])
  })

  test('one whose lease another has taken over does nothing', async () => {
    const id = await signUpNow({ created_at: daysAgo(60) })
    const [slow, quick] = [randomUUID(), randomUUID()]
    const [first] = await claimTimers(db, slow, 0, 10)
    // A clock that is adjusted backwards keeps even a lease of 0 ms for an instant.
    const second = await until(async () => (await claimTimers(db, quick, LEASE_MS, 10))[0])
    if (first === undefined) throw new Error('Nothing was due.')
    expect(await Promise.all([fireTimer(db, second, quick), fireTimer(db, first, slow)])).toEqual([true, false])
    expect(await fireTimer(db, second, quick)).toBe(false)
    expect(await typesAndStates(id)).toEqual(['subscription.created active', 'subscription.updated past_due'])
  })

  test('a payment between claim and firing voids the timer', async () => {
    const id = await signUpNow({ created_at: daysAgo(40) })
    const token = randomUUID()
    const [claimed] = await claimTimers(db, token, LEASE_MS, 10)
    if (claimed === undefined) throw new Error('Nothing was due.')
    await moveNow(id, { move: 'renew' })
    expect(await fireTimer(db, claimed, token)).toBe(false)
    expect(await typesAndStates(id)).toEqual(['subscription.created active', 'subscription.renewed active'])
  })

  test('four at once fire each of 300 timers once', async () => {
    const ids = await inBatches(Array.from({ length: 300 }), () =>
      signUpNow({ created_at: daysAgo(2), is_paid: false }),
    )
    for (let count = 0; count < 4; count += 1) start()
    await until(async () => (await db.rows('select 1 from timers')).length === 0)
    for (const id of ids) expect((await eventsOf(id)).map(({ sequence }) => sequence)).toEqual([1, 2])
  })

  test('the history names the timer', async () => {
    const id = await signUpNow({ created_at: daysAgo(2), is_paid: false })
    start()
    await until(() => isDone(id))
    const rows = await db.rows(
      'select position, who, move, from_status, to_status from subscription_history where subscription_id = $1 order by 1',
      [id],
    )
    expect(rows).toEqual([
      { position: 1, who: 'test', move: 'create', from_status: null, to_status: 'incomplete' },
      { position: 2, who: 'timer', move: 'first_payment_over', from_status: 'incomplete', to_status: 'canceled' },
    ])
  })
})

describe('the claim', () => {
  test('leases the timers of two subscriptions of two shops with one id, each for itself', async () => {
    const id = randomUUID()
    const shops = [randomUUID(), randomUUID()]
    const [first] = shops
    for (const shop_id of shops) await signUpNow({ id, shop_id, created_at: daysAgo(60) })
    await db.rows(`update timers set due_at = now() + interval '1 day' where shop_id = $1`, [first])
    const claim = () => claimTimers(db, randomUUID(), LEASE_MS, 10)
    expect((await claim()).map(({ shop_id }) => shop_id)).toEqual(shops.slice(1))
    await db.rows("update timers set due_at = now() - interval '1 s' where shop_id = $1", [first])
    expect((await claim()).map(({ shop_id }) => shop_id)).toEqual([first])
  })

  test('skips a timer that another transaction has locked', async () => {
    const id = await signUpNow({ created_at: daysAgo(60) })
    const other = await signUpNow({ created_at: daysAgo(59) })
    await db.transaction(async (tx) => {
      await tx.rows('select 1 from timers where subscription_id = $1 for update', [id])
      const claimed = await claimTimers(db, randomUUID(), LEASE_MS, 10)
      expect(claimed.map(({ subscription_id }) => subscription_id)).toEqual([other])
    })
  })

  test('reads the due timers by their index, oldest first', async () => {
    await db.rows(
      `with made as (
         insert into subscriptions (id, shop_id, status, product_id, client_id, price_cents, currency, interval, billing_mode,
           anchor_at, periods, current_period_end, cancel_at_period_end, started_at, event_seq, document, created_at, updated_at)
         select gen_random_uuid(), gen_random_uuid(), 'active', gen_random_uuid(), gen_random_uuid(), 1, 'GBP', 'month',
           'manual', now(), 1, now() + make_interval(secs => n), false, now(), 1, '', now(), now()
         from generate_series(1, 20000) n returning id, shop_id, current_period_end)
       insert into timers (subscription_id, shop_id, move, due_at)
       select id, shop_id, 'period_over', current_period_end from made`,
    )
    await db.rows('analyze timers')
    for (const mode of planModes) {
      const plan = await planOf(db, mode, (sql) => claimTimers(sql, randomUUID(), LEASE_MS, 50))
      expect(plan).toContain('timers_due')
      expect(plan).not.toMatch(/Seq Scan|Sort/)
    }
    await db.rows("delete from subscriptions where document = ''")
  })
})
