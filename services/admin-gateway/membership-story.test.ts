// The life of a membership over HTTP: each move, the subscription after it, and the event with the same bytes, numbered without a
// gap (docs/spec/subscription-states.md#move-table, docs/spec/back-office.md#subscriptions).
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { type EventBody, event as eventSchema } from '#contracts/objects/webhook-event'
import type { Subscription } from '#contracts/objects/subscription'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { adminRequest } from '#testing/admin-requests'
import type { Answer } from '#testing/product/http'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

const DAY_MS = 86_400_000

describe.each(forms)('membership stories, %s', (form) => {
  const stack = duringTests(() => openStack({ form, replicas: { subscriptions: 2 } }))
  let shop: string
  let productId: string
  let clientId: string

  async function openShop(): Promise<void> {
    shop = (await stack.makeShop()).handle
    const membership = { interval: 'month', trialDays: 14 }
    const club = { title: 'Club', kind: 'membership', price: { cents: 1_400 }, membership }
    productId = (await stack.makeProduct(shop, club)).id
    clientId = (await stack.makeContact(shop, { email: 'ada@example.com' })).id
  }

  const send = (method: string, path: string, body?: object, key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
    return adminRequest(stack, method, `/shops/${shop}${path}`, { body, headers })
  }
  const signUp = (body: object = {}) => {
    const terms = { productId, clientId, billingMode: 'processor' }
    return send('POST', '/subscriptions', { ...terms, ...body })
  }
  const dataOf = (answer: Answer) => (answer.body as { data: Subscription }).data

  /** The event log of the shop, oldest first, once it has so many. */
  const eventsOf = (count: number) =>
    until(async () => {
      const page = await send('GET', '/events?limit=100')
      const { data } = page.body as { data: EventBody[] }
      return data.length >= count ? { events: data.toReversed(), text: page.text } : null
    })

  test('trial, payment, failure, recovery, cancel, resume, cancel, end', async () => {
    await openShop()
    const made = await signUp()
    expect(made.status).toBe(201)
    expect(dataOf(made)).toMatchObject({
      status: 'trialing',
      price: { cents: 1_400, amount: '14.00', currency: 'GBP' },
      interval: 'month',
      cancelAtPeriodEnd: false,
    })
    const { id, trialEndsAt } = dataOf(made)
    expect(trialEndsAt).not.toBeNull()
    const steps: [move: string, body: object | undefined, fires: string[], shows: object][] = [
      ['renew', undefined, ['renewed'], { status: 'active', trialEndsAt: null }],
      ['payment-failed', {}, ['payment_failed'], { status: 'past_due' }],
      ['renew', {}, ['renewed'], { status: 'active' }],
      ['cancel', undefined, ['cancelled'], { status: 'active', cancelAtPeriodEnd: true }],
      ['cancel', undefined, [], { status: 'active', cancelAtPeriodEnd: true }],
      ['resume', undefined, ['resumed'], { status: 'active', cancelAtPeriodEnd: false, canceledAt: null }],
      ['cancel', undefined, ['cancelled'], { status: 'active', cancelAtPeriodEnd: true }],
      ['end', undefined, ['cancelled', 'ended'], { status: 'canceled', trialEndsAt: null }],
      ['end', undefined, [], { status: 'canceled' }],
    ]
    const expected = [{ kind: 'subscription.created', text: made.text }]
    let before = made
    for (const [move, body, fires, shows] of steps) {
      const moved = await send('POST', `/subscriptions/${id}/${move}`, body)
      expect([move, moved.status]).toEqual([move, 200])
      expect(dataOf(moved)).toMatchObject(shows)
      expect((await send('GET', `/subscriptions/${id}`)).text).toBe(moved.text)
      if (fires.length === 0) expect(moved.text).toBe(before.text)
      expected.push(...fires.map((kind) => ({ kind: `subscription.${kind}`, text: moved.text })))
      before = moved
    }
    const { events, text } = await eventsOf(expected.length)
    const numbered = expected.map(({ kind }, index) => [kind, index + 1])
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual(numbered)
    for (const [index, event] of events.entries()) {
      expect(eventSchema.strict().parse(event)).toEqual(event)
      const document = (expected[index]?.text ?? '').slice('{"data":'.length, -1)
      expect(JSON.stringify(event.data)).toBe(document)
      expect(text).toContain(`"sequence":${index + 1},"epoch":0,"test":false,"data":${document}}`)
    }
    // The access rule refuses from the instant of the event on.
    const ended = events.at(-1)
    expect(dataOf(before).currentPeriodEnd! <= (ended?.timestamp ?? '')).toBe(true)

    const over = await send('POST', `/subscriptions/${id}/renew`)
    const words = 'The subscription is canceled: renew is not possible (it is over for good).'
    expect([over.status, over.body]).toEqual([
      409,
      { error: expect.objectContaining({ code: 'conflict', message: words }) },
    ])
    const history = await send('GET', `/subscriptions/${id}/history?limit=3`)
    expect(history.body).toMatchObject({
      data: [
        { number: 8, move: 'end', fromStatus: 'active', toStatus: 'canceled', who: 'admin token' },
        { number: 7, move: 'cancel' },
        { number: 6, move: 'resume' },
      ],
      has_more: true,
    })
  })

  test('subscription.updated and .ended: a manual membership ends by time alone, after its grace period', async () => {
    await openShop()
    const createdAt = new Date(Date.now() - 60 * DAY_MS).toISOString()
    const terms = { billingMode: 'manual', paymentMethod: 'bank_transfer', trialDays: 0, createdAt }
    const made = await signUp(terms)
    expect(dataOf(made)).toMatchObject({ status: 'active', createdAt })
    const { events } = await eventsOf(3)
    expect(events.map(({ type, sequence, data }) => [type, sequence, data.status])).toEqual([
      ['subscription.created', 1, 'active'],
      ['subscription.updated', 2, 'past_due'],
      ['subscription.ended', 3, 'canceled'],
    ])
    expect(dataOf(await send('GET', `/subscriptions/${dataOf(made).id}`))).toEqual(events[2]?.data)
  })

  test('an open first payment makes it incomplete; the last failed attempt ends it as the shop has set', async () => {
    await openShop()
    const settings = await send('GET', '/subscription-settings')
    expect(settings.body).toEqual({ data: { object: 'subscription_settings', unrecovered: 'canceled' } })
    const changed = await send('PATCH', '/subscription-settings', { unrecovered: 'unpaid' })
    expect([changed.status, changed.body]).toEqual([
      200,
      { data: { object: 'subscription_settings', unrecovered: 'unpaid' } },
    ])
    const open = await signUp({ trialDays: 0, firstPayment: 'open' })
    expect(dataOf(open).status).toBe('incomplete')
    const { id } = dataOf(open)
    expect(dataOf(await send('POST', `/subscriptions/${id}/renew`)).status).toBe('active')
    const last = await send('POST', `/subscriptions/${id}/payment-failed`, { lastAttempt: true })
    expect(dataOf(last).status).toBe('unpaid')
    expect((await send('GET', '/subscriptions?status=unpaid')).body).toMatchObject({ data: [{ id }], has_more: false })
    expect((await send('GET', '/subscriptions?status=active')).body).toMatchObject({ data: [] })
    expect((await eventsOf(4)).events.map(({ type }) => type)).toEqual([
      'subscription.created',
      'subscription.renewed',
      'subscription.payment_failed',
      'subscription.ended',
    ])
  })

  test('20 signups and 20 payments under one key each are one signup and one payment', async () => {
    await openShop()
    const terms = { productId, clientId, billingMode: 'processor', trialDays: 0 }
    const [first, second] = [randomUUID(), randomUUID()]
    const made = await Promise.all(Array.from({ length: 20 }, () => send('POST', '/subscriptions', terms, first)))
    expect(new Set(made.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const { id } = dataOf(made[0]!)
    const renew = () => send('POST', `/subscriptions/${id}/renew`, undefined, second)
    const renewed = await Promise.all(Array.from({ length: 20 }, renew))
    expect(new Set(renewed.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const { events } = await eventsOf(2)
    expect(events.map(({ type }) => type)).toEqual(['subscription.created', 'subscription.renewed'])
  })

  test('the public API has no memberships', async () => {
    const { id } = await stack.makeShop()
    const key = (await stack.makeKey(id)).secret
    expect((await stack.get('/api/v1/subscriptions', { key })).status).toBe(404)
  })
})
