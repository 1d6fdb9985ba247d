// Operators, their tokens, sessions and sign-in links. docs/spec/operators-and-roles.md#operators
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { deriveKeys } from '#config/derive-key'
import type { ActionName } from '#contracts/actions'
import type { IdentifyAnswer } from '#contracts/actions/auth'
import { everyRow } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { openService } from '#testing/product/one-service'
import { digestsOf } from '../keys/key.ts'
import { cleanUp } from '../cleanup.ts'
import { auth } from '../service.ts'

const PREVIOUS = 'the secret before, also 32 characters long'
type Json = Record<string, unknown>
const service = duringTests(() => openService(auth, {}, { SECRET_KEY_PREVIOUS: PREVIOUS }))
let shopId: string
beforeAll(async () => {
  const shop = { handle: 'a-shop', name: 'A shop', currency: 'GBP', timeZone: 'UTC' }
  shopId = String((await call('shops.create', { shop })).id)
})

const raw = (action: ActionName, params: object, meta: Json = {}) => service.call(action, params as never, meta)
const call = async (action: ActionName, params: object, meta: Json = {}): Promise<Json> =>
  JSON.parse(String(await raw(action, params, meta))).data
const operator = (facts: Json = {}) =>
  call('operators.create', {
    operator: { name: 'Mina', email: `${randomUUID()}@shop.example`, role: 'manager', shops: [shopId], ...facts },
  })
const token = (id: unknown, facts: Json = {}) =>
  call('operator_tokens.create', { id, operator_token: { name: 'laptop', ...facts } })
const identify = (secret: unknown, by: 'token' | 'session' = 'token') =>
  raw('operators.identify', { by, secret: String(secret) }).then((answer) => (answer as IdentifyAnswer).operator)
const link = async (id: unknown) => (await call('operators.create_link', { id })).code
const signIn = async (sign_in: Json) =>
  (await raw('sessions.create', { sign_in })) as { secret: string; operator: Json }

test('a new operator is shown whole, found by email in any case, and its email is taken', async () => {
  const email = `Mina.${randomUUID()}@Shop.example`
  const made = await operator({ email })
  const shown = { object: 'operator', name: 'Mina', email, role: 'manager', shops: [shopId], disabledAt: null }
  expect(made).toEqual({ id: made.id, createdAt: expect.any(String), lastSeenAt: null, ...shown })
  const found = JSON.parse(String(await raw('operators.list', { email: email.toLowerCase() })))
  expect(found.data).toEqual([made])
  await expect(operator({ email: email.toUpperCase() })).rejects.toMatchObject({
    type: 'conflict',
    data: { field: 'email' },
  })
})

test.each([
  ['an owner of some shops', { role: 'owner' }, 'shops'],
  ['a viewer of all shops', { role: 'viewer', shops: null }, 'shops'],
  ['a shop that is none', { shops: [randomUUID()] }, 'shops'],
  ['an unknown role', { role: 'boss' }, 'role'],
  ['no email', { email: 'nobody' }, 'email'],
])('%s is refused by the name of the field', async (_what, facts, field) => {
  await expect(operator(facts)).rejects.toMatchObject({ type: 'invalid_request', data: { field } })
})

test('of two owners that are disabled at once one stays', async () => {
  const owners = await Promise.all([1, 2].map(() => operator({ role: 'owner', shops: null })))
  const ended = await Promise.allSettled(owners.map(({ id }) => call('operators.disable', { id })))
  expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const last = owners.find((_, index) => ended[index]?.status === 'rejected')
  const lowered = call('operators.change', { id: last?.id, change: { role: 'viewer', shops: [shopId] } })
  await expect(lowered).rejects.toMatchObject({ type: 'conflict' })
})

