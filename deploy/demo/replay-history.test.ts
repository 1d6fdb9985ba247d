// The history of the demo shop, replayed through a running product.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EventBody, eventKinds } from '#contracts/objects/webhook-event'
import { exchange } from '#testing/product/http'
import { openStack, type Stack } from '#testing/product/stack'
import { replayHistory } from './replay-history.ts'
import { memberships, orders, people } from './history.ts'

const adminToken = 'an-operator-token-for-tests-only'
let stack: Stack
let shop: { id: string; handle: string; createdAt?: unknown }

beforeAll(async () => {
  stack = await openStack({ form: 'one-process' })
  shop = await stack.makeShop({ country: 'GB' })
  const file = readFileSync(join(import.meta.dirname, 'shopify-products.csv'))
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'text/csv' }
  const target = `/admin/v1/shops/${shop.handle}/imports?format=shopify-products`
  const { status } = await exchange(stack.adminPorts[0] ?? 0, target, { method: 'POST', headers, body: file })
  expect(status).toBe(201)
})
afterAll(() => stack.stop())

const replay = () => {
  const admin = { adminUrl: `http://127.0.0.1:${stack.adminPorts[0]}`, adminToken, dataDir: '' }
  return replayHistory(admin, shop.handle, new Date(String(shop.createdAt)))
}

async function walk(list: string): Promise<unknown[]> {
  const rows: unknown[] = []
  let cursor = ''
  do {
    const page = await stack.admin('GET', `/shops/${shop.handle}/${list}?limit=100${cursor}`)
    rows.push(...(page.data as unknown[]))
    cursor = typeof page.next_cursor === 'string' ? `&cursor=${page.next_cursor}` : ''
  } while (cursor !== '')
  return rows
}

/** The events, once the member whose grace period is over has ended and the last event of each object shows its state. */
async function settledEvents(): Promise<EventBody[]> {
  for (;;) {
    const objects = (await walk('orders')).concat(await walk('subscriptions')) as { id: string; status: string }[]
    const events = (await walk('events')) as EventBody[]
    const newest = new Map(events.toReversed().map(({ data }) => [data.id, JSON.stringify(data)]))
    const isCurrent = objects.every((object) => newest.get(object.id) === JSON.stringify(object))
    if (isCurrent && objects.filter(({ status }) => status === 'canceled').length === 3) return events
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('it contains every kind of event, numbers each object without gaps, and changes nothing when it is replayed', async () => {
  await replay()
  const events = await settledEvents()
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(eventKinds))
  const sequences = Map.groupBy(events.toReversed(), ({ data }) => data.id)
  for (const numbered of sequences.values()) {
    expect(numbered.map(({ sequence }) => sequence)).toEqual(numbered.map((_, index) => index + 1))
  }

  const before = { orders: await walk('orders'), memberships: await walk('subscriptions') }
  expect([before.orders.length, before.memberships.length]).toEqual([orders.length, memberships.length])
  await replay()
  expect({ orders: await walk('orders'), memberships: await walk('subscriptions') }).toEqual(before)
  expect((await settledEvents()).length).toBe(events.length)
  expect(await walk('contacts')).toHaveLength(Object.keys(people).length)
}, 120_000)
