// What every list can do beside its rows: it keeps views, and it follows what comes (docs/spec/console.md#lists).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type ConsolePage, makeOperator, openSignedIn, type Person } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    let viewer: Person
    let shop: { id: string; handle: string }
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
    })
    afterEach(async () => {
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (path: string) => {
      view = await openSignedIn(stack, browser, viewer, `/s/${shop.handle}/orders${path}`)
      page = view.page
    }
    const item = { title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 900 } }
    const place = (name: string) =>
      stack.makeOrder(shop.id, { paymentMethod: 'card', customer: { name, email: 'ada@example.com' }, items: [item] })
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
    const buyers = () => page.getByRole('table', { name: 'Orders' }).getByRole('rowheader').allInnerTexts()
    const row = (name: string) => page.getByRole('link', { name, exact: true })

    test('a filter that is kept under a name opens again from any list and any session, and is gone when removed', async () => {
      await place('Ada')
      await open('?status=new&created_after=today')
      await button('Views').click()
      await page.getByText('No view yet.').waitFor()
      await page.getByLabel('Name').fill('New today')
      await button('Keep this view').click()
      await page.getByRole('link', { name: 'New today' }).waitFor()
      await view.context.close()
      await open('')
      await page.goto(`${view.origin}/s/${shop.handle}/events`)
      await button('Views').click()
      await page.getByRole('link', { name: 'New today' }).click()
      await row('Ada').waitFor()
      const { pathname, search } = new URL(page.url())
      expect(pathname + search).toBe(`/s/${shop.handle}/orders?status=new&created_after=today`)
      await button('Views').click()
      await button('Remove the view New today').click()
      await page.getByText('No view yet.').waitFor()
    })

    test('a view whose filter is no longer valid opens with the valid rest and says what it left out', async () => {
      await place('Ada')
      await open('')
      const path = `/s/${shop.handle}/orders?status=lost&email=ada@example.com`
      await page.evaluate(async (kept) => {
        await fetch('/admin/v1/me/views/Old', {
          method: 'PUT',
          headers: { 'content-type': 'application/json', 'x-storefront-console': '1' },
          body: JSON.stringify({ path: kept }),
        })
      }, path)
      await button('Views').click()
      await page.getByRole('link', { name: 'Old' }).click()
      await page.getByText('Left out of the address, because it is not valid here: status=lost').waitFor()
      await row('Ada').waitFor()
    })

    test('a row that is chosen keeps its place and its height', async () => {
      await place('First')
      const manager = await makeOperator(stack, 'manager', [shop.id])
      view = await openSignedIn(stack, browser, manager, `/s/${shop.handle}/orders`)
      page = view.page
      const first = page.getByRole('row', { name: /First/ })
      const before = await first.boundingBox()
      await first.getByRole('checkbox').check()
      await page.getByText('1 chosen').waitFor()
      expect(await first.boundingBox()).toEqual(before)
    })

    test('a list that is followed shows new rows by itself, holds them while rows are read, and goes on with one key', async () => {
      await place('First')
      await open('')
      await row('First').waitFor()
      await button('Follow').click()
      await place('Second')
      await row('Second').waitFor()
      expect(await buyers()).toEqual(['Second', 'First'])
      await page.evaluate(`getSelection().selectAllChildren(document.querySelector('table'))`)
      await place('Third')
      await button(/^1 new row: show/).waitFor()
      expect(await buyers()).toEqual(['Second', 'First'])
      await page.keyboard.press('f')
      await row('Third').waitFor()
    })

    test('a list that is followed says since when it has lost the connection, and goes on when it is back', async () => {
      await place('First')
      await open('')
      await button('Follow').click()
      await view.context.setOffline(true)
      await page.getByText(/^Not connected since .*; trying again\.$/).waitFor()
      expect(await buyers()).toEqual(['First'])
      await place('Second')
      await view.context.setOffline(false)
      await row('Second').waitFor()
      await page.getByText('New rows appear here by themselves.').waitFor()
    })
  })
}
