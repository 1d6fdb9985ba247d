// Deliveries as a person works with them, in a real browser (docs/spec/console.md#screens).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type ConsolePage, makeOperator, openSignedIn, type Person } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { openReceiver, type Receiver } from '#testing/servers/receiver'
import { until } from '#testing/until'

const item = { title: 'Blue mug', kind: 'physical', quantity: 1, unitPrice: { cents: 1_250 } }
const orderOf = (name: string) => ({
  paymentMethod: 'bank_transfer',
  customer: { name, email: `${name}@example.com` },
  items: [item],
})

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    let receiver: Receiver
    let isMended: boolean
    let support: Person
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
      support = await makeOperator(stack, 'support', [shop.id])
      isMended = false
      receiver.answer(({ path }) =>
        path.endsWith('bad') && !isMended ? { status: 500, body: 'the <b>table</b> is locked' } : { body: 'thank you' },
      )
    })
    afterEach(async () => {
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (path = '', person = support, options = {}) => {
      view = await openSignedIn(stack, browser, person, `/s/${shop.handle}/deliveries${path}`, options)
      page = view.page
    }
    const endpoint = async (path: string) => {
      const { data } = await stack.admin('POST', `/shops/${shop.id}/webhook-endpoints`, {
        url: `${receiver.url}/${path}`,
        events: ['order.created'],
      })
      return (data as { id: string }).id
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const arrived = (path: string) => receiver.received.filter((one) => one.path.endsWith(path)).length
    /** Places orders and waits until each has been tried at the endpoint. */
    const place = async (id: string, ...names: string[]) => {
      for (const name of names) await stack.makeOrder(shop.id, orderOf(name))
      const path = `/shops/${shop.id}/webhook-endpoints/${id}/deliveries`
      const tried = async () => {
        const { data } = await stack.admin('GET', path)
        return (data as { attemptCount: number }[]).filter(({ attemptCount }) => attemptCount > 0)
      }
      await until(async () => (await tried()).length === names.length)
    }

    test('a failing delivery says why, and the key r delivers it when the receiver is mended', async () => {
      await endpoint('good')
      await place(await endpoint('bad'), 'ada')
      await open()
      await page
        .getByRole('row', { name: /failing/ })
        .getByRole('link')
        .click()
      const attempts = page.getByRole('list', { name: 'Attempts' })
      await attempts.getByText('by schedule · 500').waitFor()
      await attempts.getByText('the <b>table</b> is locked').waitFor()
      await attempts.getByText('Next attempt').waitFor()
      await page.keyboard.press('r')
      await page.getByText(/^Sent again and not accepted: 500 in/).waitFor()
      isMended = true
      await page.keyboard.press('r')
      await page.getByText(/^Sent again and accepted: 200 in/).waitFor()
      await attempts.getByText('by hand · 200').waitFor()
      await page.getByRole('row', { name: /failing/ }).waitFor({ state: 'detached' })
      expect(await page.getByRole('row', { name: /delivered/ }).count()).toBe(2)
      const sent = receiver.received.findLast((one) => one.path.endsWith('bad'))
      const shown = JSON.parse(await page.locator('.json pre').innerText()) as { id: string }
      // Support reads no names.
      expect(shown.id).toBe((JSON.parse(sent?.body ?? '') as { id: string }).id)
      await page.getByText(`webhook-id: ${shown.id}`).waitFor()
      await page.getByRole('link', { name: 'event 1' }).click()
      await page.getByRole('heading', { level: 2, name: 'order.created' }).waitFor()
      await page.locator('.deliveries').getByRole('link', { name: '/bad' }).click()
      await attempts.getByText('by hand · 200').waitFor()
    })

    test('the endpoint and the status stand in the address, and all that match are retried with a result for each', async () => {
      await endpoint('good')
      const bad = await endpoint('bad')
      await place(bad, 'ada', 'bob', 'cy')
      await open()
      await button('+ filter').click()
      await button('status').click()
      await page.getByLabel('pending').click()
      await page.keyboard.press('Escape')
      await button('+ filter').click()
      await button('endpoint').click()
      await page.getByRole('button', { name: /bad$/ }).click()
      await until(() => new URL(page.url()).search === `?status=pending&endpoint=${bad}`)
      await page
        .getByRole('row', { name: /order.created/ })
        .nth(2)
        .waitFor()
      await page.getByLabel('Choose this page').click()
      await button('Retry').click()
      await page.getByText('0 accepted, 3 refused').waitFor()
      await button('Close').click()
      isMended = true
      await page.getByLabel('Choose this page').click()
      await button('Retry').click()
      await page.getByText('3 accepted').waitFor()
      await page.getByText('Nothing matches these filters.').waitFor()
      await page.getByRole('button', { name: /^endpoint/ }).click()
      await page.getByRole('button', { name: /good$/ }).last().click()
      await button('Remove the filter status').click()
      await page
        .getByRole('row', { name: /delivered/ })
        .nth(2)
        .waitFor()
    })

    test('a range is replayed with its progress, and a viewer may only look', async () => {
      await place(await endpoint('good'), 'ada', 'bob')
      const before = arrived('good')
      await open()
      await page.getByRole('link', { name: 'Replay a range' }).click()
      await page.getByLabel('Which events').selectOption('all')
      await page.getByText('Covers 2 events. The endpoint has acknowledged 2 of them before.').waitFor()
      expect(arrived('good')).toBe(before)
      await button('Replay 2 events').click()
      await page.getByText('Started. It covers 2 events.').waitFor()
      await page.getByText('2 of 2 queued').waitFor()
      await page.locator('.replays').getByText('completed').waitFor()
      await until(() => arrived('good') === before + 2)
      await view.context.close()
      await open('/replay', await makeOperator(stack, 'viewer', [shop.id]))
      await page.getByText('2 of 2 queued').waitFor()
      await page.getByText('your role may only read').waitFor()
      expect(await page.getByRole('button', { name: /^Replay / }).count()).toBe(0)
      expect(await page.getByRole('checkbox').count()).toBe(0)
    })

    test('a shop without an endpoint says how to get one', async () => {
      await open()
      await page.getByText('The shop has no endpoint yet.').waitFor()
    })
  })
}
