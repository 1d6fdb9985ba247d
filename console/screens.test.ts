// The rules that hold for every screen, in a real browser: accessibility, policy, foreign requests, hostile names, narrow windows, and the bytes
// of the first view (docs/spec/console.md#rules).
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import {
  type ConsolePage,
  makeOperator,
  openConsole,
  openSignedIn,
  type Person,
  signInLink,
} from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { until } from '#testing/until'
import { browsers, openBrowser } from '#testing/servers/browser'

const hostile = `<img src=x onerror="document.title='broken'">'"\u202eRTL ${'long'.repeat(40)}`
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Below the path of the shop; `{order}` is the id of an order, `{key}` that of a key, `{endpoint}` that of an endpoint. */
const screens = [
  ['the list of orders', '/orders'],
  ['an empty list', '/orders?email=nobody@example.com'],
  ['an order', '/orders/{order}'],
  ['an order that does not exist', '/orders/00000000-0000-4000-8000-000000000000'],
  ['a test order', '/orders/new'],
  ['the keys', '/keys'],
  ['a key', '/keys/{key}'],
  ['a key that does not exist', '/keys/00000000-0000-4000-8000-000000000000'],
  ['a new key', '/keys/new'],
  ['the webhook endpoints', '/webhooks'],
  ['an endpoint', '/webhooks/{endpoint}'],
  ['a new endpoint', '/webhooks/new'],
  ['the audit', '/audit'],
  ['an entry of the audit that is not there', '/audit/00000000-0000-4000-8000-000000000000'],
  ['an address that is no screen', '/nowhere/at/all'],
] as const
const windows = [
  { width: 360, height: 740, colorScheme: 'light' },
  { width: 1280, height: 800, colorScheme: 'dark' },
  { width: 1920, height: 1080, colorScheme: 'light' },
] as const
const FIRST_VIEW_BYTES = 80 * 1_024

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    let owner: Person
    let shop: { id: string; handle: string }
    let orderId: string
    let keyId: string
    let endpointId: string
    beforeAll(async () => {
      stack = await openStack({ form: 'one-process' })
      browser = await openBrowser()
      owner = await makeOperator(stack, 'owner')
      shop = await stack.makeShop({ name: hostile.slice(0, 100) })
      const item = { title: hostile.slice(0, 200), kind: 'physical', quantity: 2, unitPrice: { cents: 123_456_789 } }
      const customer = { name: hostile.slice(0, 200), email: 'ada@example.com' }
      const order = await stack.makeOrder(shop.id, { paymentMethod: 'card', customer, items: [item], note: hostile })
      orderId = order.id
      await stack.admin('POST', `/shops/${shop.id}/orders/${orderId}/ship`, { trackingUrl: 'https://example.com/t' })
      const key = { name: hostile.slice(0, 100), access: 'read' }
      keyId = ((await stack.admin('POST', `/shops/${shop.id}/keys`, key)).data as { id: string }).id
      const endpoint = { url: `https://example.com/${'long'.repeat(40)}`, description: hostile.slice(0, 200) }
      const made = await stack.admin('POST', `/shops/${shop.id}/webhook-endpoints`, endpoint)
      endpointId = (made.data as { id: string }).id
    })
    afterAll(async () => {
      await browser.close()
      await stack.stop()
    })
    const pathOf = (path: string) => {
      const ids: Record<string, string> = { order: orderId, key: keyId, endpoint: endpointId }
      return `/s/${shop.handle}${path.replace(/\{(\w+)\}/, (_whole, name: string) => ids[name] ?? '')}`
    }

    describe.each(windows)('$width px, $colorScheme', ({ width, height, colorScheme }) => {
      let view: ConsolePage
      beforeAll(async () => {
        view = await openSignedIn(stack, browser, owner, pathOf('/orders'), {
          viewport: { width, height },
          colorScheme,
        })
      })
      afterAll(() => view.context.close())

      test.each(screens)(
        '%s: accessible, without foreign requests, errors or sideways scrolling; names are text',
        async (_name, path) => {
          const { page, wrong, origin } = view
          await page.goto(origin + pathOf(path))
          await isSettled(page)
          expect(await seriousFindings(page)).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
          expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
          expect(await page.title()).not.toBe('broken')
          expect(wrong).toEqual([])
        },
      )
    })

    test('the sign-in is accessible', async () => {
      const { page, context, origin, wrong } = await openConsole(stack, browser)
      await page.goto(origin)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      expect(wrong).toEqual([])
      await context.close()
    })

    test('the panels, the palette and the sheet of keys are accessible', async () => {
      const { page, context } = await openSignedIn(stack, browser, owner, pathOf('/orders/{order}'))
      await isSettled(page)
      for (const name of ['More', '+ filter', 'Export', 'See how', 'Change tracking', 'JSON']) {
        await page.getByRole('button', { name, exact: true }).last().click()
        expect({ name, findings: await seriousFindings(page) }).toEqual({ name, findings: [] })
        await page.keyboard.press('Escape')
      }
      for (const key of ['?', 'Control+k']) {
        await page.getByRole('heading', { level: 1 }).click()
        await page.keyboard.press(key)
        await page.getByRole('dialog').waitFor()
        expect({ key, findings: await seriousFindings(page) }).toEqual({ key, findings: [] })
        await page.keyboard.press('Escape')
      }
      await context.close()
    })

    test('a first view loads at most 80 KB of script and style, compressed', async () => {
      const { page, context, origin } = await openConsole(stack, browser)
      let bytes = 0
      const sizes: Promise<void>[] = []
      page.on('response', (response) => {
        if (!/\.(js|css)$/.test(response.url())) return
        const add = async () => {
          const { responseBodySize } = await response.request().sizes()
          bytes += responseBodySize
        }
        sizes.push(add())
      })
      await page.goto(await signInLink(stack, owner))
      await page.getByRole('banner').waitFor()
      await page.goto(origin + pathOf('/orders/{order}'))
      await isSettled(page)
      await Promise.all(sizes)
      expect(bytes).toBeGreaterThan(10_000)
      expect(bytes).toBeLessThanOrEqual(FIRST_VIEW_BYTES)
      await context.close()
    })
  })
}

async function isSettled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await until(async () => (await page.locator('.waiting').count()) === 0)
  await page.waitForLoadState('networkidle')
}

/** Of axe, by rule and element. */
async function seriousFindings(page: Page): Promise<string[]> {
  // Evaluated by the protocol, which the policy of the page does not bind.
  const { violations } = (await page.evaluate(`${axe}; axe.run()`)) as AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${String(target)}`))
}
