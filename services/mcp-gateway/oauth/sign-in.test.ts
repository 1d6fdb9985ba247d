// Agents' sign-in from registration to the end of the access: docs/spec/agents-access.md
import { expect, test } from '@jest/globals'
import { agentsEnv, codeIn, openAgents, REDIRECT, type Tokens } from '#testing/product/agents'
import { resultOf } from '#testing/product/mcp'
import { openStack } from '#testing/product/stack'
import { duringTests } from '#testing/during-tests'

const opened = duringTests(async () => {
  const stack = await openStack({ form: 'one-process', env: agentsEnv })
  return { ...stack, stack, agents: openAgents(stack), close: () => stack.stop() }
})

test('an agent signs in, calls tools, refreshes and is revoked', async () => {
  const { agents, stack } = opened
  const shop = await stack.makeShop()
  const clientId = await agents.register()
  const waiting = await agents.begin(clientId)
  const asked = await stack.admin('GET', `/authorizations/${waiting.id}`)
  expect(asked.data).toMatchObject({
    id: waiting.id,
    object: 'agent_authorization',
    client: { id: clientId, name: 'Test agent', registration: 'registered', redirectHost: 'agent.example', host: null },
    access: 'write',
  })
  const to = await agents.approve(waiting.id, { shop: shop.handle, access: 'read', expiresInDays: 7 })
  const back = await agents.goOn(to, waiting.cookie)
  const url = new URL(String(back.headers.location))
  expect(url.origin + url.pathname).toBe(REDIRECT)
  expect(url.searchParams.get('state')).toBe('a state')
  expect(url.searchParams.get('iss')).toBe(`http://127.0.0.1:${stack.mcpPorts[0]}`)
  const answer = await agents.exchangeCode(waiting, codeIn(back))
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  const tokens = answer.body as Tokens
  expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'read' })
  const list = resultOf(await stack.mcp.call('tools/list', {}, { key: tokens.access_token }))
  expect((list.tools as unknown[]).length).toBe(7)
  const { id } = resultOf(await stack.mcp.tool('get_shop', {}, { key: tokens.access_token })).structuredContent as never
  void id
  const refreshed = await agents.refresh(clientId, tokens.refresh_token)
  expect(refreshed.status).toBe(200)
  const [grant] = (await stack.admin('GET', `/shops/${shop.id}/agents`)).data as { id: string }[]
  await expect(stack.admin('DELETE', `/shops/${shop.id}/agents/${grant?.id}`)).resolves.toBeNull()
  expect((await stack.mcp.call('tools/list', {}, { key: tokens.access_token })).status).toBe(401)
})
