// The overview as a person reads it, in a real browser (docs/spec/console.md#overview).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type ConsolePage, makeOperator, openSignedIn, type Person } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { useUpBudget } from '#testing/product/used-up-budget'
import { browsers, openBrowser } from '#testing/servers/browser'
import { openReceiver, type Receiver } from '#testing/servers/receiver'
import { until } from '#testing/until'

const nobody = '00000000-0000-4000-8000-000000000000'

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    let receiver: Receiver
    let manager: Person
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
      shop = await stack.makeShop({ timeZone: 'Asia/Kathmandu' })
      manager = await makeOperator(stack, 'manager', [shop.id])
      receiver.answer(() => ({}))
    })
    afterEach(async () => {
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (search = '', person = manager, options = {}) => {
      view = await openSignedIn(stack, browser, person, `/s/${shop.handle}${search}`, options)
      page = view.page
    }
    const makeKey = async (name: string, more: object = {}) =>
      (await stack.admin('POST', `/shops/${shop.id}/keys`, { name, access: 'read', ...more })).data as {
        id: string
        secret: string
      }
    const makeEndpoint = async () =>
      (await stack.admin('POST', `/shops/${shop.id}/webhook-endpoints`, { url: receiver.url })).data as { id: string }
    const makeOrder = () => {
      const item = { title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 100 } }
      return stack.makeOrder(shop.id, { paymentMethod: 'card', customer: { name: 'Ada' }, items: [item] })
    }
    const callsAre = (calls: number) =>
      until(async () => {
        const { data } = await stack.admin('GET', `/shops/${shop.id}/usage`)
        return (data as { calls: number }[]).reduce((sum, row) => sum + row.calls, 0) === calls
      })
    const problems = () => page.getByRole('region', { name: 'Problems' })
    const pathNow = () => page.url().slice(view.origin.length + `/s/${shop.handle}`.length)

    test('the table of the graph has the calls of each key by REST and MCP, in the clock of the shop', async () => {
      const [erp, till] = [await makeKey('erp'), await makeKey('till')]
      await makeKey('unused')
      for (let call = 0; call < 3; call += 1) await stack.get('/api/v1/shop', { key: erp.secret })
      for (let call = 0; call < 2; call += 1) await stack.mcp.tool('list_orders', {}, { key: erp.secret })
      await stack.get(`/api/v1/orders/${nobody}`, { key: till.secret })
      await callsAre(6)
      await open()
      const numbers = page.getByRole('region', { name: 'The last hour' })
      await numbers.getByText('4 REST · 2 MCP').waitFor()
      await numbers.getByText('16.7 %').waitFor()
      await numbers.getByText('1 refused').waitFor()
      await page.getByText('No call in the last hour: unused.').waitFor()
      const graph = page.getByRole('slider', { name: 'Requests of erp by the minute' })
      await graph.locator('canvas').waitFor()
      expect(await graph.getAttribute('aria-valuetext')).toBe('Last hour · 3 REST, 2 MCP, 0 over budget')
      // By the keyboard from minute to minute, until the one with the calls.
      await graph.focus()
      await until(async () => {
        await page.keyboard.press('ArrowLeft')
        return /^\d\d:\d\d · [1-3] REST/.test((await graph.getAttribute('aria-valuetext')) ?? '')
      })
      await page.getByRole('button', { name: 'As table' }).click()
      const table = page.getByRole('table', { name: 'Requests of erp by the minute' })
      expect(
        (await table.getByRole('row', { name: 'Last hour' }).getByRole('cell').allInnerTexts()).slice(0, 3),
      ).toEqual(['3', '2', '0'])
      await page.reload()
      const time = table.locator('time').first()
      const at = (await time.getAttribute('datetime')) ?? ''
      const clock = { timeZone: 'Asia/Kathmandu', hour: '2-digit', minute: '2-digit', hour12: false } as const
      expect(await time.innerText()).toBe(new Intl.DateTimeFormat('en-GB', clock).format(new Date(at)))
      await page.getByRole('button', { name: 'As table' }).click()
      await graph.waitFor()
      expect(pathNow()).toBe('')
    })

    test('each problem is a sentence that leads to its cause', async () => {
      const [erp, busy] = [await makeKey('erp'), await makeKey('busy')]
      const soon = await makeKey('soon', { expiresAt: new Date(Date.now() + 86_400_000).toISOString() })
      await useUpBudget(stack, shop.id, busy.id, 20)
      for (let call = 0; call < 3; call += 1) await stack.get('/api/v1/shop', { key: busy.secret })
      await stack.post('/api/v1/contacts', { key: erp.secret, json: {} })
      for (let call = 0; call < 2; call += 1) await stack.get('/api/v1/orders?created_after=x', { key: erp.secret })
      await callsAre(6)
      receiver.answer(() => ({ status: 500 }))
      const endpoint = await makeEndpoint()
      await makeOrder()
      await until(async () => {
        const { data } = await stack.admin('GET', `/shops/${shop.id}/webhook-endpoints/${endpoint.id}`)
        return (data as { failingSince: string | null }).failingSince !== null
      })
      await open()
      const follow = async (sentence: RegExp, path: string | RegExp) => {
        await problems().getByRole('link', { name: sentence }).click()
        await until(() => (typeof path === 'string' ? pathNow() === path : path.test(pathNow())))
        await page.goBack()
      }
      await follow(
        /^Key busy was refused 3 times since \d\d:\d\d: 240 calls a minute are used up$/,
        `/requests?status=429&key=${busy.id}`,
      )
      await follow(/^Key erp was refused at .* for POST \/api\/v1\/contacts: .*write access/, /^\/requests\/[\w-]+$/)
      await follow(
        /^Key erp sent 2 wrong requests to GET \/api\/v1\/orders since .*: created_after must be/,
        `/requests?status=400&key=${erp.id}`,
      )
      await follow(/^Endpoint http:\S+ has been failing since \d\d:\d\d, last with 500; /, `/webhooks/${endpoint.id}`)
      await follow(/^Key soon expires at /, `/keys/${soon.id}`)
    })

    test('a shop where nothing fails says so', async () => {
      const { secret } = await makeKey('erp')
      await stack.get('/api/v1/shop', { key: secret })
      await makeEndpoint()
      await makeOrder()
      await callsAre(1)
      await until(() => receiver.received.length > 0)
      await open()
      await problems().getByText('Nothing has failed in the last hour.').waitFor()
      await page.getByText('1 REST · 0 MCP').waitFor()
    })

    test('a new shop says how to begin, and the steps lead to their forms', async () => {
      await open()
      const begin = page.getByRole('region', { name: 'How to begin' })
      await begin.getByRole('link', { name: 'Add an endpoint' }).waitFor()
      await begin.getByRole('link', { name: 'Import what you have' }).waitFor()
      await begin.getByRole('link', { name: 'Make a key' }).click()
      await page.getByRole('heading', { name: 'Create a key' }).waitFor()
      await makeKey('erp')
      await page.goto(`${view.origin}/s/${shop.handle}`)
      await begin.getByRole('listitem').first().getByText('done').waitFor()
    })

    test('support sees the numbers, and a step that it may not do is not offered', async () => {
      await open('', await makeOperator(stack, 'support', [shop.id]))
      await page.getByText('Nothing has called this shop yet.').waitFor()
      expect(await page.getByRole('link', { name: 'Make a key' }).count()).toBe(0)
      await problems().getByText('Nothing has failed in the last hour.').waitFor()
    })

    test('a part that is refused or fails blanks itself with its reason, and the rest stands', async () => {
      const { secret } = await makeKey('erp')
      await stack.get(`/api/v1/orders/${nobody}`, { key: secret })
      await callsAre(1)
      const answer = (status: number, code: string, message: string) => ({
        status,
        contentType: 'application/json',
        body: JSON.stringify({ error: { code, message, param: null, requestId: 'r-1', doc: '' } }),
      })
      await open()
      await page.route('**/usage?*', (route) => route.fulfill(answer(403, 'forbidden', 'Not for this role.')))
      await page.route('**/keys?*', (route) => route.fulfill(answer(503, 'unavailable', 'The service is away.')))
      await page.reload()
      const numbers = page.getByRole('region', { name: 'The last hour' })
      await numbers.getByText('Not for this role.').waitFor()
      await numbers.getByText('r-1').waitFor()
      await numbers.getByText('no endpoint').waitFor()
      await problems().getByText('Not looked at: calls, keys.').waitFor()
      // Without the names of the keys the sentences have their ids.
      await problems()
        .getByRole('link', { name: /^Key [0-9a-f]{4}…[0-9a-f]{4} was answered 404 not_found/ })
        .waitFor()
      await page.unroute('**/usage?*')
      await page.unroute('**/keys?*')
    })

    test('it is loaded again by itself, leaves what is being read, and says since when it is old', async () => {
      const { secret } = await makeKey('erp')
      await stack.get('/api/v1/orders?limit=x', { key: secret })
      await callsAre(1)
      await open()
      await page.clock.install()
      await page.reload()
      const first = problems().getByRole('link', { name: /^Key erp sent a wrong request/ })
      await first.focus()
      await stack.get(`/api/v1/orders/${nobody}`, { key: secret })
      await callsAre(2)
      await page.clock.runFor(15_000)
      await problems().getByRole('button', { name: 'There is news; show it' }).click()
      await problems()
        .getByRole('link', { name: /^Key erp was answered 404 not_found/ })
        .waitFor()
      await page.route('**/admin/v1/**', (route) => route.abort())
      await page.clock.runFor(15_000)
      await page.getByText(/^This is from \d\d:\d\d; loading it again failed\./).waitFor()
      await first.waitFor()
      await page.unroute('**/admin/v1/**')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText(/^As of \d\d:\d\d$/).waitFor()
    })

    test('a page that nobody uses is not loaded again, so that its session can end, until somebody uses it', async () => {
      await open()
      await page.clock.install()
      await page.reload()
      await problems().getByText('Nothing has failed in the last hour.').waitFor()
      // An installed clock goes on by itself, so that a slow run would load twice.
      await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 60_000)
      await page.waitForLoadState('networkidle')
      let calls = 0
      // A call that is under way when the clock jumps would be given up and sent again.
      page.on('requestfinished', (request) => {
        if (request.url().includes('/usage')) calls += 1
      })
      await page.clock.runFor(15_000)
      await until(() => calls === 1)
      await page.clock.fastForward('31:00')
      await page.clock.runFor(30_000)
      expect(calls).toBe(1)
      await page.mouse.move(300, 300)
      await until(() => calls === 2)
    })

    test('the graph has the width of its place and the colours of the scheme', async () => {
      const { secret } = await makeKey('erp')
      await stack.get('/api/v1/shop', { key: secret })
      await callsAre(1)
      await open('', manager, { colorScheme: 'light' })
      const canvas = page.getByRole('slider', { name: 'Requests of erp by the minute' }).locator('canvas')
      await canvas.waitFor()
      const has = (colour: string) => page.evaluate(hasColour(colour))
      await until(async () => (await has('#2b6a58')) === true)
      expect(await has('#7cc7ae')).toBe(false)
      await page.emulateMedia({ colorScheme: 'dark' })
      await until(async () => (await has('#7cc7ae')) === true)
      expect(await has('#2b6a58')).toBe(false)
      await page.setViewportSize({ width: 360, height: 740 })
      await until(async () => ((await canvas.boundingBox())?.width ?? 0) < 340)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    })
  })
}

/** Whether a pixel of the first graph has nearly this colour. */
function hasColour(colour: string): string {
  const parts = [1, 3, 5].map((from) => Number.parseInt(colour.slice(from, from + 2), 16))
  return `(() => {
    const canvas = document.querySelector('.plot canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    for (let pixel = 0; pixel < data.length; pixel += 4)
      if (${JSON.stringify(parts)}.every((part, index) => Math.abs(data[pixel + index] - part) <= 2)) return true
    return false
  })()`
}
