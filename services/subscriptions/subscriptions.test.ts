// Memberships as the back office sees them: creation, every move, its events and its history. The test answers for catalog and
// contacts. docs/spec/subscription-states.md#move-table
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { ActionInput, ActionName } from '#contracts/actions'
import type { Caller, CallMeta } from '#contracts/caller'
import { event } from '#contracts/objects/webhook-event'
import { refuse } from '#contracts/errors'
import { type Subscription, subscription } from '#contracts/objects/subscription'
import { toSingle } from '#paging/page'
import { duringTests } from '#testing/during-tests'
import { inBatches } from '#testing/in-batches'
import { makeCaller, openService } from '#testing/product/one-service'
import { subscriptions } from './service.ts'

const memberId = '40000000-0000-4000-8000-000000000001'
const membershipId = '30000000-0000-4000-8000-000000000001'
const trialId = '30000000-0000-4000-8000-000000000002'
const mugId = '30000000-0000-4000-8000-000000000003'
const endlessId = '30000000-0000-4000-8000-000000000004'
let priceCents = 900

const productOf = (id: string): object | null => {
  const price = { cents: priceCents, amount: '9.00', currency: 'GBP' }
  if (id === membershipId) return { kind: 'membership', price, membership: { interval: 'month', trialDays: null } }
  if (id === trialId) return { kind: 'membership', price, membership: { interval: 'year', trialDays: 14 } }
  if (id === endlessId) return { kind: 'membership', price, membership: { interval: null, trialDays: null } }
  return id === mugId ? { kind: 'physical', price, membership: null } : null
}

const service = duringTests(() =>
  openService(subscriptions, {
    async 'products.get'({ params: { id } }) {
      if (isCatalogDown) throw refuse('unavailable', 'down')
      const product = productOf(id)
      if (product === null) throw refuse('not_found', 'No product with that id in this shop.')
      return toSingle(JSON.stringify(product))
    },
    async 'contacts.get'({ params: { id } }) {
      if (id !== memberId) throw refuse('not_found', 'No contact with that id in this shop.')
      return toSingle('{}')
    },
  }),
)
let isCatalogDown = false

async function call<Name extends ActionName>(name: Name, params: ActionInput<Name>, meta: CallMeta) {
  const answer = (await service.call(name, params, meta)) as Buffer
  return JSON.parse(answer.toString()).data
}

async function create(caller: Caller, body: object = {}, meta: CallMeta = {}): Promise<Subscription> {
  const subscription = { productId: membershipId, clientId: memberId, billingMode: 'processor' as const, ...body }
  return call('subscriptions.create', { subscription }, { caller, ...meta })
}

type SimpleMove = 'renew' | 'cancel' | 'resume' | 'end'
const move = (caller: Caller, id: string, name: SimpleMove): Promise<Subscription> =>
  call(`subscriptions.${name}`, { id }, { caller })
const fail = (caller: Caller, id: string, failure?: object): Promise<Subscription> =>
  call('subscriptions.payment_failed', { id, failure }, { caller })

/** The bodies of the events of a subscription, in their order. */
async function eventsOf(id: string): Promise<string[]> {
  const rows = await service.db.rows<{ body: string }>(
    'select body from events where object_id = $1 order by position',
    [id],
  )
  return rows.map(({ body }) => body)
}
/** The types of the events, without `subscription.`. */
async function kindsOf(id: string): Promise<string> {
  const types = (await eventsOf(id)).map((body) => JSON.parse(body).type as string)
  return types.map((type) => type.replace('subscription.', '')).join(' ')
}

const refusal = (type: string, message: string | RegExp) =>
  expect.objectContaining({ type, message: typeof message === 'string' ? message : expect.stringMatching(message) })

