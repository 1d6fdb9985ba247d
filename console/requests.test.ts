// Requests as a person reads them, in a real browser (docs/spec/console.md#screens).
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type ConsolePage, makeOperator, openSignedIn, type Person } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { until } from '#testing/until'

const nobody = '00000000-0000-4000-8000-000000000000'

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    let viewer: Person
    let shop: { id: string; handle: string }
    let secret: string
    let view: ConsolePage
    let page: Page
    beforeAll(async () => {
      stack = await openStack({ form: 'one-process' })
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser.close()
      await stack.stop()
    })
    beforeEach(async () => {
      shop = await stack.makeShop()
      viewer = await makeOperator(stack, 'viewer', [shop.id])
      secret = (await stack.makeKey(shop.id)).secret
    })
    afterEach(async () => {
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (path = '', options = {}) => {
      view = await openSignedIn(stack, browser, viewer, `/s/${shop.handle}/requests${path}`, options)
      page = view.page
    }
    const call = (path: string, id?: string) =>
      stack.get(`/api/v1${path}`, { key: secret, headers: id === undefined ? {} : { 'x-request-id': id } })
    const kept = async (count: number) => {
      const listed = async () => (await stack.admin('GET', `/shops/${shop.id}/requests`)).data as unknown[]
      await until(async () => (await listed()).length === count)
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })

    test('an id from `x-request-id` that is pasted into the search leads to why the request was refused', async () => {
      await call(`/orders/${nobody}`, 'mine-1')
      await kept(1)
      await open()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('mine-1')
      await page.getByRole('option', { name: /orders/ }).click()
      const request = page.getByRole('region', { name: 'Request' })
      await request.getByRole('heading', { level: 2, name: 'GET /api/v1/orders/{id}' }).waitFor()
      await request.getByText(/^No order/).waitFor()
      await request.getByText('not_found', { exact: true }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/s/${shop.handle}/requests/mine-1`)
      await page.goto(`${view.origin}/s/${shop.handle}/requests/unknown-id`)
      await page.getByText('No refused or failed request with this id is kept.').waitFor()
    })

    test('the filters are those of the API, two requests may have one id, and what is not valid is left out', async () => {
      await call(`/orders/${nobody}`, 'twice')
      await call('/orders?created_after=x', 'twice')
      await kept(2)
      await open('?status=404')
      await page.getByRole('row', { name: /orders\/\{id\}/ }).waitFor()
      expect(await page.getByRole('rowheader').count()).toBe(1)
      await button('Remove the filter status').click()
      await page.getByRole('row', { name: /400/ }).waitFor()
      expect(await page.getByRole('rowheader').count()).toBe(2)
      await page.getByRole('rowheader').first().getByRole('link').click()
      const request = page.getByRole('region', { name: 'Request' })
      await request.locator('.status', { hasText: '400' }).waitFor()
      await request.locator('.status', { hasText: '404' }).waitFor()
      await page.goto(`${view.origin}/s/${shop.handle}/requests?status=nine&id=a%20b`)
      await page.getByText('Left out of the address').waitFor()
      await page.getByRole('rowheader').nth(1).waitFor()
      await button('Export').click()
      const download = page.waitForEvent('download')
      await button('CSV').click()
      const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n')
      expect(lines[0]).toBe('id,at,key_id,method,route,tool,status,code,message,duration_ms,source')
      expect(lines).toHaveLength(3)
    })

    test('the live tail shows each call, stands still while it is read, and goes on with the key f', async () => {
      await open()
      await page.getByRole('link', { name: 'Live tail' }).first().click()
      await page.locator('.status', { hasText: /connected$/ }).waitFor()
      await call('/shop')
      const tail = page.getByRole('list', { name: 'Live tail' })
      await tail.getByText('GET /api/v1/shop').waitFor()
      await page.evaluate(`getSelection().selectAllChildren(document.querySelector('.tail'))`)
      await call(`/orders/${nobody}`, 'while-reading')
      await page.getByText('1 request came meanwhile; go on').waitFor()
      expect(await tail.getByRole('listitem').count()).toBe(1)
      await page.keyboard.press('f')
      await tail.getByRole('link', { name: 'GET /api/v1/orders/{id}' }).waitFor()
      expect(await tail.getByRole('listitem').count()).toBe(2)
    })

    test('the live tail connects again and says so', async () => {
      await open()
      await page.route('**/live', (route) => route.fulfill({ status: 503, body: '{}' }))
      await page.getByRole('link', { name: 'Live tail' }).first().click()
      await page.getByText('connection lost, trying again').waitFor()
      await page.unroute('**/live')
      await page.locator('.status', { hasText: /connected$/ }).waitFor()
    })
  })
}
