// The tokens of the back office, and what wrong ones get (docs/spec/operators-and-roles.md#root-operator, docs/spec/operators-and-roles.md#refusals).
import { describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { adminRequest } from '#testing/admin-requests'
import { exchange } from '#testing/product/http'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

const previous = 'an-operator-token-that-was-rotated'

describe.each(forms)('the token of the back office, %s', (form) => {
  const env = { ADMIN_TOKEN_PREVIOUS: previous, AUTH_FAILURES_PER_MINUTE: '5' }
  const stack = duringTests(() => openStack({ form, replicas: { 'admin-gateway': 2 }, env }))
  const ask = (authorization: string, gateway = 0) =>
    adminRequest(stack, 'GET', '/shops', { headers: { authorization }, gateway })

  test('is ADMIN_TOKEN, and ADMIN_TOKEN_PREVIOUS while it is set', async () => {
    expect((await adminRequest(stack, 'GET', '/shops')).status).toBe(200)
    expect((await ask(`Bearer ${previous}`)).status).toBe(200)
  })

  test('that is absent is 401 as often as it is, and spends no budget', async () => {
    for (let count = 0; count < 8; count += 1) {
      expect((await exchange(stack.adminPorts[0] ?? 0, '/admin/v1/shops')).status).toBe(401)
    }
  })

  test('that is wrong spends the failure budget of its source over all gateways; a right one is accepted still', async () => {
    const wrong = ['', 'Basic x', `Bearer ${previous}x`, 'Bearer ', 'Bearer a', `Bearer ${previous.slice(1)}`]
    const statuses: number[] = []
    for (const [index, authorization] of wrong.entries()) statuses.push((await ask(authorization, index)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const limited = await ask('Bearer a')
    expect(limited.headers).toMatchObject({ 'retry-after': expect.stringMatching(/^[1-9]\d?$/) })
    expect(limited.body).toEqual({
      error: expect.objectContaining({
        code: 'rate_limited',
        message: expect.stringMatching(/^Too many failed authentications/),
      }),
    })
    expect((await stack.get('/api/v1/shop', { key: 'guess' })).status).toBe(429)
    expect((await ask(`Bearer ${previous}`, 1)).status).toBe(200)
  })
})