describe('a token', () => {
  test('identifies its operator until it is revoked, expired, or its operator disabled', async () => {
    const { id } = await operator()
    const { secret, id: tokenId, ...shown } = await token(id)
    expect(secret).toMatch(/^sfo_[0-9A-Za-z]{49}$/)
    expect(shown).toMatchObject({ object: 'operator_token', name: 'laptop', expiresAt: null, revokedAt: null })
    expect(await identify(secret)).toMatchObject({ id, role: 'manager' })
    await call('operator_tokens.revoke', { id, token: tokenId })
    expect(await identify(secret)).toBeNull()
    const soon = await token(id, { expiresAt: new Date(Date.now() + 60_000).toISOString() })
    expect(await identify(soon.secret)).toMatchObject({ id })
    await service.db.rows('update operator_tokens set expires_at = now() where id = $1', [soon.id])
    expect(await identify(soon.secret)).toBeNull()
    const other = await token(id)
    await call('operators.disable', { id })
    expect(await identify(other.secret)).toBeNull()
    await expect(token(id)).rejects.toMatchObject({ type: 'conflict' }) // It would never be in force.
  })

  test('stands in no column of the database', async () => {
    const { id } = await operator()
    const secret = String((await token(id)).secret)
    const code = String(await link(id))
    const session = (await signIn({ token: secret })).secret
    const rows = await everyRow(service.url)
    expect(rows.filter((row) => [secret, code, session].some((text) => row.includes(text)))).toEqual([])
  })

  test('is one of five live ones', async () => {
    const { id } = await operator()
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => token(id)))
    const refused = made.filter(({ status }) => status === 'rejected')
    expect(refused).toMatchObject([{ reason: { type: 'limit_reached' } }])
  })

  test('that was stored under the secret key before is accepted, and then stored under the new one', async () => {
    const { id } = await operator()
    const { secret } = await token(id)
    const keys = deriveKeys(
      { secretKey: 'a secret of at least 32 characters.', secretKeyPrevious: PREVIOUS },
      'operator-secret',
    )
    const [now, before] = digestsOf(String(secret), keys)
    const stored = async () =>
      (await service.db.rows<{ digest: Buffer }>('select digest from operator_tokens where operator_id = $1', [id]))[0]
        ?.digest
    expect(await stored()).toEqual(now)
    await service.db.rows('update operator_tokens set digest = $2 where operator_id = $1', [id, before])
    expect(await identify(secret)).toMatchObject({ id })
    expect(await stored()).toEqual(now)
  })
})

describe('a sign-in', () => {
  test('by a code works once, and by a token again', async () => {
    const { id } = await operator()
    const code = await link(id)
    const { secret } = await signIn({ code })
    expect(await identify(secret, 'session')).toMatchObject({ id })
    await expect(signIn({ code })).rejects.toMatchObject({ type: 'unauthorized' })
    const made = await token(id)
    expect((await signIn({ token: made.secret })).operator).toMatchObject({ id })
    await expect(signIn({ token: 'sfo_wrong' })).rejects.toMatchObject({ type: 'unauthorized' })
    await expect(signIn({})).rejects.toMatchObject({ type: 'invalid_request' })
  })

  test('by a code is refused after 15 minutes', async () => {
    const { id } = await operator()
    const code = await link(id)
    await service.db.rows("update sign_in_codes set created_at = created_at - interval '15 minutes 1 second'")
    await expect(signIn({ code })).rejects.toMatchObject({ type: 'unauthorized' })
  })

  test('by a verified email never makes an operator', async () => {
    const { email, id } = await operator()
    expect(await raw('sessions.create', { email })).toMatchObject({ operator: { id } })
    const stranger = raw('sessions.create', { email: 'stranger@shop.example' })
    await expect(stranger).rejects.toMatchObject({ type: 'forbidden', message: expect.stringContaining('stranger@') })
  })
})

describe('a session', () => {
  test.each([
    ['after 12 hours', "created_at = created_at - interval '12 hours'"],
    ['after an hour without a call', "last_call_at = last_call_at - interval '1 hour'"],
  ])('ends %s, and is deleted in the end', async (_when, change) => {
    const { email } = await operator()
    const { secret } = (await raw('sessions.create', { email })) as { secret: string }
    expect(await identify(secret, 'session')).not.toBeNull()
    await service.db.rows(`update sessions set ${change}`)
    expect(await identify(secret, 'session')).toBeNull()
    await cleanUp(service.db, new Date(Date.now() + 12 * 3_600_000))
    expect(await service.db.rows('select 1 from sessions')).toEqual([])
  })

  test('ends by itself alone, or with all of its operator, or with the operator', async () => {
    const { email, id } = await operator()
    const begin = async () => ((await raw('sessions.create', { email })) as { secret: string }).secret
    const [one, two] = [await begin(), await begin()]
    await raw('sessions.end', { secret: one })
    expect([await identify(one, 'session'), await identify(two, 'session')]).toMatchObject([null, { id }])
    await call('operators.end_sessions', { id })
    expect(await identify(two, 'session')).toBeNull()
    const three = await begin()
    await call('operators.disable', { id })
    expect(await identify(three, 'session')).toBeNull()
  })
})

test('the list of shops holds those of the operator only, and its plan is the owner’s to change', async () => {
  const shop = { handle: 'another-shop', name: 'Another', currency: 'EUR', timeZone: 'UTC' }
  await call('shops.create', { shop })
  const meta = { operator: { id: randomUUID(), name: 'Mina', role: 'manager', shops: [shopId], via: 'token' } }
  const { data } = JSON.parse(String(await raw('shops.list', {}, meta)))
  expect(data).toMatchObject([{ id: shopId }])
  await expect(raw('shops.change', { shop: shopId, change: { plan: 'basic' } }, meta)).rejects.toMatchObject({
    type: 'forbidden',
  })
  expect(await call('shops.change', { shop: shopId, change: { plan: 'pro', name: 'New' } }, meta)).toMatchObject({
    name: 'New',
  })
})
