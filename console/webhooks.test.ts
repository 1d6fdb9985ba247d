// Webhook endpoints as a person works with them, in a real browser (docs/spec/console.md#screens).
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { attemptErrors } from '#contracts/objects/webhook'
import { eventKinds } from '#contracts/objects/webhook-event'
import { describeConsole } from '#testing/product/console'
import { isSigned } from '#testing/servers/receiver'
import { until } from '#testing/until'
import { adviceFor, errorWords } from './src/parts/events/attempt.ts'
import * as own from './src/parts/events/event-kinds.ts'

test('the kinds that an endpoint may name are those of the contract', () => {
  expect(own.eventKinds).toEqual(eventKinds)
})

test('every error class of an attempt has words, and every failure says what to do', () => {
  for (const error of attemptErrors) {
    expect(errorWords(error)).not.toBe(error)
    expect(adviceFor({ status: null, error })).not.toBeNull()
  }
  for (const status of [400, 401, 404, 410, 429, 500, 503]) {
    expect(adviceFor({ status, error: null })).not.toBeNull()
  }
  expect(adviceFor({ status: 301, error: 'redirect' })).toContain('redirects')
  expect(adviceFor({ status: 204, error: null })).toBeNull()
  expect(errorWords('a_new_class')).toBe('a_new_class')
})

