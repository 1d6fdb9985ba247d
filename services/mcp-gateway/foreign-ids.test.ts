// Ids of one shop do not exist for the key of another, through every tool that takes an id; neither the text nor the time of
// the answer tells a foreign id from a missing one (docs/spec/security.md#tenants).
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { toldBy } from '#testing/product/mcp'
import { openStack } from '#testing/product/stack'
import { expectSameTimes } from '#testing/same-times'
import { tools } from './tools/tools.ts'

const takingIds = tools.filter(({ takes }) => takes.includes('id'))
const nounOf = (name: string) => /order|product|contact/.exec(name)?.[0] ?? ''

describe.each(forms)('the ids of another shop, %s', (form) => {
  const stack = duringTests(() => openStack({ form, env: { REQUESTS_PER_MINUTE: '100000' } }))
  let strangerKey: string
  let cursor: string
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    const { id: shop } = await stack.makeShop()
    strangerKey = (await stack.makeKey((await stack.makeShop()).id, 'write')).secret
    ids.product = (await stack.makeProduct(shop, { title: 'Vase', price: { cents: 100 } })).id
    ids.contact = (await stack.makeContact(shop, { email: 'ada@example.com' })).id
    const items = [{ productId: ids.product, quantity: 1 }]
    ids.order = (await stack.makeOrder(shop, { paymentMethod: 'card', items })).id
    await stack.makeOrder(shop, { paymentMethod: 'card', items })
    const key = (await stack.makeKey(shop)).secret
    const { structured } = toldBy(await stack.mcp.tool('list_orders', { limit: 1 }, { key }))
    cursor = (structured as { next_cursor: string }).next_cursor
  })

  test.each(takingIds)('$name answers a foreign id as a missing one', async ({ name }) => {
    const more = name === 'update_contact_tags' ? { add: ['vip'] } : {}
    const tell = async (id: unknown) => toldBy(await stack.mcp.tool(name, { id, ...more }, { key: strangerKey }))
    const foreign = await tell(ids[nounOf(name)])
    expect(foreign).toMatchObject({ isError: true, text: expect.stringMatching(/^not_found: No /) })
    expect(foreign).toEqual(await tell(randomUUID()))
  })

  test('a foreign cursor is refused', async () => {
    const told = toldBy(await stack.mcp.tool('list_orders', { limit: 1, cursor }, { key: strangerKey }))
    expect(told).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^invalid_request: cursor was not issued/),
    })
  })

  test('take no other time than missing ones, over REST', async () => {
    const ask = async (id: string) =>
      expect((await stack.get(`/api/v1/orders/${id}`, { key: strangerKey })).status).toBe(404)
    await expectSameTimes({ foreign: () => ask(ids.order ?? ''), missing: () => ask(randomUUID()) })
  })
})