describe('a new membership', () => {
  test('has every field of the published object, price and interval copied from the product', async () => {
    const made = await create(makeCaller(), { createdAt: '2026-01-31T10:00:00Z' })
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      object: 'subscription',
      status: 'active',
      productId: membershipId,
      clientId: memberId,
      billingMode: 'processor',
      paymentMethod: null,
      price: { cents: 900, amount: '9.00', currency: 'GBP' },
      currency: 'GBP',
      interval: 'month',
      currentPeriodEnd: '2026-02-28T10:00:00.000Z',
      cancelAtPeriodEnd: false,
      canceledAt: null,
      trialEndsAt: null,
      startedAt: '2026-01-31T10:00:00.000Z',
      createdAt: '2026-01-31T10:00:00.000Z',
      updatedAt: expect.stringMatching(/Z$/),
    })
    expect(Object.keys(made)).toEqual(Object.keys(subscription.shape))
    expect(await kindsOf(made.id)).toBe('created')
  })

  test("begins with the product's trial, another one, or none", async () => {
    const caller = makeCaller()
    const days = async (body: object) => {
      const made = await create(caller, { productId: trialId, ...body })
      const end = made.trialEndsAt === null ? null : Date.parse(made.trialEndsAt)
      const trial = end === null ? 0 : (end - Date.parse(made.createdAt ?? '')) / 86_400_000
      return [made.status, trial, made.trialEndsAt === null || made.currentPeriodEnd === made.trialEndsAt]
    }
    expect(await days({})).toEqual(['trialing', 14, true])
    expect(await days({ trialDays: 3 })).toEqual(['trialing', 3, true])
    expect(await days({ trialDays: 0 })).toEqual(['active', 0, true])
    expect(await days({ trialDays: null })).toEqual(['active', 0, true])
  })

  test('whose first payment is open is incomplete, and active after the payment', async () => {
    const caller = makeCaller()
    const made = await create(caller, { firstPayment: 'open' })
    expect(made).toMatchObject({ status: 'incomplete', currentPeriodEnd: null, startedAt: null })
    const paid = await move(caller, made.id, 'renew')
    expect(paid).toMatchObject({ status: 'active', startedAt: paid.updatedAt })
    expect(await kindsOf(made.id)).toBe('created renewed')
  })

  test('may be billed manually, with any payment method but the card', async () => {
    const made = await create(makeCaller(), { billingMode: 'manual', paymentMethod: 'bank_transfer' })
    expect(made).toMatchObject({ billingMode: 'manual', paymentMethod: 'bank_transfer' })
    expect(await create(makeCaller(), { billingMode: 'manual' })).toMatchObject({ paymentMethod: null })
  })

  test('keeps its price when the product is repriced', async () => {
    const caller = makeCaller()
    const made = await create(caller)
    priceCents = 1_200
    const renewed = await move(caller, made.id, 'renew')
    priceCents = 900
    expect(renewed.price.cents).toBe(900)
  })

  test.each<[string, object, RegExp]>([
    [
      'a product of another kind',
      { productId: mugId },
      /^productId must name a membership; this product is of kind physical/,
    ],
    ['no product', { productId: randomUUID() }, /^productId names no product of this shop/],
    ['a membership without an interval', { productId: endlessId }, /^productId names a membership without an interval/],
    ['an unknown contact', { clientId: randomUUID() }, /^clientId names no contact of this shop/],
    ['no contact', { clientId: undefined }, /^clientId is required/],
    ['an id that is not a UUID', { productId: 'mug' }, /^productId must be/],
    ['a payment method with a card', { paymentMethod: 'cod' }, /^paymentMethod is for manual billing only/],
    [
      'the card for manual billing',
      { billingMode: 'manual', paymentMethod: 'card' },
      /^paymentMethod must be one of bank_transfer/,
    ],
    ['an unknown billing', { billingMode: 'barter' }, /^billingMode must be one of processor, manual/],
    ['a negative trial', { trialDays: -1 }, /^trialDays must be at least 0/],
    ['a trial of half a day', { trialDays: 0.5 }, /^trialDays must be/],
    ['a creation in the future', { createdAt: '2999-01-01T00:00:00Z' }, /^createdAt must not be in the future/],
    ['an unknown field', { plan: 'gold' }, /^plan is not a field of this object/],
  ])('%s is refused', async (_what, body, message) => {
    await expect(create(makeCaller(), body)).rejects.toEqual(refusal('invalid_request', message))
  })

  test('a subscription that was read may be sent back and creates another one', async () => {
    const caller = makeCaller()
    const first = await create(caller)
    const second = await create(caller, first)
    expect(second).toEqual({ ...first, id: second.id, updatedAt: second.updatedAt })
    expect(second.id).not.toBe(first.id)
  })

  test('created again under its Idempotency-Key is the first one, also while catalog is down', async () => {
    const caller = makeCaller()
    const idempotency = { key: randomUUID(), fingerprint: 'one' }
    const first = await create(caller, {}, { idempotency })
    isCatalogDown = true
    const again = await create(caller, {}, { idempotency }).finally(() => {
      isCatalogDown = false
    })
    expect(again).toEqual(first)
    const other = create(caller, {}, { idempotency: { ...idempotency, fingerprint: 'two' } })
    await expect(other).rejects.toEqual(refusal('conflict', /^Idempotency-Key/))
    expect(await kindsOf(first.id)).toBe('created')
  })

  test('is not created while catalog is down', async () => {
    const caller = makeCaller()
    isCatalogDown = true
    await expect(create(caller)).rejects.toEqual(refusal('unavailable', 'down'))
    isCatalogDown = false
    expect(await call('subscriptions.list', {}, { caller })).toEqual([])
  })
})

