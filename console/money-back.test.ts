// A move that gives money back repeats the sum and the currency in its button, for one order and for many, in a real browser
// (docs/spec/console.md#orders).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type ConsolePage, makeOperator, openSignedIn } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'

const item = { title: 'Blue mug', kind: 'physical', quantity: 1, unitPrice: { cents: 1_250 } }

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
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
    })
    afterEach(async () => {
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (path = '') => {
      const person = await makeOperator(stack, 'manager', [shop.id])
      view = await openSignedIn(stack, browser, person, `/s/${shop.handle}/orders${path}`)
      page = view.page
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const place = async (email: string, paymentMethod = 'card') => {
      const { id } = await stack.makeOrder(shop.id, { paymentMethod, customer: { email }, items: [item] })
      return id
    }
    const read = async (id: string) =>
      (await stack.admin('GET', `/shops/${shop.id}/orders/${id}`)).data as {
        refunded: { cents: number }
        paymentStatus: string
      }
    const refund = (id: string, cents: number) =>
      stack.admin('POST', `/shops/${shop.id}/orders/${id}/refund`, { amount: { cents } })

    test('a refund of a page repeats the sum of the orders that are paid', async () => {
      const whole = await place('ada@example.com')
      const part = await place('bob@example.com')
      await refund(part, 250)
      const unpaid = await place('cleo@example.com', 'bank_transfer')
      await open()
      await page.getByLabel('Choose this page').click()
      await button('Refund what is left').click()
      await button('Cancel').last().click()
      expect((await read(whole)).refunded.cents).toBe(0)
      await button('Refund what is left').click()
      await button('Refund £22.50 of 2 orders').click()
      await page.getByText('2 refunded').waitFor()
      expect(await Promise.all([whole, part, unpaid].map(async (id) => (await read(id)).refunded.cents))).toEqual([
        1_250, 1_250, 0,
      ])
    })

    test('of all that match the orders are read first, and none gets more than the button has said', async () => {
      const ids = await Promise.all(Array.from({ length: 51 }, (_, number) => place(`buyer${number}@example.com`)))
      await open('?payment_status=paid')
      await page.getByLabel('Choose this page').click()
      await button('Choose all that match').click()
      await button('Refund what is left').click()
      await button('Refund up to £637.50 of 51 orders').waitFor()
      const [other = ''] = ids
      await refund(other, 100) // Meanwhile: less is left than was said, so this one is refused.
      await button('Refund up to £637.50 of 51 orders').click()
      await page.getByText('50 refunded, 1 refused').waitFor()
      expect((await read(other)).refunded.cents).toBe(100)
    })

    test('an order without money to give back cannot be refunded, and another choice is asked for again', async () => {
      const unpaid = await place('ada@example.com', 'bank_transfer')
      const paid = await place('bob@example.com')
      await open()
      await page.getByLabel(`Choose ${unpaid}`).click()
      expect(await button('Refund what is left').isDisabled()).toBe(true)
      await page.getByLabel(`Choose ${paid}`).click()
      await button('Refund what is left').click()
      await button('Refund £12.50 of 1 order').waitFor()
      await page.getByLabel('Choose this page').click()
      await button('Refund £12.50 of 1 order').waitFor({ state: 'detached' })
    })

    test('a cancelled paid order and a lost dispute name what goes back', async () => {
      const id = await place('ada@example.com')
      await open(`/${id}`)
      await button('Cancel order').click()
      await button('Cancel and refund £12.50').waitFor()
      await stack.admin('POST', `/shops/${shop.id}/orders/${id}/dispute`, { amount: { cents: 500 } })
      await page.reload()
      await button('More').click()
      await page.getByRole('button', { name: 'Close the dispute' }).click()
      await page.getByLabel('Outcome').selectOption('lost')
      await button('Close the dispute and give back up to £12.50').click()
      await page.locator('.result', { hasText: 'Dispute closed' }).waitFor()
      expect((await read(id)).refunded.cents).toBe(500)
    })
  })
}
