// A sign-in whose steps reach different replicas, one of which is stopped on the way: docs/spec/agents-access.md#library
import { describe, expect, test } from '@jest/globals'
import { agentsEnv, codeIn, openAgents, type Tokens } from '#testing/product/agents'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

describe.each(forms.filter((form) => form === 'distributed'))('two replicas, %s', (form) => {
  test('share every step of a sign-in, and refuse a revoked agent both', async () => {
    const env = { ...agentsEnv, PUBLIC_URL: 'https://shop.example', CONSOLE_URL: 'https://office.example' }
    const stack = await openStack({ form, env, replicas: { 'mcp-gateway': 2, auth: 2 } })
    try {
      const agents = openAgents(stack)
      const shop = await stack.makeShop()
      const clientId = await agents.register()
      const waiting = await agents.begin(clientId, {}, 1)
      const to = await agents.approve(waiting.id, { shop: shop.id })
      expect(to.origin).toBe('https://shop.example')
      const code = codeIn(await agents.goOn(to, waiting.cookie, 0))
      const tokens = (await agents.exchangeCode(waiting, code, {}, 1)).body as Tokens
      const next = (await agents.refresh(clientId, tokens.refresh_token, 0)).body as Tokens
      const works = (key: string, gateway: number) => stack.mcp.call('tools/list', {}, { key, gateway })
      for (const key of [tokens.access_token, next.access_token]) {
        for (const gateway of [0, 1]) expect((await works(key, gateway)).status).toBe(200)
      }
      const again = await agents.begin(clientId, {}, 0)
      const [grant] = (await stack.admin('GET', `/shops/${shop.id}/agents`)).data as { id: string }[]
      await stack.admin('DELETE', `/shops/${shop.id}/agents/${grant?.id}`)
      for (const gateway of [0, 1]) expect((await works(next.access_token, gateway)).status).toBe(401)
      expect((await agents.refresh(clientId, next.refresh_token, 1)).status).toBe(400)
      // The replica at which a sign-in began ends; the other one and the other auth go on with it.
      await stack.running('mcp-gateway')[0]?.stop()
      await stack.running('auth')[0]?.stop()
      const back = await agents.goOn(await agents.approve(again.id, { shop: shop.id }), again.cookie, 1)
      const late = await agents.exchangeCode(again, codeIn(back), {}, 1)
      expect(late.status).toBe(200)
      expect((await works((late.body as Tokens).access_token, 1)).status).toBe(200)
    } finally {
      await stack.stop()
    }
  })
})
