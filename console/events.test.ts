// Events as a person reads them, in a real browser (docs/spec/console.md#screens).
import { readFile } from 'node:fs/promises'
import { beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { eventFamilies, eventKinds } from '#contracts/objects/webhook-event'
import { describeConsole } from '#testing/product/console'
import { until } from '#testing/until'
import * as shown from './src/parts/events/event-kinds.ts'
import { changesOf } from './src/parts/events/difference.ts'

type Json = Record<string, unknown>
const item = { title: 'Blue mug', kind: 'physical', quantity: 1, unitPrice: { cents: 1_250 } }
const ada = { paymentMethod: 'bank_transfer', customer: { name: 'Ada', email: 'ada@example.com' }, items: [item] }

test('the filter names every kind and family', () => {
  expect(shown.eventKinds).toEqual(eventKinds)
  expect(shown.eventFamilies).toEqual(eventFamilies.map((family) => `${family}.*`))
})

test('a difference has the changed fields of what was sent, and no others', () => {
  const before = { status: 'new', total: { cents: 5 }, items: [{ title: 'a' }, { title: 'b' }], note: null }
  const after = { status: 'shipped', total: { cents: 5 }, items: [{ title: 'a' }], note: null, privateNote: 'x' }
  expect(changesOf(before, after)).toEqual([
    { path: 'status', before: 'new', after: 'shipped' },
    { path: 'items[1]', before: { title: 'b' }, after: undefined },
  ])
  expect(changesOf(before, before)).toEqual([])
})

describeConsole({ role: 'viewer' }, (given) => {
  let orderId: string
  let page: Page
  beforeEach(async () => {
    const endpoints: string[] = []
    for (const path of ['good', 'bad']) {
      const url = `${given.receiver.url}/${path}`
      const { data } = await given.stack.admin('POST', `/shops/${given.shop.id}/webhook-endpoints`, { url })
      endpoints.push((data as { id: string }).id)
    }
    given.receiver.answer(({ path }) => (path.endsWith('bad') ? { status: 500, body: 'out of order' } : {}))
    orderId = (await given.stack.makeOrder(given.shop.id, ada)).id
    await given.stack.admin('POST', `/shops/${given.shop.id}/orders/${orderId}/confirm`)
    await until(async () => (await events()).length === 2)
    await until(async () => (await Promise.all(endpoints.map(tries))).every((count) => count > 0))
  })
  const events = async () =>
    (await given.stack.admin('GET', `/shops/${given.shop.id}/events`)).data as (Json & { id: string })[]
  /** The attempts at the first event of the order. */
  const tries = async (endpoint: string) => {
    const path = `/shops/${given.shop.id}/webhook-endpoints/${endpoint}/deliveries?event=order.created`
    const { data } = await given.stack.admin('GET', path)
    return (data as { attemptCount: number }[])[0]?.attemptCount ?? 0
  }
  const open = async (path: string) => {
    page = await given.open(path)
  }
  const rows = () => page.getByRole('table', { name: 'Events' }).getByRole('rowheader').allInnerTexts()

  test('from an order to its event, to the state of its deliveries at each endpoint, and back', async () => {
    await open(`/orders/${orderId}`)
    await page.getByRole('link', { name: 'order.created' }).click()
    await page.getByRole('heading', { level: 2, name: 'order.created' }).waitFor()
    const bad = page.locator('.deliveries li').filter({ hasText: '/bad' })
    await bad.getByText('failing').waitFor()
    await bad.getByText(/500 in \d+ ms/).waitFor()
    await page.locator('.deliveries li').filter({ hasText: '/good' }).getByText('delivered').waitFor()
    const body = JSON.parse(await page.locator('.json pre').innerText()) as { id: string }
    await page.getByRole('button', { name: /^As it is sent: [\d,]+ bytes$/ }).click()
    expect(await page.locator('.json pre').innerText()).toBe(
      given.receiver.received.find(({ body: sent }) => sent.includes(body.id))?.body,
    )
    expect(body).toEqual((await events())[1])
    await page.getByText('What has changed since').click()
    await page.getByRole('row', { name: /^status "new" "confirmed"/ }).waitFor()
    await page.getByRole('region', { name: 'Event' }).getByRole('link', { name: 'Ada, £12.50' }).click()
    await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor()
  })

  test('from an event to the endpoint, to its deliveries, to one of them, and back to the event and the order', async () => {
    await open('/events')
    await page.getByRole('link', { name: 'order.created' }).click()
    const bad = page.locator('.deliveries li').filter({ hasText: '/bad' })
    await bad.getByRole('link', { name: 'endpoint' }).click()
    await page.getByRole('heading', { level: 2, name: `${given.receiver.url}/bad` }).waitFor()
    await page.getByRole('link', { name: 'All its deliveries' }).click()
    const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row', { name: /order.confirmed/ })
    await row.getByText('pending').waitFor()
    await row.getByRole('link').click()
    await page.getByText('An earlier event of the same object goes to this endpoint first.').waitFor()
    await page.getByRole('link', { name: 'Show the earlier ones' }).click()
    await page.getByRole('link', { name: 'order.created' }).click()
    await page.getByText(/^Attempt \d+ failed: 500 in \d+ ms\.$/).waitFor()
    await page.getByText('Request headers').first().click()
    await page.getByText('webhook-signature: v1,').first().waitFor()
    await page.getByRole('link', { name: 'event 1' }).click()
    await page.getByRole('heading', { level: 2, name: 'order.created' }).waitFor()
    await page.getByRole('region', { name: 'Event' }).getByRole('link', { name: 'Ada, £12.50' }).click()
    await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor()
  })

  test('the list is filtered by kind and object from the address, and is exported', async () => {
    await given.stack.makeOrder(given.shop.id, { ...ada, customer: { name: 'Bob', email: 'bob@example.com' } })
    await until(async () => (await events()).length === 3)
    await open('/events?type=order.created')
    await page.getByText('Bob, £12.50').waitFor()
    expect(await rows()).toEqual(['order.created', 'order.created'])
    await page.goto(`${given.view.origin}/s/${given.shop.handle}/events?object_id=${orderId}&type=nothing`)
    await page.getByText('Left out of the address').waitFor()
    await page.getByRole('rowheader').nth(1).waitFor()
    expect(await rows()).toEqual(['order.confirmed', 'order.created'])
    await page.getByRole('button', { name: 'Export' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'NDJSON' }).click()
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n')
    const own = (await given.stack.admin('GET', `/shops/${given.shop.id}/events?object_id=${orderId}`)).data
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(own)
  })

  test('the palette finds an event by its id, and those of an order by the id of the order', async () => {
    await open('/orders')
    const event = (await events())[0]
    for (const [text, name] of [
      [event?.id ?? '', 'order.confirmed Events'],
      [orderId, 'order.created Events'],
    ] as const) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill(text)
      await page.getByRole('option', { name }).click()
      await page.getByRole('heading', { level: 2, name: name.split(' ')[0] ?? '' }).waitFor()
    }
  })

  test('deliveries that cannot be read leave the rest of the event', async () => {
    await open('/events')
    await page.route('**/webhook-endpoints?**', (route) => route.fulfill({ status: 404, body: '{}' }))
    await page.getByRole('link', { name: 'order.created' }).click()
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()
    await page.locator('.json pre').waitFor()
  })
})
