// The grants of agents beside changes of the installation: rotations of the secret key, deletions of shops, changes of operators.
// docs/spec/agents-access.md#tokens, docs/spec/agents-access.md#grants
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import type { FoundToken } from '#contracts/actions/agents'
import type { Settings } from '#runtime/service'
import { openClient } from '#testing/database'
import { databaseDuringTests } from '#testing/during-tests'
import { rootOperator } from '#testing/product/one-service'
import { until } from '#testing/until'
import { openDigestKeys } from '../secret-key/kept-keys.ts'
import { auth } from '../service.ts'
import { markDeleted } from '../shops/deletion-queries.ts'
import { agentActions } from './actions.ts'
import { agentSignInActions } from './sign-in-actions.ts'

const db = databaseDuringTests(auth.storage)
const [shopId, grantId] = [randomUUID(), randomUUID()]

beforeAll(async () => {
  await insertShop(shopId)
  await insertGrant(grantId, shopId)
})

async function insertShop(id: string): Promise<void> {
  await db.rows(
    `insert into shops (id, handle, name, currency, time_zone, plan, document, record, created_at, updated_at)
     values ($1, $2, 'A shop', 'GBP', 'UTC', 'pro', '{}', '{}', now(), now())`,
    [id, `shop-${id}`],
  )
}

async function insertGrant(id: string, ofShop: string): Promise<void> {
  await db.rows(
    `insert into agent_grants (id, shop_id, operator_id, client_id, client_name, registration, redirect_host, access, created_at,
       expires_at) values ($1, $2, $3, 'client', 'An agent', 'registered', 'agent.example', 'read', now(), now() + interval '90 days')`,
    [id, ofShop, randomUUID()],
  )
}

/** Auth with these secrets, as it is after its start. */
async function started(secretKey: string, secretKeyPrevious: string | null = null) {
  const settings = { secretKey, secretKeyNext: null, secretKeyPrevious } as Settings
  const keys = openDigestKeys(settings, db)
  await keys.refresh(new Date())
  const actions = agentSignInActions({ settings, broadcast: () => undefined } as never, db, keys.agentTokens)
  return (name: 'agent.store_token' | 'agent.find_token', params: object) =>
    actions[name]?.({ params, meta: {}, locals: { now: new Date() } } as never)
}

const waiting = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'

/** A transaction that has done the statement, until `commit`. `isAwaited` resolves when another one waits for it. */
async function beginWith(text: string, values: unknown[]) {
  const client = await openClient(db.url)
  await client.query('begin')
  await client.query(text, values)
  return {
    isAwaited: () => until(async () => (await client.query(waiting)).rows.length > 0),
    async commit() {
      await client.query('commit')
      await client.close()
    },
  }
}

test('a refresh token that is not used during a rotation of the secret key is found after it', async () => {
  const [first, second, third] = ['the first', 'the second', 'the third'].map(
    (text) => `${text} secret of 32 characters`,
  )
  const token = randomBytes(32).toString('base64url')
  const stored = { kind: 'refresh', token, grant_id: grantId, payload: '{}', lifetime_s: 86_400 }
  await (await started(String(first)))('agent.store_token', stored)
  for (const [secretKey, previous] of [
    [second, first],
    [second, null],
    [third, second],
    [third, null],
  ] as const) {
    const found = await (await started(String(secretKey), previous))('agent.find_token', { kind: 'refresh', token })
    expect(found as FoundToken).toEqual({ payload: '{}', used: null })
  }
})

test('a shop is deleted also while an agent of it gets a token', async () => {
  const [id, ownGrant] = [randomUUID(), randomUUID()]
  await insertShop(id)
  await insertGrant(ownGrant, id)
  const issuing = await beginWith(
    `with live as (update auth.agent_grants set collected_at = now() where id = $1 returning id)
     insert into auth.agent_tokens (digest, grant_id, kind, payload, created_at, expires_at)
     select $2, id, 'access', '{}', now(), now() + interval '1 hour' from live`,
    [ownGrant, randomBytes(32)],
  )
  const deleting = db.transaction((tx) => markDeleted(tx, { id, handle: 'gone' }, new Date()))
  await issuing.isAwaited()
  await issuing.commit()
  await deleting
  expect(await db.rows('select 1 from agent_grants where shop_id = $1', [id])).toEqual([])
})

test('an operator who is disabled while approving an agent gives no access', async () => {
  const operatorId = randomUUID()
  await db.rows(
    `insert into operators (id, name, email, role, shops, created_at) values ($1, 'Ada', 'ada@example.com', 'manager', $2, now())`,
    [operatorId, [shopId]],
  )
  await db.rows(
    `insert into agent_authorizations (id, client_id, client_name, registration, redirect_uri, access, payload, created_at, expires_at)
     values ('request', 'client', 'An agent', 'registered', 'https://agent.example/cb', 'read', $1, now(), now() + interval '1 hour')`,
    [JSON.stringify({ returnTo: 'https://shop.example/oauth/authorize/request' })],
  )
  const disabling = await beginWith('update auth.operators set disabled_at = now() where id = $1', [operatorId])
  const settings = { secretKey: 'a secret of at least 32 characters.', secretKeyPrevious: null } as Settings
  const { agentTokens } = openDigestKeys(settings, db)
  const { 'agent.approve': approve } = agentActions({ settings, broadcast: () => undefined } as never, db, agentTokens)
  const operator = { ...rootOperator, id: operatorId, role: 'manager', shops: [shopId], via: 'session' }
  const params = { id: 'request', approval: { shop: shopId, access: 'read', resources: null, expiresInDays: 30 } }
  const locals = { now: new Date(), operator, idempotency: null, requestId: null, meta: {} }
  const approving = Promise.resolve(approve?.({ params, meta: {}, locals } as never)).catch((error: unknown) => error)
  await Promise.race([disabling.isAwaited(), approving])
  await disabling.commit()
  expect(await approving).toMatchObject({ type: 'forbidden' })
  expect(await db.rows('select 1 from agent_grants where operator_id = $1', [operatorId])).toEqual([])
})