describe('moves', () => {
  test('each answers the subscription as it is then, and fires its event', async () => {
    const caller = makeCaller()
    const { id, currentPeriodEnd } = await create(caller, { createdAt: '2026-01-31T10:00:00Z' })
    expect(currentPeriodEnd).toBe('2026-02-28T10:00:00.000Z')
    expect((await move(caller, id, 'renew')).currentPeriodEnd).toBe('2026-03-31T10:00:00.000Z')
    expect(await fail(caller, id)).toMatchObject({ status: 'past_due', currentPeriodEnd: '2026-03-31T10:00:00.000Z' })
    expect(await fail(caller, id, {})).toMatchObject({ status: 'past_due' })
    expect(await move(caller, id, 'renew')).toMatchObject({
      status: 'active',
      currentPeriodEnd: '2026-04-30T10:00:00.000Z',
    })
    const ended = await move(caller, id, 'end')
    expect(ended).toMatchObject({
      status: 'canceled',
      canceledAt: ended.updatedAt,
      currentPeriodEnd: '2026-04-30T10:00:00.000Z',
    })
    expect(await kindsOf(id)).toBe('created renewed payment_failed payment_failed renewed cancelled ended')
  })

  test('stop and resume; a move whose result is there already answers the same and fires nothing', async () => {
    const caller = makeCaller()
    const { id } = await create(caller)
    const stopping = await move(caller, id, 'cancel')
    expect(stopping).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, canceledAt: stopping.updatedAt })
    expect(await move(caller, id, 'cancel')).toEqual(stopping)
    const back = await move(caller, id, 'resume')
    expect(back).toMatchObject({ status: 'active', cancelAtPeriodEnd: false, canceledAt: null })
    expect(await move(caller, id, 'resume')).toEqual(back)
    const ended = await move(caller, id, 'end')
    expect(ended.currentPeriodEnd).toBe(ended.updatedAt)
    expect(await move(caller, id, 'end')).toEqual(ended)
    expect(await kindsOf(id)).toBe('created cancelled resumed cancelled ended')
  })

  test('the last attempt on a card ends it, canceled or unpaid by the setting of the shop; unpaid can be paid again', async () => {
    const caller = makeCaller()
    expect(await call('subscriptions.settings', {}, { caller })).toEqual({
      object: 'subscription_settings',
      unrecovered: 'canceled',
    })
    const first = await create(caller)
    expect(await fail(caller, first.id, { lastAttempt: true })).toMatchObject({ status: 'canceled', canceledAt: null })
    const forgiven = call(
      'subscriptions.change_settings',
      { settings: { unrecovered: 'forgiven' as never } },
      { caller },
    )
    await expect(forgiven).rejects.toEqual(refusal('invalid_request', 'unrecovered must be one of canceled, unpaid.'))
    await call('subscriptions.change_settings', { settings: { unrecovered: 'unpaid' } }, { caller })
    const second = await create(caller)
    const unpaid = await fail(caller, second.id, { lastAttempt: true })
    expect(unpaid).toMatchObject({ status: 'unpaid', currentPeriodEnd: unpaid.updatedAt })
    expect(await move(caller, second.id, 'renew')).toMatchObject({ status: 'active' })
    expect(await kindsOf(second.id)).toBe('created payment_failed ended renewed')
  })

  test('a refusal is a conflict that names state and move, and writes nothing', async () => {
    const caller = makeCaller()
    const { id } = await create(caller, { billingMode: 'manual' })
    const words =
      'The subscription is active: payment-failed is not possible (its billing is manual, no card is charged).'
    await expect(fail(caller, id)).rejects.toEqual(refusal('conflict', words))
    const ended = await move(caller, id, 'end')
    for (const name of ['renew', 'cancel', 'resume'] as const) {
      const message = `The subscription is canceled: ${name} is not possible (it is over for good).`
      await expect(move(caller, id, name)).rejects.toEqual(refusal('conflict', message))
    }
    expect(await call('subscriptions.get', { id }, { caller })).toEqual(ended)
    expect(await kindsOf(id)).toBe('created cancelled ended')
  })

  test('stand in the history with who, when, from and to', async () => {
    const caller = makeCaller()
    const { id } = await create(caller)
    const failed = await fail(caller, id)
    await call('subscriptions.renew', { id }, { caller: { ...caller, keyId: 'key 7' } })
    const page = (await service.call('subscriptions.history', { id, limit: 2 }, { caller })) as Buffer
    const { data, has_more, next_cursor } = JSON.parse(page.toString())
    expect([data[0].number, data[0].who, data[0].move, has_more]).toEqual([3, 'key 7', 'renew', true])
    expect(data[1]).toEqual({
      object: 'subscription_move',
      subscriptionId: id,
      number: 2,
      at: failed.updatedAt,
      who: 'admin token',
      move: 'payment_failed',
      fromStatus: 'active',
      toStatus: 'past_due',
    })
    const [first, ...others] = await call('subscriptions.history', { id, limit: 2, cursor: next_cursor }, { caller })
    expect([first.move, first.fromStatus, first.toStatus, others.length]).toEqual(['create', null, 'active', 0])
  })
})

