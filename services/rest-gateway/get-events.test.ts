// GET /events: the webhook bodies in the order in which they came, and waiting for new ones
// (docs/spec/rest-api.md#list-events).
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { EventBody } from '#contracts/objects/webhook-event'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { forms } from '#testing/product/deployment-forms'
import type { Answer } from '#testing/product/http'
import { openStack } from '#testing/product/stack'

type Page = { data: EventBody[]; has_more: boolean; next_cursor: string }

const card = {
  paymentMethod: 'card',
  items: [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 900 }, quantity: 1 }],
}
const pageOf = ({ body }: Answer) => body as Page
const typesOf = (answer: Answer) => pageOf(answer).data.map(({ type }) => type)

describe.each(forms)('GET /events, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let shop: string
  let key: { id: string; secret: string }

  beforeEach(async () => {
    shop = (await stack.makeShop()).id
    key = await stack.makeKey(shop)
  })

  const get = (query: string) => stack.get(`/api/v1/events${query}`, { key: key.secret })
  const leftOf = ({ headers }: Answer) => Number(/;r=(\d+)/.exec(String(headers.ratelimit))?.[1])

  test('answers the very bodies, newest first, and goes on from the cursor, oldest first', async () => {
    const { next_cursor: start } = pageOf(await get(''))
    const { id } = await stack.makeOrder(shop, card)
    await until(async () => typesOf(await get('')).length === 2)
    expect(typesOf(await get(''))).toEqual(['order.paid', 'order.created'])
    const page = await get(`?cursor=${start}`)
    expect(typesOf(page)).toEqual(['order.created', 'order.paid'])
    const log = (await stack.admin('GET', `/shops/${shop}/events?object_id=${id}`)).data
    expect(pageOf(page).data.toReversed()).toEqual(log)
    expect(pageOf(await get(`?cursor=${pageOf(page).next_cursor}`))).toEqual({
      data: [],
      has_more: false,
      next_cursor: pageOf(page).next_cursor,
    })
    expect((await get('?wait=x')).status).toBe(400)
    expect((await get('?type=order.lost')).status).toBe(400)
  })

  test('with wait answers as soon as an event is there; the call is charged once', async () => {
    const { next_cursor: cursor } = pageOf(await get(''))
    const before = leftOf(await get(''))
    const waiting = Array.from({ length: 3 }, () => get(`?cursor=${cursor}&wait=25`))
    const filtered = get(`?type=order.cancelled&wait=25`)
    await stack.makeOrder(shop, card)
    for (const answer of await Promise.all(waiting)) expect(typesOf(answer)[0]).toBe('order.created')
    const { id } = await stack.makeOrder(shop, { ...card, paymentMethod: 'cod' })
    await stack.admin('POST', `/shops/${shop}/orders/${id}/cancel`)
    expect(typesOf(await filtered)).toEqual(['order.cancelled'])
    expect(before - leftOf(await get(''))).toBe(5)
  })

  test('with wait and no event answers after that time with the cursor that was asked with', async () => {
    const { next_cursor: cursor } = pageOf(await get(''))
    const beganAt = performance.now()
    expect(pageOf(await get(`?cursor=${cursor}&wait=1`))).toEqual({ data: [], has_more: false, next_cursor: cursor })
    expect(performance.now() - beganAt).toBeGreaterThanOrEqual(990)
  })

  test('with wait is refused when the key is revoked meanwhile', async () => {
    const { next_cursor: cursor } = pageOf(await get(''))
    const waiting = get(`?cursor=${cursor}&wait=10`) // Longer than the back office may take.
    await stack.admin('DELETE', `/shops/${shop}/keys/${key.id}`)
    expect((await waiting).status).toBe(401)
  })
})

test('a gateway that stops answers waiting calls at once', async () => {
  const stack = await openStack({ form: 'one-process' })
  const shop = (await stack.makeShop()).id
  const { secret: key } = await stack.makeKey(shop)
  const first = pageOf(await stack.get('/api/v1/events', { key }))
  const waiting = stack.get(`/api/v1/events?cursor=${first.next_cursor}&wait=25`, { key })
  // It asks for the position of the log before it waits, and once a second while it waits.
  const { opsPort } = stack.running('rest-gateway')[0] ?? {}
  await until(async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text()
    const asked = /^storefront_action_seconds_count\{action="events.versions",outcome="ok"\} (\d+)/m.exec(metrics)
    return Number(asked?.[1]) >= 2
  })
  const stopping = stack.stop()
  expect(pageOf(await waiting).data).toEqual([])
  await stopping
})
