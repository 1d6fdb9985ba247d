// Memberships as a person works with them, in a real browser (docs/spec/console.md#screens).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type ConsolePage, makeOperator, openSignedIn } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { openReceiver, type Receiver } from '#testing/servers/receiver'

const club = { title: 'Club', kind: 'membership', price: { cents: 900 }, membership: { interval: 'month' } }

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    let receiver: Receiver
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
    let productId: string
    beforeEach(async () => {
      shop = await stack.makeShop()
      productId = (await stack.makeProduct(shop.id, club)).id
    })
    afterEach(async () => {
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (path = '', role: Parameters<typeof makeOperator>[1] = 'manager') => {
      const person = await makeOperator(stack, role, [shop.id])
      view = await openSignedIn(stack, browser, person, `/s/${shop.handle}/memberships${path}`)
      page = view.page
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const members = () => page.getByRole('table', { name: 'Memberships' }).getByRole('rowheader').allInnerTexts()

    async function join(name: string, billingMode = 'processor'): Promise<string> {
      const { id: clientId } = await stack.makeContact(shop.id, { name, email: `${name.toLowerCase()}@example.com` })
      const paymentMethod = billingMode === 'manual' ? { paymentMethod: 'bank_transfer' } : {}
      const body = { productId, clientId, billingMode, ...paymentMethod }
      const { data } = await stack.admin('POST', `/shops/${shop.id}/subscriptions`, body)
      return (data as { id: string }).id
    }

    test('a membership is paid, stopped and taken back, and each event appears with its delivery on the same page', async () => {
      const endpoint = { url: `${receiver.url}/hook`, events: ['subscription.*'] }
      await stack.admin('POST', `/shops/${shop.id}/webhook-endpoints`, endpoint)
      receiver.answer(() => ({ body: 'thank you' }))
      const id = await join('Ada')
      await open(`/${id}`)
      await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor()
      await button('Mark as paid').click()
      await page.getByText('Paid. subscription.renewed was sent to 1 endpoint.').waitFor()
      const event = page.getByRole('listitem').filter({ hasText: 'subscription.renewed' })
      await event.getByText('delivered').waitFor()
      await event.getByText('Attempts', { exact: true }).click()
      await event.getByText('thank you').waitFor()
      await button('Take the stop back').press('Enter')
      await page.getByText('Take the stop back: nobody has asked to stop').waitFor()
      await button('Stop at period end').click()
      await page.getByText('Stop asked. subscription.cancelled').waitFor()
      await page.getByText('stops at the end of the period').waitFor()
      await button('Take the stop back').click()
      await page.getByText('Stop taken back. subscription.resumed').waitFor()
      await page.getByText('by manager of a test').first().waitFor()
    })

    test('a failed last attempt and an end at once are asked for twice, and the row beside says so', async () => {
      const id = await join('Ada')
      const other = await join('Bob')
      await open(`/${id}`)
      await button('Payment has failed').click()
      await page.getByLabel('This was the last attempt').check()
      await page.locator('form').getByRole('button', { name: 'Payment has failed' }).click()
      await page.getByText(/^Payment failed\. /).waitFor()
      await page.getByRole('row', { name: /Ada/ }).getByText('canceled').waitFor()
      await button('Mark as paid').press('Enter')
      await page.getByText('Mark as paid: it is over for good').waitFor()
      await page.getByRole('row', { name: /Bob/ }).getByRole('link').click()
      await page.getByRole('heading', { level: 2, name: 'Bob' }).waitFor()
      await button('End now').click()
      await page.locator('form').getByRole('button', { name: 'End now' }).click()
      await page.getByText(/^Ended\. .*subscription\.ended.* were recorded/).waitFor()
      const { data } = await stack.admin('GET', `/shops/${shop.id}/subscriptions/${other}`)
      expect(data).toMatchObject({ status: 'canceled' })
    })

    test('a contact is signed up by its email; an email of nobody and a wrong number are refused at their fields', async () => {
      await stack.makeContact(shop.id, { name: 'Ada', email: 'ada@example.com' })
      await open()
      await page.getByRole('link', { name: 'Start a membership' }).first().click()
      await page.getByLabel('Product').waitFor()
      await page.getByRole('combobox', { name: 'Member' }).fill('nobody@example.com')
      await button('Start the membership').click()
      await page.getByRole('alert').getByText('No contact has this email or id.').waitFor()
      await page.getByRole('combobox', { name: 'Member' }).fill('ada@example.com')
      await page.getByLabel('Days of trial').fill('-1')
      await button('Start the membership').click()
      await page
        .getByRole('alert')
        .getByText(/^trialDays/)
        .waitFor()
      await page.getByLabel('Days of trial').fill('')
      await page.getByLabel('Billing').selectOption('manual')
      await page.getByLabel('Payment method').selectOption('bank_transfer')
      await page.getByLabel('First payment').selectOption('open')
      await button('Start the membership').click()
      await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor()
      await page.getByText('incomplete').first().waitFor()
      await page.getByText('by hand').waitFor()
      await page.getByRole('row', { name: /Ada/ }).waitFor() // In the list beside it.
    })

    test('the list names members and products, and filters by status', async () => {
      await join('Ada')
      const id = await join('Bob', 'manual')
      await stack.admin('POST', `/shops/${shop.id}/subscriptions/${id}/end`)
      await open()
      await page.getByText('Ada').waitFor()
      await page.getByText('Bob').waitFor()
      expect(await members()).toEqual(['Bob', 'Ada'])
      expect(await page.getByRole('row', { name: /Ada/ }).innerText()).toMatch(/Club.*active.*£9\.00 a month/s)
      await button('+ filter').click()
      await button('status').click()
      await page.getByLabel('canceled').click()
      await page.getByText('Ada').waitFor({ state: 'detached' })
      expect(await members()).toEqual(['Bob'])
    })

    test('a viewer reads the history and is refused every change; a deleted product and an erased member are named so', async () => {
      const id = await join('Ada')
      const { data } = await stack.admin('GET', `/shops/${shop.id}/subscriptions/${id}`)
      await stack.admin('DELETE', `/shops/${shop.id}/products/${productId}`)
      await stack.admin('POST', `/shops/${shop.id}/contacts/${(data as { clientId: string }).clientId}/erase`)
      await open(`/${id}`, 'viewer')
      await button('End now').press('Enter')
      await page.getByText('End now: your role may only read').waitFor()
      await page.getByRole('heading', { level: 2, name: 'erased' }).waitFor()
      await page.getByRole('link', { name: 'deleted' }).waitFor()
      await page.getByText('Began', { exact: true }).last().waitFor()
      expect(await page.getByRole('checkbox').count()).toBe(0)
    })
  })
}