describe('events', () => {
  test('hold the bytes of the answer, in the published shape', async () => {
    const caller = makeCaller()
    const given = { productId: membershipId, clientId: memberId, billingMode: 'processor' as const }
    const created = (await service.call('subscriptions.create', { subscription: given }, { caller })) as Buffer
    const { id } = JSON.parse(created.toString()).data
    const renewed = (await service.call('subscriptions.renew', { id }, { caller })) as Buffer
    const documents = [created, renewed].map((answer) => answer.toString().slice('{"data":'.length, -1))
    const bodies = await eventsOf(id)
    expect(bodies.map((body) => body.slice(body.indexOf(',"data":') + 8, -1))).toEqual(documents)
    for (const [index, body] of bodies.entries()) {
      const parsed = JSON.parse(body)
      expect(Object.keys(parsed)).toEqual(Object.keys(event.shape))
      expect(event.parse(parsed)).toMatchObject({ sequence: index + 1, shopId: caller.shopId, test: false })
      expect(subscription.strict().parse(parsed.data).updatedAt).toBe(parsed.timestamp)
    }
  })

  test('a change that is rolled back leaves neither event, history, timer nor answer', async () => {
    const caller = makeCaller()
    const { id } = await create(caller, { billingMode: 'manual' })
    const before = await stateOf(id)
    await service.db.rows(
      "alter table events add constraint not_now check (type <> 'subscription.cancelled') not valid",
    )
    const idempotency = { key: randomUUID(), fingerprint: 'cancel' }
    await expect(call('subscriptions.cancel', { id }, { caller, idempotency })).rejects.toMatchObject({ code: '23514' })
    await service.db.rows('alter table events drop constraint not_now')
    expect(await stateOf(id)).toEqual(before)
    expect(await call('subscriptions.cancel', { id }, { caller, idempotency })).toMatchObject({
      cancelAtPeriodEnd: true,
    })
  })

  test('200 commands, fifty at once, on one membership: one after the other, no sequence missing or twice', async () => {
    const caller = makeCaller()
    const { id } = await create(caller)
    const commands: (() => Promise<Subscription>)[] = [
      () => move(caller, id, 'renew'),
      () => fail(caller, id),
      () => move(caller, id, 'cancel'),
      () => move(caller, id, 'resume'),
    ]
    const all = Array.from({ length: 50 }, () => commands).flat()
    await inBatches(all, (command) => command())
    const bodies = (await eventsOf(id)).map((body) => JSON.parse(body))
    expect(bodies.map(({ sequence }) => sequence)).toEqual(bodies.map((_, index) => index + 1))
    const count = (kind: string) => bodies.filter(({ type }) => type === kind).length
    expect([count('subscription.renewed'), count('subscription.payment_failed')]).toEqual([50, 50])
    const stopped = count('subscription.cancelled') - count('subscription.resumed')
    const last = await call('subscriptions.get', { id }, { caller })
    expect([last, stopped]).toEqual([bodies.at(-1)?.data, last.cancelAtPeriodEnd ? 1 : 0])
    const [row] = await service.db.rows<{ event_seq: number }>('select event_seq from subscriptions where id = $1', [
      id,
    ])
    expect(row?.event_seq).toBe(bodies.length)
  })
})

async function stateOf(id: string) {
  const tables = [
    'subscriptions where id',
    'events where object_id',
    'timers where subscription_id',
    'subscription_history where subscription_id',
  ]
  return Promise.all(tables.map((table) => service.db.rows(`select * from ${table} = $1`, [id])))
}
