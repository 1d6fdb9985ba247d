// Signing in and out as a person does it, in a real browser (docs/spec/console.md#screens, docs/spec/operators-and-roles.md#sign-in).
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { browsers, openBrowser } from '#testing/servers/browser'
import { CLIENT_SECRET, type Issuer, openIssuer } from '#testing/servers/openid-provider'
import {
  type ConsolePage,
  makeOperator,
  makeToken,
  openConsole,
  type Person,
  signInLink,
} from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let issuer: Issuer
    let stack: Stack
    let browser: Browser
    let owner: Person
    let shop: { id: string; handle: string }
    const opened: ConsolePage[] = []
    beforeAll(async () => {
      issuer = await openIssuer('localhost')
      const env = { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: CLIENT_SECRET }
      stack = await openStack({ form: 'one-process', env })
      issuer.serve(stack.adminPorts)
      browser = await openBrowser()
      owner = await makeOperator(stack, 'owner')
      shop = await stack.makeShop({ name: 'The only shop' })
      const item = { title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 100 } }
      await stack.makeOrder(shop.id, { paymentMethod: 'card', customer: { name: 'Ada' }, items: [item] })
    })
    afterAll(async () => {
      await browser.close()
      await stack.stop()
      issuer.close()
    })
    afterEach(async () => {
      for (const { context, wrong } of opened.splice(0)) {
        await context.close()
        expect(wrong).toEqual([])
      }
    })
    const open = async () => {
      const one = await openConsole(stack, browser)
      opened.push(one)
      return one.page
    }
    const origin = () => `http://127.0.0.1:${stack.adminPorts[0]}`

    test('a link signs in with one click, leads to the only shop, and leaves no code behind', async () => {
      const page = await open()
      await page.goto(await signInLink(stack, owner))
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      expect(page.url()).toBe(`${origin()}/s/${shop.handle}`)
    })

    test('a link that was used says so with the id of the request, and the token signs in', async () => {
      const link = await signInLink(stack, owner)
      const first = await open()
      await first.goto(link)
      await first.getByRole('banner').waitFor()
      const page = await open()
      await page.goto(link)
      const problem = page.getByRole('alert')
      expect(await problem.innerText()).toMatch(/Request [0-9a-f-]{36}/)
      await page.getByLabel('Token').fill(await makeToken(stack, owner))
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    })

    test('a wrong token is refused beside the field', async () => {
      const page = await open()
      await page.goto(origin())
      await page.getByLabel('Token').fill('sfo_wrong')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      expect(await page.getByRole('alert').innerText()).toContain('Request')
      expect(new URL(page.url()).pathname).toBe('/sign-in')
    })

    test('the OpenID button signs in the operator of the verified email, and leads back to the same address', async () => {
      const person = await makeOperator(stack, 'owner')
      issuer.claims = { email: person.email, email_verified: true }
      const one = await openConsole(stack, browser)
      await one.page.goto(`${origin()}/connect/none`)
      await one.page.getByRole('link', { name: 'Sign in with OpenID' }).click()
      await one.page.getByRole('heading', { level: 1, name: 'An agent asks for access to a shop' }).waitFor()
      expect(one.page.url()).toBe(`${origin()}/connect/none`)
      await one.context.close() // The provider is another host.
    })

    test('a session that ends leads to the sign-in, and back to the same address', async () => {
      const page = await open()
      await page.goto(await signInLink(stack, owner))
      await page.getByRole('banner').waitFor()
      await page.goto(`${origin()}/s/${shop.handle}/orders?status=new,confirmed`)
      await page.getByRole('button', { name: 'status new, confirmed' }).waitFor()
      await stack.admin('DELETE', `/operators/${owner.id}/sessions`)
      await page.getByRole('button', { name: 'Remove the filter status' }).click()
      await page.getByText('Your session has ended.').waitFor()
      await page.getByLabel('Token').fill(await makeToken(stack, owner))
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
      expect(page.url()).toBe(`${origin()}/s/${shop.handle}/orders`)
      // Each key acts once, as before.
      await page.getByRole('link', { name: 'Ada' }).waitFor()
      for (const key of ['j', 'x']) await page.keyboard.press(key)
      await page.getByText('1 chosen').waitFor()
    })

    test('an address of another site is not followed after the sign-in', async () => {
      const page = await open()
      await page.goto(`${origin()}/sign-in?to=${encodeURIComponent('//example.com/s/x')}`)
      await page.getByLabel('Token').fill(await makeToken(stack, await makeOperator(stack, 'owner')))
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('banner').waitFor()
      expect(new URL(page.url()).origin).toBe(origin())
    })

    test('signing out ends this session, signing out everywhere those of all browsers', async () => {
      const person = await makeOperator(stack, 'viewer', [shop.id])
      const [first, second] = [await open(), await open()]
      for (const page of [first, second]) {
        await page.goto(await signInLink(stack, person))
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      }
      await first.getByRole('button', { name: 'viewer of a test' }).click()
      await first.getByRole('button', { name: 'Sign out', exact: true }).click()
      await first.getByRole('heading', { name: 'Sign in' }).waitFor()
      await first.reload()
      await first.getByRole('heading', { name: 'Sign in' }).waitFor()
      await first.goto(await signInLink(stack, person))
      await first.getByRole('button', { name: 'viewer of a test' }).click()
      await first.getByRole('button', { name: 'Sign out everywhere' }).click()
      await first.getByRole('heading', { name: 'Sign in' }).waitFor()
      await second.getByRole('link', { name: 'Orders' }).click()
      await second.getByText('Your session has ended.').waitFor()
    })
  })
}