describeConsole({ role: 'manager' }, (given) => {
  let page: Page
  const open = async (path: string, options = {}) => {
    page = await given.open(path, options)
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const makeEndpoint = async (facts = {}) =>
    (
      await given.stack.admin('POST', `/shops/${given.shop.id}/webhook-endpoints`, {
        url: given.receiver.url,
        events: ['order.*'],
        ...facts,
      })
    ).data as { id: string; secret: string }
  const placeOrder = () =>
    given.stack.makeOrder(given.shop.id, {
      paymentMethod: 'card',
      customer: { name: 'Ada', email: 'ada@example.com' },
      items: [{ title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 100 } }],
    })

  test('an endpoint is made, its secret signs, and a test shows the request and the answer', async () => {
    given.receiver.answer(({ body }) => (body.includes('"test":true') ? { status: 500, body: 'no table' } : {}))
    await open('/webhooks')
    await page.getByText('No endpoint yet.').waitFor()
    await page.getByRole('link', { name: 'Create an endpoint' }).first().click()
    await page.getByLabel('Address').fill(given.receiver.url)
    await page.getByLabel('order.*').check()
    await button('Create the endpoint').click()
    const secret = await page.locator('.secret code').innerText()
    await button('It is stored').click()
    await page.getByRole('heading', { level: 2, name: given.receiver.url }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await button('Send test').click()
    await page.getByLabel('Event').selectOption('order.shipped')
    await button('Send the test').click()
    await page.getByText(/^. 500 in \d+ ms$/).waitFor()
    await page.getByText('no table').waitFor()
    const sent = given.receiver.received.find(({ body }) => body.includes('"order.shipped"'))
    expect(sent !== undefined && isSigned(sent, secret)).toBe(true)
    const request = page.getByRole('region', { name: 'Request', exact: true })
    const shown = (await request.locator('pre').allInnerTexts()) as [string, string]
    expect(shown[0]).toContain(`POST ${given.receiver.url}`)
    expect(shown[0]).toContain(`webhook-signature: ${sent?.headers['webhook-signature']}`)
    expect(JSON.parse(shown[1])).toEqual(JSON.parse(sent?.body ?? ''))
    given.receiver.answer(() => ({ body: 'mended' }))
    await button('Send the test').click()
    await page.getByText('mended').waitFor()
  })

  test('a paused endpoint holds events and says how many; turned on, it gets them', async () => {
    given.receiver.answer(() => ({}))
    const { id } = await makeEndpoint({ events: ['order.created'] })
    await open(`/webhooks/${id}`)
    await button('Pause').click()
    await page.getByText('Paused. Events are held from now on.').waitFor()
    await page.getByRole('table', { name: 'Webhooks' }).getByText('paused').waitFor()
    const order = await placeOrder()
    await until(async () => {
      const { data } = await given.stack.admin('GET', `/shops/${given.shop.id}/webhook-endpoints/${id}`)
      return (data as { waiting: number }).waiting === 1
    })
    await page.reload()
    await button('Turn on').click()
    await page.getByLabel('What was held (1)').waitFor()
    await button('Turn it on').click()
    await page.getByText('Turned on.').waitFor()
    await until(() => Promise.resolve(given.receiver.received.some(({ body }) => body.includes(order.id))))
    const lastDay = page.getByRole('region', { name: 'Last day' })
    await until(async () => {
      await lastDay.getByRole('button', { name: 'Reload' }).click()
      return lastDay.getByText('100 % of 1 attempt').isVisible()
    })
    await lastDay.getByText('none').waitFor()
    await page.getByRole('region', { name: 'Newest deliveries' }).getByRole('cell', { name: 'delivered' }).waitFor()
    await page.getByRole('link', { name: 'All its deliveries' }).click()
    await page.getByRole('row', { name: /order.created/ }).waitFor()
    expect(new URL(page.url()).search).toBe(`?endpoint=${id}`)
    await page.goto(`${given.view.origin}/s/${given.shop.handle}/webhooks`)
    await page.getByRole('cell', { name: '100 %', exact: true }).waitFor()
    await page.getByRole('cell', { name: /^\d+ ms$/ }).waitFor()
  })

  test('the health of the last day fails alone, in the list and at the endpoint', async () => {
    await makeEndpoint()
    await open('/webhooks')
    await page.route('**/health', (route) => route.fulfill({ status: 404, body: '{}' }))
    await page.reload()
    await page.getByRole('row', { name: /not loaded/ }).waitFor()
    await page.getByRole('link', { name: given.receiver.url }).click()
    await page.getByRole('region', { name: 'Last day' }).getByRole('alert').waitFor()
    await page.getByText('Nothing was sent yet.').waitFor()
  })

  test('from an endpoint that fails to why, to the mended address, to the replay that delivers', async () => {
    const old = `${given.receiver.url}/old`
    given.receiver.answer(({ path, body }) => {
      if (!path.endsWith('/old')) return {}
      return body.includes('"test":true') ? { status: 404, body: 'no such hook' } : { status: 410, body: 'moved away' }
    })
    await open('/webhooks')
    await page.getByRole('link', { name: 'Create an endpoint' }).first().click()
    await page.getByLabel('Address').fill(old)
    await page.getByRole('group', { name: 'Orders' }).getByLabel('order.created').check()
    await button('Create the endpoint').click()
    await button('It is stored').click()
    await button('Send test').click()
    await button('Send the test').click()
    await page.getByText(/^. 404 in \d+ ms$/).waitFor()
    await page.getByText('The receiver does not know this path. Check the address of the endpoint.').waitFor()

    const order = await placeOrder()
    const newest = page.getByRole('region', { name: 'Newest deliveries' })
    await until(async () => {
      await button('Reload').click()
      return newest.getByRole('cell', { name: 'failed' }).isVisible()
    })
    await newest.getByRole('link', { name: 'order.created' }).click()
    await page.getByText(/^Attempt 1 failed: 410 in \d+ ms\.$/).waitFor()
    await page.getByText('An answer of 410 turns the endpoint off.').waitFor()
    await page.getByRole('list', { name: 'Attempts' }).getByText('moved away').waitFor()

    await page.getByRole('link', { name: old }).click()
    await page.getByRole('heading', { level: 2, name: old }).waitFor()
    await button('Change').click()
    await page.getByLabel('Address').fill(`${given.receiver.url}/new`)
    await button('Save').click()
    await page.getByText('Changed. It holds from the next attempt on.').waitFor()
    await button('Turn on').click()
    await button('Turn it on').click()
    await page.getByText('Turned on.').waitFor()

    await page.getByRole('link', { name: 'Replay a range' }).click()
    await button('Replay 1 event').click()
    await page.locator('.replays').getByText('completed').waitFor()
    const arrived = await until(() =>
      given.receiver.received.find(({ path, body }) => path.endsWith('/new') && body.includes(order.id)),
    )
    expect(arrived.headers['service-reason']).toBe('replay')
    await page.getByRole('link', { name: 'order.created' }).click()
    await page.getByText('The endpoint has accepted it. Nothing more is sent.').waitFor()
    await page.getByRole('link', { name: 'its order' }).click()
    await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/s/${given.shop.handle}/orders/${order.id}`)
  })

  test('an endpoint is changed, gets a new secret, and is deleted', async () => {
    const { id, secret } = await makeEndpoint()
    await open(`/webhooks/${id}`)
    await button('Change').click()
    await page.getByLabel('Description').fill('the warehouse')
    await page.getByLabel('order.*').uncheck()
    await page.getByLabel('order.paid').check()
    await button('Save').click()
    await page.getByText('Changed. It holds from the next attempt on.').waitFor()
    const { data } = await given.stack.admin('GET', `/shops/${given.shop.id}/webhook-endpoints/${id}`)
    expect(data).toMatchObject({ description: 'the warehouse', events: ['order.paid'] })
    await button('Rotate secret').click()
    await button('Make the new secret').click()
    const rotated = await page.locator('.secret code').innerText()
    expect(rotated).not.toBe(secret)
    await button('It is stored').click()
    await page.getByText('The secret before signs until').waitFor()
    await button('Delete').click()
    await button('Delete the endpoint').click()
    await page.getByText('No endpoint yet.').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/s/${given.shop.handle}/webhooks`)
  })

  test('support sends tests and changes nothing; a refused address says why', async () => {
    const { id } = await makeEndpoint()
    await open(`/webhooks/${id}`, { role: 'support' })
    await button('Send test').waitFor()
    expect(await button('Change').count()).toBe(0)
    expect(await page.getByText('Create an endpoint').count()).toBe(0)
    await open('/webhooks/new')
    await page.getByLabel('Address').fill('ftp://example.com/hook')
    await button('Create the endpoint').click()
    expect(await page.getByRole('alert').innerText()).toMatch(/Request [0-9a-f-]{36}/)
  })
})
