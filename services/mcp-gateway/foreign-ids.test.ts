// Ids of one shop do not exist for the key of another, through every tool that takes an id; neither the text nor the time of
// the answer tells a foreign id from a missing one (docs/spec/security.md#tenants).
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { toldBy } from '#testing/product/mcp'
import { openStack } from '#testing/product/stack'
import { tools } from './tools/tools.ts'

const takingIds = tools.filter(({ takes }) => takes.includes('id'))
const nounOf = (name: string) => /order|product|contact/.exec(name)?.[0] ?? ''
const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0

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
    const times: Record<'foreign' | 'missing', number[]> = { foreign: [], missing: [] }
    const ask = async (kind: 'foreign' | 'missing') => {
      const id = kind === 'foreign' ? ids.order : randomUUID()
      const began = performance.now()
      expect((await stack.get(`/api/v1/orders/${id}`, { key: strangerKey })).status).toBe(404)
      times[kind].push(performance.now() - began)
    }
    for (let turn = 0; turn < 300; turn += 1) {
      // In turn, and who is first changes, so that whatever slows this machine down slows both.
      for (const kind of turn % 2 === 0 ? (['foreign', 'missing'] as const) : (['missing', 'foreign'] as const))
        await ask(kind)
    }
    const [foreign, missing] = [median(times.foreign), median(times.missing)]
    expect(Math.abs(foreign - missing)).toBeLessThan(Math.max(0.5, missing * 0.25))
  })
})
