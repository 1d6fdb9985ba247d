// Keys, webhooks and the audit as a person works with them, in a real browser (docs/spec/console.md#screens).
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { eventKinds } from '#contracts/objects/webhook-event'
import { type ConsolePage, makeOperator, openSignedIn, type Person } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { isSigned, openReceiver, type Receiver } from '#testing/servers/receiver'
import { until } from '#testing/until'
import { eventKinds as ownKinds } from './src/parts/events/event-kinds.ts'

const run = promisify(execFile)

test('the kinds that an endpoint may name are those of the contract', () => {
  expect(ownKinds).toEqual(eventKinds)
})

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    let receiver: Receiver
    let manager: Person
    let shop: { id: string; handle: string }
    let view: ConsolePage
    let page: Page
    beforeAll(async () => {
      stack = await openStack({ form: 'one-process', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
      browser = await openBrowser()
      receiver = await openReceiver()
    })
    afterAll(async () => {
      await browser.close()
      await receiver.close()
      await stack.stop()
    })
    beforeEach(async () => {
      shop = await stack.makeShop()
      manager = await makeOperator(stack, 'manager', [shop.id])
    })
    afterEach(async () => {
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (path: string, person = manager) => {
      view = await openSignedIn(stack, browser, person, `/s/${shop.handle}${path}`)
      page = view.page
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const callStatus = async (secret: string) =>
      (
        await fetch(`http://127.0.0.1:${stack.ports[0]}/api/v1/shop`, {
          headers: { authorization: `Bearer ${secret}` },
        })
      ).status

    describe('keys', () => {
      test('a new key is shown once, and the first call with the line to paste appears beside it', async () => {
        await open('/keys')
        await page.getByText('No key yet.').waitFor()
        await page.getByRole('link', { name: 'Create a key' }).first().click()
        await page.getByLabel('Name').fill('erp')
        await page.getByLabel('orders').check()
        await button('Create the key').click()
        await page.getByText('This is shown once.').waitFor()
        const secret = await page.locator('.secret code').innerText()
        await page.getByText('Waiting for the first call').waitFor()
        const pasted = page.locator('.texts pre')
        await until(async () => {
          await run('bash', ['-c', `${await pasted.innerText()} --silent --fail`])
          return page.getByText(/^First call: GET \/\S*orders, 200 in \d+ ms\.$/).isVisible()
        })
        await button('TypeScript').click()
        expect(await pasted.innerText()).toContain(
          `key: '${secret}' })\nfor await (const { id } of shop.orders.list())`,
        )
        await button('MCP client').click()
        const { mcpServers } = JSON.parse(await pasted.innerText()) as {
          mcpServers: { storefront: { url: string; headers: Record<string, string> } }
        }
        const { url, headers } = mcpServers.storefront
        const answer = await fetch(url, {
          method: 'POST',
          headers: { ...headers, 'mcp-protocol-version': '2025-11-25', 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        })
        expect(await answer.text()).toContain('list_orders')
        await button('It is stored').click()
        await page.getByRole('rowheader', { name: 'erp' }).waitFor()
        expect(await page.content()).not.toContain(secret)
        await until(async () => {
          const { data } = await stack.admin('GET', `/shops/${shop.id}/usage`)
          return (data as unknown[]).length > 0
        })
        await page.reload()
        await page.getByRole('img', { name: /^[1-9]\d* calls?, 0 refused$/ }).waitFor()
        await page.getByRole('link', { name: 'erp' }).click()
        await page.getByText('The line is the budget of 240 calls a minute.').waitFor()
        await page.getByRole('region', { name: 'Last hour' }).getByRole('row').nth(1).waitFor()
      })

      test('a rolled key has a new secret, and without an overlap the old one ends', async () => {
        const { id, secret } = await stack.makeKey(shop.id)
        await open(`/keys/${id}`)
        await button('Roll').click()
        await page.getByLabel('The old one goes on for').selectOption('no time: it has leaked')
        await button('Make the new key').click()
        const made = await page.locator('.secret code').innerText()
        expect(await callStatus(made)).toBe(200)
        await until(async () => (await callStatus(secret)) === 401)
      })

      test('a revoked key is refused from then on', async () => {
        const { id, secret } = await stack.makeKey(shop.id)
        await open(`/keys/${id}`)
        await button('Revoke').click()
        await button('Revoke test').click()
        await page.getByText('Revoked. Its calls are refused now.').waitFor()
        await page.getByRole('table', { name: 'Keys' }).getByText('revoked').waitFor()
        await until(async () => (await callStatus(secret)) === 401)
      })

      test('the sixth key is refused beside the form, with the id of the request', async () => {
        for (let made = 0; made < 5; made += 1) await stack.makeKey(shop.id)
        await open('/keys/new')
        await page.getByLabel('Name').fill('one too many')
        await button('Create the key').click()
        expect(await page.getByRole('alert').innerText()).toMatch(/Request [0-9a-f-]{36}/)
        expect(await page.getByLabel('Name').inputValue()).toBe('one too many')
      })

      test('a viewer reads keys and changes none', async () => {
        const { id } = await stack.makeKey(shop.id)
        await open(`/keys/${id}`, await makeOperator(stack, 'viewer', [shop.id]))
        await page.locator('dd', { hasText: 'anywhere' }).waitFor()
        expect(await page.getByText('Create a key').count()).toBe(0)
        expect(await button('Revoke').count()).toBe(0)
      })
    })

    describe('webhooks', () => {
      const makeEndpoint = async (facts = {}) =>
        (
          await stack.admin('POST', `/shops/${shop.id}/webhook-endpoints`, {
            url: receiver.url,
            events: ['order.*'],
            ...facts,
          })
        ).data as { id: string; secret: string }
      const placeOrder = () =>
        stack.makeOrder(shop.id, {
          paymentMethod: 'card',
          customer: { name: 'Ada', email: 'ada@example.com' },
          items: [{ title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 100 } }],
        })

      test('an endpoint is made, its secret signs, and a test shows the request and the answer', async () => {
        receiver.answer(({ body }) => (body.includes('"test":true') ? { status: 500, body: 'no table' } : {}))
        await open('/webhooks')
        await page.getByText('No endpoint yet.').waitFor()
        await page.getByRole('link', { name: 'Create an endpoint' }).first().click()
        await page.getByLabel('Address').fill(receiver.url)
        await page.getByLabel('order.*').check()
        await button('Create the endpoint').click()
        const secret = await page.locator('.secret code').innerText()
        await button('It is stored').click()
        await page.getByRole('heading', { level: 2, name: receiver.url }).waitFor()
        expect(await page.content()).not.toContain(secret)
        await button('Send test').click()
        await page.getByLabel('Event').selectOption('order.shipped')
        await button('Send the test').click()
        await page.getByText(/^. 500 in \d+ ms$/).waitFor()
        await page.getByText('no table').waitFor()
        const sent = receiver.received.find(({ body }) => body.includes('"order.shipped"'))
        expect(sent !== undefined && isSigned(sent, secret)).toBe(true)
        receiver.answer(() => ({ body: 'mended' }))
        await button('Send the test').click()
        await page.getByText('mended').waitFor()
      })

      test('a paused endpoint holds events and says how many; turned on, it gets them', async () => {
        receiver.answer(() => ({}))
        const { id } = await makeEndpoint({ events: ['order.created'] })
        await open(`/webhooks/${id}`)
        await button('Pause').click()
        await page.getByText('Paused. Events are held from now on.').waitFor()
        await page.getByRole('table', { name: 'Webhooks' }).getByText('paused').waitFor()
        const order = await placeOrder()
        await until(async () => {
          const { data } = await stack.admin('GET', `/shops/${shop.id}/webhook-endpoints/${id}`)
          return (data as { waiting: number }).waiting === 1
        })
        await page.reload()
        await button('Turn on').click()
        await page.getByLabel('What was held (1)').waitFor()
        await button('Turn it on').click()
        await page.getByText('Turned on.').waitFor()
        await until(() => Promise.resolve(receiver.received.some(({ body }) => body.includes(order.id))))
        const lastDay = page.getByRole('region', { name: 'Last day' })
        await until(async () => {
          await lastDay.getByRole('button', { name: 'Load again' }).click()
          return lastDay.getByText('100 % of 1 attempt succeeded').isVisible()
        })
        await lastDay.getByText('delivered').waitFor()
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
        const { data } = await stack.admin('GET', `/shops/${shop.id}/webhook-endpoints/${id}`)
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
        expect(new URL(page.url()).pathname).toBe(`/s/${shop.handle}/webhooks`)
      })

      test('support sends tests and changes nothing; a refused address says why', async () => {
        const { id } = await makeEndpoint()
        await open(`/webhooks/${id}`, await makeOperator(stack, 'support', [shop.id]))
        await button('Send test').waitFor()
        expect(await button('Change').count()).toBe(0)
        expect(await page.getByText('Create an endpoint').count()).toBe(0)
        await view.context.close()
        await open('/webhooks/new')
        await page.getByLabel('Address').fill('ftp://example.com/hook')
        await button('Create the endpoint').click()
        expect(await page.getByRole('alert').innerText()).toMatch(/Request [0-9a-f-]{36}/)
      })
    })

    describe('the audit', () => {
      test('an entry says who changed what, before and after, and leads to the object', async () => {
        const { id } = (await stack.admin('POST', `/shops/${shop.id}/webhook-endpoints`, { url: receiver.url }))
          .data as {
          id: string
        }
        await stack.admin('PATCH', `/shops/${shop.id}/webhook-endpoints/${id}`, { description: 'the warehouse' })
        await until(async () => {
          const { data } = await stack.admin('GET', `/shops/${shop.id}/audit?action=endpoints.change`)
          return (data as unknown[]).length === 1
        })
        await open('/audit?action=endpoints.change', await makeOperator(stack, 'viewer', [shop.id]))
        await page.getByRole('link', { name: 'endpoints.change' }).click()
        const row = page.getByRole('row', { name: /^description/ })
        await row.waitFor()
        expect(await row.getByRole('cell').allInnerTexts()).toEqual(['null', 'the warehouse'])
        await page.getByText('admin token (admin_token)').waitFor()
        await page.reload()
        await page.getByRole('link', { name: 'webhook_endpoint' }).click()
        await page.getByRole('heading', { level: 2, name: receiver.url }).waitFor()
      })

      test('support has no audit: neither the screen nor its place in the side bar', async () => {
        await open('/audit', await makeOperator(stack, 'support', [shop.id]))
        await page.getByText('This screen is for the role owner or manager or viewer.').waitFor()
        expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0)
      })
    })
  })
}
