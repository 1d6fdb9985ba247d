// Operators and the audit of all shops as an owner works with them, in a real browser (docs/spec/console.md#screens).
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type ConsolePage, makeOperator, openConsole, openSignedIn, type Person } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { until } from '#testing/until'

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    let owner: Person
    let shop: { id: string; handle: string }
    let view: ConsolePage
    let page: Page
    let email: string
    beforeAll(async () => {
      stack = await openStack({ form: 'one-process' })
      browser = await openBrowser()
      owner = await makeOperator(stack, 'owner') // The only one of all tests.
    })
    afterAll(async () => {
      await browser.close()
      await stack.stop()
    })
    beforeEach(async () => {
      shop = await stack.makeShop()
      email = `${randomUUID()}@shop.example`
    })
    afterEach(async () => {
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (path: string, person = owner) => {
      view = await openSignedIn(stack, browser, person, path)
      page = view.page
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const idInPath = () => new URL(page.url()).pathname.split('/').at(-1) ?? ''

    test('an operator is made, signs in with its token, and is out as soon as it is disabled', async () => {
      await open('/operators')
      await page.getByRole('link', { name: 'New operator' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Mina')
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Role').selectOption('manager')
      await page.getByLabel('Shop to add').fill('no-such-shop')
      await page.getByLabel('Shop to add').press('Enter')
      await page.getByText('There is no shop “no-such-shop”.').waitFor()
      await page.getByLabel('Shop to add').fill(shop.handle)
      await button('Add the shop').click()
      await page.getByRole('button', { name: /^Remove A/ }).waitFor()
      await button('Create the operator').click()
      await page.getByRole('heading', { level: 2, name: 'Mina' }).waitFor()
      await page.getByRole('row', { name: /Mina/ }).getByText('active').waitFor()
      const { data } = await stack.admin('GET', `/operators/${idInPath()}`)
      expect(data).toMatchObject({ email, role: 'manager', shops: [shop.id] })

      await button('New token').click()
      await page.locator('form').getByLabel('Name').fill('till 1')
      await button('Create the token').click()
      const secret = await page.locator('.secret code').innerText()
      expect(secret).toMatch(/^sfo_/)
      await button('It is stored').click()
      expect(await page.content()).not.toContain(secret)
      const hers = await openConsole(stack, browser)
      await hers.page.goto(hers.origin)
      await hers.page.getByLabel('Token').fill(secret)
      await hers.page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await hers.page.getByRole('banner').waitFor()
      await hers.page.goto(`${hers.origin}/s/${shop.handle}/orders`)
      await hers.page.getByText('No order yet.').waitFor()

      await button('Disable').click()
      await button('Disable Mina').click()
      await page.getByText('Disabled. Sessions and tokens have ended.').waitFor()
      await hers.page.keyboard.press('r') // Loads the list again.
      await hers.page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await hers.page.getByLabel('Token').fill(secret)
      await hers.page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await hers.page.getByRole('alert').waitFor()
      await hers.context.close()
      await page.getByRole('row', { name: /Mina/ }).getByText('disabled').waitFor()
      await button('Make a sign-in link').press('Enter')
      await page.getByText('Make a sign-in link: the operator is disabled for good').waitFor()
      expect(hers.wrong).toEqual([])
    })

    test('the last owner is neither disabled nor made less, and the page says why', async () => {
      await open(`/operators/${owner.id}`)
      await button('Disable').click()
      await button('Disable owner of a test').click()
      const refused = page.getByRole('alert').getByText('This is the last owner. Make another operator an owner first.')
      await refused.waitFor()
      await button('Cancel').click()
      await button('Change').click()
      await page.getByLabel('Role').selectOption('viewer')
      await button('Save').click()
      await refused.waitFor()
      const { data } = await stack.admin('GET', `/operators/${owner.id}`)
      expect(data).toMatchObject({ role: 'owner', disabledAt: null })
    })

    test('a sign-in link signs in once; a changed role holds; ended sessions are out; a revoked token stays in the list', async () => {
      const mina = await makeOperator(stack, 'viewer', [shop.id])
      await stack.admin('POST', `/operators/${mina.id}/tokens`, { name: 'deploy', expiresAt: null })
      await open(`/operators/${mina.id}`)
      await button('Make a sign-in link').click()
      const link = await page.locator('.secret code').innerText()
      const hers = await openConsole(stack, browser)
      await hers.page.goto(`${hers.origin}/${new URL(link).hash}`) // The stack knows no port of its own yet.
      await hers.page.getByRole('banner').waitFor()
      await button('Change').click()
      await page.getByLabel('Role').selectOption('manager')
      await button('Save').click()
      await page.getByText('Changed.', { exact: true }).waitFor()
      await hers.page.goto(`${hers.origin}/s/${shop.handle}/products`)
      await hers.page.getByRole('link', { name: 'New product' }).first().waitFor()
      await button('End sessions').click()
      await button('End all sessions').click()
      await page.getByText('All sessions have ended.').waitFor()
      await hers.page.keyboard.press('r')
      await hers.page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await hers.context.close()
      await button('Revoke deploy').click()
      await page.locator('form').getByRole('button', { name: 'Revoke deploy' }).click()
      await page.getByRole('region', { name: 'Tokens' }).getByText('revoked').waitFor()
    })

    test('an email that is taken is refused at its field', async () => {
      const mina = await makeOperator(stack, 'viewer', [shop.id])
      await open('/operators/new')
      await page.getByLabel('Name', { exact: true }).fill('Other')
      await page.getByLabel('Email').fill(mina.email)
      await button('Create the operator').click()
      await page.locator('.field-problem').getByText(/email/i).waitFor()
    })

    test('the audit of all shops names the shop, and an entry leads to its object', async () => {
      const { id } = await stack.makeProduct(shop.id, { title: 'Mug', kind: 'physical', price: { cents: 900 } })
      const isRecorded = async (query: string) =>
        ((await stack.admin('GET', `/audit?${query}`)).data as unknown[]).length > 0
      await until(() => isRecorded(`action=products.create&object_id=${id}`))
      await open('/audit?action=products.create')
      const row = page.getByRole('row', { name: /products\.create/ }).first()
      await row.getByText('A shop').waitFor()
      await row.getByRole('link').click()
      const entry = page.getByRole('region', { name: 'Entry' })
      await entry.getByRole('link', { name: 'product', exact: true }).click()
      await page.waitForURL(`**/products/${id}`)
      await page.getByRole('heading', { level: 2, name: 'Mug' }).waitFor()
      const mina = await makeOperator(stack, 'viewer', [shop.id])
      await until(() => isRecorded(`object_id=${mina.id}`))
      await page.goto(`${view.origin}/audit?object_id=${mina.id}`)
      await page
        .getByRole('row', { name: /operators\.create/ })
        .getByRole('link')
        .click()
      await entry.getByRole('link', { name: 'operator', exact: true }).click()
      await page.waitForURL(`**/operators/${mina.id}`)
      await button('Disable').waitFor()
    })

    test('a manager sees no screen of all shops, and is told whose it is', async () => {
      const manager = await makeOperator(stack, 'manager', [shop.id])
      await open('/operators', manager)
      await page.getByText('This screen is for the role owner.').waitFor()
      await page.goto(`${view.origin}/s/${shop.handle}/orders`)
      await page.getByRole('link', { name: 'Audit', exact: true }).waitFor()
      expect(await page.getByRole('link', { name: /Operators|Audit of all shops/ }).count()).toBe(0)
    })
  })
}
