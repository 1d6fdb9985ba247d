// The failure budget of sign-ins: whatever is refused counts, and beyond it the audit does not grow (docs/spec/audit.md).
import { expect, test } from '@jest/globals'
import type { AuditEntry } from '#contracts/objects/audit-entry'
import { duringTests } from '#testing/during-tests'
import { adminRequest } from '#testing/admin-requests'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

const callback = '/session/oidc/callback'
// Nobody listens there: a forged callback is refused without the provider.
const oidc = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'secret' }
const stack = duringTests(() => openStack({ form: 'one-process', env: { ...oidc, AUTH_FAILURES_PER_MINUTE: '5' } }))

const signIn = (body: unknown) =>
  adminRequest(stack, 'POST', '/session', { body, headers: { authorization: '', 'content-type': 'application/json' } })
const comeBack = (headers: Record<string, string> = {}) =>
  adminRequest(stack, 'GET', `${callback}?code=x&state=y`, { headers: { authorization: '', ...headers } })
const facts = { verifier: 'a', state: 'y', nonce: 'c', endsAt: Date.now() + 60_000 }
const flow = Buffer.from(JSON.stringify(facts)).toString('base64url')

test('every refused sign-in counts, also a malformed one; beyond the budget it is 429 and leaves no entry', async () => {
  const tries = [
    () => signIn('{"token":'),
    () => signIn({ token: 'a', code: 'b' }),
    () => signIn({ token: 'sfo_wrong' }),
    () => comeBack(),
    () => comeBack({ cookie: `storefront_oidc=${flow}` }),
  ]
  const statuses: number[] = []
  for (const attempt of [...tries, ...tries]) statuses.push((await attempt()).status)
  expect(statuses).toEqual([400, 400, 401, 401, 401, 429, 429, 429, 429, 429])

  const refused = await adminRequest(stack, 'POST', '/operators', { body: {} }) // The gateway sends its entries in order.
  const listed = async () => (await stack.admin('GET', '/audit?limit=100')).data as AuditEntry[]
  await until(async () => (await listed()).some(({ requestId }) => requestId === refused.headers['x-request-id']))
  const entries = (await listed()).filter(({ action }) => action === 'sessions.create')
  expect(entries.map(({ code, route }) => [code, route]).toReversed()).toEqual([
    ['invalid_request', '/session'],
    ['invalid_request', '/session'],
    ['unauthorized', '/session'],
    ['unauthorized', callback],
    ['unauthorized', callback],
  ])
})
