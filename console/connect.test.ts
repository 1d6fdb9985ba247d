// Keys and the audit as a person works with them, in a real browser (docs/spec/console.md#screens).
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { describeConsole } from '#testing/product/console'
import { until } from '#testing/until'

const run = promisify(execFile)

describeConsole({ role: 'manager' }, (given) => {
  let page: Page
  const open = async (path: string, options = {}) => {
    page = await given.open(path, options)
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const callStatus = async (secret: string) =>
    (
      await fetch(`http://127.0.0.1:${given.stack.ports[0]}/api/v1/shop`, {
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
      expect(await pasted.innerText()).toContain(`key: '${secret}' })\nfor await (const { id } of shop.orders.list())`)
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
        const { data } = await given.stack.admin('GET', `/shops/${given.shop.id}/usage`)
        return (data as unknown[]).length > 0
      })
      await page.reload()
      await page.getByRole('img', { name: /^[1-9]\d* calls?, 0 refused$/ }).waitFor()
      await page.getByRole('link', { name: 'erp' }).click()
      await page.getByText('The line is the budget of 240 calls a minute.').waitFor()
      await page.getByRole('region', { name: 'Last hour' }).getByRole('row').nth(1).waitFor()
    })

    test('a rolled key has a new secret, and without an overlap the old one ends', async () => {
      const { id, secret } = await given.stack.makeKey(given.shop.id)
      await open(`/keys/${id}`)
      await button('Roll').click()
      await page.getByLabel('The old one goes on for').selectOption('no time: it has leaked')
      await button('Make the new key').click()
      const made = await page.locator('.secret code').innerText()
      expect(await callStatus(made)).toBe(200)
      await until(async () => (await callStatus(secret)) === 401)
    })

    test('a revoked key is refused from then on', async () => {
      const { id, secret } = await given.stack.makeKey(given.shop.id)
      await open(`/keys/${id}`)
      await button('Revoke').click()
      await button('Revoke test').click()
      await page.getByText('Revoked. Its calls are refused now.').waitFor()
      await page.getByRole('table', { name: 'Keys' }).getByText('revoked').waitFor()
      await until(async () => (await callStatus(secret)) === 401)
    })

    test('the sixth key is refused beside the form, with the id of the request', async () => {
      for (let made = 0; made < 5; made += 1) await given.stack.makeKey(given.shop.id)
      await open('/keys/new')
      await page.getByLabel('Name').fill('one too many')
      await button('Create the key').click()
      expect(await page.getByRole('alert').innerText()).toMatch(/Request [0-9a-f-]{36}/)
      expect(await page.getByLabel('Name').inputValue()).toBe('one too many')
    })

    test('from a key to its refused and failed requests, to one of them, and back to the key', async () => {
      const { id, secret } = await given.stack.makeKey(given.shop.id)
      await given.stack.get('/api/v1/orders/01a20fd1-0000-7000-8000-000000000000', { key: secret })
      await until(async () => {
        const { data } = await given.stack.admin('GET', `/shops/${given.shop.id}/requests`)
        return (data as unknown[]).length === 1
      })
      await open(`/keys/${id}`)
      await page.getByRole('link', { name: 'Its refused and failed requests' }).click()
      await page.getByRole('table', { name: 'Requests' }).getByRole('link').click()
      const request = page.getByRole('region', { name: 'Request', exact: true })
      await request.getByRole('link', { name: 'test' }).click()
      await page.getByRole('heading', { level: 2, name: 'test' }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/s/${given.shop.handle}/keys/${id}`)
    })

    test('a viewer reads keys and changes none', async () => {
      const { id } = await given.stack.makeKey(given.shop.id)
      await open(`/keys/${id}`, { role: 'viewer' })
      await page.locator('dd', { hasText: 'anywhere' }).waitFor()
      expect(await page.getByText('Create a key').count()).toBe(0)
      expect(await button('Revoke').count()).toBe(0)
    })
  })

  describe('the audit', () => {
    test('an entry says who changed what, before and after, and leads to the object', async () => {
      const { id } = (
        await given.stack.admin('POST', `/shops/${given.shop.id}/webhook-endpoints`, { url: given.receiver.url })
      ).data as {
        id: string
      }
      await given.stack.admin('PATCH', `/shops/${given.shop.id}/webhook-endpoints/${id}`, {
        description: 'the warehouse',
      })
      await until(async () => {
        const { data } = await given.stack.admin('GET', `/shops/${given.shop.id}/audit?action=endpoints.change`)
        return (data as unknown[]).length === 1
      })
      await open('/audit?action=endpoints.change', { role: 'viewer' })
      await page.getByRole('link', { name: 'endpoints.change' }).click()
      const row = page.getByRole('row', { name: /^description/ })
      await row.waitFor()
      expect(await row.getByRole('cell').allInnerTexts()).toEqual(['null', 'the warehouse'])
      await page.getByText('admin token (admin_token)').waitFor()
      await page.reload()
      await page.getByRole('link', { name: 'webhook_endpoint' }).click()
      await page.getByRole('heading', { level: 2, name: given.receiver.url }).waitFor()
    })

    test('support has no audit: neither the screen nor its place in the side bar', async () => {
      await open('/audit', { role: 'support' })
      await page.getByText('This screen is for the role owner or manager or viewer.').waitFor()
      expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0)
    })
  })
})
