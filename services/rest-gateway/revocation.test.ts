// Revoked keys and changed plans on every gateway and replica (docs/spec/security.md#revocation).
import { describe, expect, test } from '@jest/globals'
import { forms } from '#testing/product/deployment-forms'
import { openStack, type Stack } from '#testing/product/stack'
import { until } from '#testing/until'

const replicas = { 'rest-gateway': 2, auth: 2 }

const IN_FORCE_MS = 2_000

/** Asks every gateway until all answer the key with this status, as each must from two seconds after this call on. */
async function expectEverywhere(stack: Stack, key: string, status: number): Promise<void> {
  const began = performance.now()
  await until(async () => {
    const isDue = performance.now() - began > IN_FORCE_MS
    const answers = await Promise.all(stack.ports.map((_port, gateway) => stack.get('/api/v1/shop', { key, gateway })))
    const statuses = answers.map((answer) => answer.status)
    if (isDue) expect(statuses).toEqual(answers.map(() => status))
    return statuses.every((one) => one === status)
  })
}

describe.each(forms)('%s', (form) => {
  test('revocation and plan changes are in force everywhere within 2 s, and no key is ever in a log line', async () => {
    const stack = await openStack({ form, replicas, env: { REQUESTS_PER_MINUTE: '10000' } })
    try {
      const { id: shopId } = await stack.makeShop()
      const { id, secret: key } = await stack.makeKey(shopId)
      await expectEverywhere(stack, key, 200)
      await stack.admin('PATCH', `/shops/${shopId}`, { plan: 'basic' })
      await expectEverywhere(stack, key, 403)
      await stack.admin('PATCH', `/shops/${shopId}`, { plan: 'pro' })
      await expectEverywhere(stack, key, 200)
      await stack.admin('DELETE', `/shops/${shopId}/keys/${id}`)
      await expectEverywhere(stack, key, 401)
      expect(stack.logged()).not.toContain(key)
      expect(stack.logged()).toContain('/api/v1/shop')
    } finally {
      await stack.stop()
    }
  })
})
