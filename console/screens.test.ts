// The rules that hold for every screen, in a real browser: accessibility, policy, foreign requests, hostile names, narrow windows, and the bytes
// of the first view (docs/spec/console.md#rules).
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { importFile } from '#testing/admin-requests'
import { type ConsolePage, makeOperator, openConsole, openSignedIn, type Person } from '#testing/product/console'
import { makeAgent, makeAgentRequest } from '#testing/product/agents'
import { openStack, type Stack } from '#testing/product/stack'
import { until } from '#testing/until'
import { browsers, openBrowser } from '#testing/servers/browser'
import { hrefOf, screens as table } from './src/screens.ts'

const hostile = `<img src=x onerror="document.title='broken'">'"\u202eRTL ${'long'.repeat(40)}`
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Below the path of the shop, or a screen of all shops; `{order}` is the id of an order, `{event}` that of its event, and so on. */
const screens = [
  ['the overview', ''],
  ['the overview as tables', '?as=table'],
  ['the list of orders', '/orders'],
  ['an empty list', '/orders?email=nobody@example.com'],
  ['an order', '/orders/{order}'],
  ['an order that does not exist', '/orders/00000000-0000-4000-8000-000000000000'],
  ['the form of an order', '/orders/{order}?edit'],
  ['a test order', '/orders/new'],
  ['the list of events', '/events'],
  ['an event', '/events/{event}'],
  ['the deliveries of an endpoint', '/deliveries'],
  ['a delivery', '/deliveries/{delivery}'],
  ['a replay', '/deliveries/replay'],
  ['the list of requests', '/requests'],
  ['a request', '/requests/refused-1'],
  ['the list of contacts', '/contacts'],
  ['a contact', '/contacts/{contact}'],
  ['the form of a contact', '/contacts/{contact}?edit'],
  ['a new contact', '/contacts/new'],
  ['the list of products', '/products'],
  ['a product', '/products/{product}'],
  ['the form of a product', '/products/{product}?edit'],
  ['a new product', '/products/new'],
  ['the list of memberships', '/memberships'],
  ['a membership', '/memberships/{membership}'],
  ['a new membership', '/memberships/new'],
  ['the keys', '/keys'],
  ['a key', '/keys/{key}'],
  ['a key that does not exist', '/keys/00000000-0000-4000-8000-000000000000'],
  ['a new key', '/keys/new'],
  ['the agents', '/agents'],
  ['an agent', '/agents/{agent}'],
  ['an agent that does not exist', '/agents/00000000-0000-4000-8000-000000000000'],
  ['the webhook endpoints', '/webhooks'],
  ['an endpoint', '/webhooks/{endpoint}'],
  ['a new endpoint', '/webhooks/new'],
  ['the audit', '/audit'],
  ['an entry of the audit that is not there', '/audit/00000000-0000-4000-8000-000000000000'],
  ['import and export', '/import'],
  ['an import with problems', '/import/{import}'],
  ['an address that is no screen', '/nowhere/at/all'],
] as const
/** Of all shops. */
const wideScreens = [
  ['the operators', '/operators'],
  ['an operator', '/operators/{operator}'],
  ['the form of an operator', '/operators/{operator}?edit'],
  ['a new operator', '/operators/new'],
  ['an operator that does not exist', '/operators/00000000-0000-4000-8000-000000000001'],
  ['an agent that asks for access', '/connect/{request}'],
  ['an agent that asks no more', '/connect/none'],
  ['the reference', '/reference'],
  ['an operation', '/reference/ordersPlace'],
  ['an operation to try', '/reference/listOrders'],
  ['an operation that runs here', '/reference/shopsGet'],
  ['a kind of event', '/reference/order.shipped'],
  ['a tool', '/reference/list_orders'],
  ['an entry that the reference has not', '/reference/none?in=nothing'],
  ['the audit of all shops', '/audit'],
  ['an entry of the audit of all shops that is not there', '/audit/00000000-0000-4000-8000-000000000000'],
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
    let keySecret: string
    let ids: Record<string, string>
    beforeAll(async () => {
      stack = await openStack({ form: 'one-process', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
      browser = await openBrowser()
      owner = await makeOperator(stack, 'owner')
      shop = await stack.makeShop({ name: hostile.slice(0, 100) })
      const item = { title: hostile.slice(0, 200), kind: 'physical', quantity: 2, unitPrice: { cents: 123_456_789 } }
      const customer = { name: hostile.slice(0, 200), email: 'ada@example.com' }
      const endpoint = { url: `http://127.0.0.1:9/${'long'.repeat(20)}`, description: hostile.slice(0, 200) }
      const { data } = await stack.admin('POST', `/shops/${shop.id}/webhook-endpoints`, endpoint)
      const order = await stack.makeOrder(shop.id, { paymentMethod: 'card', customer, items: [item], note: hostile })
      await stack.admin('POST', `/shops/${shop.id}/orders/${order.id}/ship`, { trackingUrl: 'https://example.com/t' })
      const newest = async (path: string) =>
        ((await stack.admin('GET', `/shops/${shop.id}${path}`)).data as { id: string }[])[0]
      const deliveries = `/webhook-endpoints/${(data as { id: string }).id}/deliveries`
      await until(async () => (await newest(deliveries)) !== undefined)
      const [event, delivery] = [await newest('/events'), await newest(deliveries)]
      const reader = { name: hostile.slice(0, 100), access: 'read' }
      const key = (await stack.admin('POST', `/shops/${shop.id}/keys`, reader)).data as { id: string; secret: string }
      keySecret = key.secret
      await stack.get('/api/v1/orders/1', { key: keySecret, headers: { 'x-request-id': 'refused-1' } })
      await until(async () => (await newest('/requests')) !== undefined)
      const address = { line1: hostile.slice(0, 100), city: hostile.slice(0, 100) }
      const contact = await stack.makeContact(shop.id, { ...customer, tags: [hostile.slice(0, 20)], address })
      const variants = [{ sku: hostile.slice(0, 60), options: { [hostile.slice(0, 20)]: hostile.slice(0, 40) } }]
      const shirt = {
        title: hostile.slice(0, 200),
        kind: 'physical',
        price: { cents: 123_456_789 },
        description: hostile,
      }
      const product = await stack.makeProduct(shop.id, { ...shirt, variants })
      const club = { title: hostile.slice(0, 200), kind: 'membership', price: { cents: 123_456_789 } }
      const { id: productId } = await stack.makeProduct(shop.id, { ...club, membership: { interval: 'month' } })
      const signup = { productId, clientId: contact.id, billingMode: 'processor' }
      const { data: membership } = await stack.admin('POST', `/shops/${shop.id}/subscriptions`, signup)
      const mina = { name: hostile.slice(0, 100), email: 'mina@example.com', role: 'manager', shops: [shop.id] }
      const operator = (await stack.admin('POST', '/operators', mina)).data as { id: string }
      await stack.admin('POST', `/operators/${operator.id}/tokens`, { name: hostile.slice(0, 100) })
      const bad = hostile.slice(0, 200).replaceAll('"', '""')
      const imported = await importFile(stack, shop.handle, `Handle,Title,Variant Price\n"${bad}",Mug,"${bad}"`)
      ids = {
        agent: await makeAgent(stack, shop.handle, hostile.slice(0, 100)),
        request: await makeAgentRequest(stack, hostile.slice(0, 100)),
        operator: operator.id,
        import: imported.id,
        order: order.id,
        key: key.id,
        endpoint: (data as { id: string }).id,
        event: event?.id ?? '',
        delivery: delivery?.id ?? '',
        contact: contact.id,
        product: product.id,
        membership: (membership as { id: string }).id,
      }
    })
    afterAll(async () => {
      await browser.close()
      await stack.stop()
    })
    const named = (path: string) => path.replace(/\{(\w+)\}/, (_all, name: string) => ids[name] ?? '')
    const pathOf = (path: string) => `/s/${shop.handle}${named(path)}`

    describe.each(windows)('$width px, $colorScheme', ({ width, height, colorScheme }) => {
      let view: ConsolePage
      beforeAll(async () => {
        view = await openSignedIn(stack, browser, owner, pathOf('/orders'), {
          viewport: { width, height },
          colorScheme,
        })
      })
      afterAll(() => view.context.close())

      test.each([
        ...screens.map(([name, path]) => ({ name, at: () => pathOf(path) })),
        ...wideScreens.map(([name, path]) => ({ name, at: () => named(path) })),
      ])(
        '$name: accessible, without foreign requests, errors or sideways scrolling; names are text',
        async ({ at }) => {
          const { page, wrong, origin } = view
          await page.goto(origin + at())
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

    test.each(windows)('the shops and a new shop are accessible: $width px, $colorScheme', async (window) => {
      const { width, height, colorScheme } = window
      const options = { viewport: { width, height }, colorScheme }
      await stack.makeShop({ name: hostile.slice(100, 200) })
      const { page, context, origin, wrong } = await openSignedIn(stack, browser, owner, '/', options)
      for (const path of ['/', '/?new=1']) {
        await page.goto(origin + path)
        await isSettled(page)
        expect(await seriousFindings(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
      }
      expect(wrong).toEqual([])
      await context.close()
    })

    test('the live tail is accessible', async () => {
      const { page, context, wrong } = await openSignedIn(stack, browser, owner, pathOf('/requests/live'))
      await page.locator('.status', { hasText: /connected$/ }).waitFor()
      await stack.get('/api/v1/orders', { key: keySecret })
      await page.getByRole('list', { name: 'Live tail' }).locator('.status').waitFor()
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

    test.each(table.map(({ name }) => name))(
      'a first view of the screen %s loads at most 80 KB of script and style, compressed',
      async (name) => {
        const signedIn = await openSignedIn(stack, browser, owner, `/s/${shop.handle}`)
        const storageState = await signedIn.context.storageState()
        await signedIn.context.close()
        // A context of its own has an empty cache.
        const { page, context, origin } = await openConsole(stack, browser, { storageState })
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
        await page.goto(`${origin}${hrefOf(name, shop.handle, 'owner')}`)
        await isSettled(page)
        await Promise.all(sizes)
        expect(bytes).toBeGreaterThan(10_000)
        expect(bytes).toBeLessThanOrEqual(FIRST_VIEW_BYTES)
        await context.close()
      },
    )
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
