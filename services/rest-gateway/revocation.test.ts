// Revoked keys and changed plans on every gateway and replica (docs/spec/security.md#revocation).
import { describe, expect, test } from '@jest/globals'
import { forms } from '#testing/product/deployment-forms'
import { openStack, type Stack } from '#testing/product/stack'

const replicas = { 'rest-gateway': 2, auth: 2 }

/** Milliseconds until every gateway answers the key with this status; fails after 5 s. */
async function until(stack: Stack, key: string, status: number): Promise<number> {
  const began = performance.now()
  for (;;) {
    const answers = await Promise.all(stack.ports.map((_port, gateway) => stack.get('/api/v1/shop', { key, gateway })))
    if (answers.every((answer) => answer.status === status)) return performance.now() - began
    if (performance.now() - began > 5_000) throw new Error(`Still not ${status} everywhere.`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

describe.each(forms)('%s', (form) => {
  test('revocation and plan changes are in force everywhere within 2 s, and no key is ever in a log line', async () => {
    const stack = await openStack({ form, replicas })
    try {
      const { id: shopId } = await stack.makeShop()
      const { id, secret: key } = await stack.makeKey(shopId)
      await until(stack, key, 200)
      await stack.admin('PATCH', `/shops/${shopId}`, { plan: 'basic' })
      expect(await until(stack, key, 403)).toBeLessThan(2_000)
      await stack.admin('PATCH', `/shops/${shopId}`, { plan: 'pro' })
      expect(await until(stack, key, 200)).toBeLessThan(2_000)
      await stack.admin('DELETE', `/shops/${shopId}/keys/${id}`)
      expect(await until(stack, key, 401)).toBeLessThan(2_000)
      expect(stack.logged()).not.toContain(key)
      expect(stack.logged()).toContain('/api/v1/shop')
    } finally {
      await stack.stop()
    }
  })
})
