// The grants of agents beside changes of the installation: rotations of the secret key, deletions of shops, changes of operators.
// docs/spec/agents-access.md#tokens, docs/spec/agents-access.md#grants
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import type { FoundToken } from '#contracts/actions/agents'
import type { Settings } from '#runtime/service'
import { databaseDuringTests } from '#testing/during-tests'
import { openDigestKeys } from '../secret-key/kept-keys.ts'
import { auth } from '../service.ts'
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
