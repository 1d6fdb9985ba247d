// Orders as a person works with them, in a real browser (docs/spec/console.md#screens).
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { objectTables } from '#export/columns'
import { csvLine } from '#export/csv'
import { openRows } from '#export/rows'
import { type ConsolePage, makeOperator, openSignedIn, type Person } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { openReceiver, type Receiver } from '#testing/servers/receiver'

type Json = Record<string, unknown>

const item = { title: 'Blue mug', kind: 'physical', quantity: 1, unitPrice: { cents: 1_250 } }
const order = (email: string, more: Json = {}) => ({
  paymentMethod: 'bank_transfer',
  customer: { name: `Buyer ${email.split('@')[0]}`, email },
  items: [item],
  ...more,
})

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
      shop = await stack.makeShop()
      manager = await makeOperator(stack, 'manager', [shop.id])
    })
    afterEach(async () => {
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (path = '', person = manager, options = {}) => {
      view = await openSignedIn(stack, browser, person, `/s/${shop.handle}/orders${path}`, options)
      page = view.page
    }
    const place = (email: string, more?: Json) => stack.makeOrder(shop.id, order(email, more))
    const buyers = () => page.getByRole('table', { name: 'Orders' }).getByRole('rowheader').allInnerTexts()
    const button = (name: string) => page.getByRole('button', { name, exact: true })

    test('after "Ship" the event and its delivery with the answer of the receiver appear on the same page', async () => {
      const endpoint = { url: `${receiver.url}/hook`, events: ['order.*'] }
      await stack.admin('POST', `/shops/${shop.id}/webhook-endpoints`, endpoint)
      receiver.answer(() => ({ body: 'thank you' }))
      const { id } = await place('ada@example.com')
      await open(`/${id}`)
      await page.getByText('order.created').waitFor()
      await button('Ship').click()
      await page.getByLabel('Tracking number').fill('1Z999')
      await page.locator('form').getByRole('button', { name: 'Ship' }).click()
      await page.getByText('Shipped. order.shipped was sent to 1 endpoint.').waitFor()
      const event = page.getByRole('listitem').filter({ hasText: 'order.shipped' })
      await event.getByText('delivered').waitFor()
      await event.getByText('Attempts', { exact: true }).click()
      await event.getByText('thank you').waitFor()
      await event.getByText('Body', { exact: true }).click()
      const shown = JSON.parse(await event.locator('.json pre').innerText()) as { id: string }
      const sent = receiver.received.find(({ body }) => body.includes('"order.shipped"'))
      expect(shown).toEqual(JSON.parse(sent?.body ?? ''))
      await page.getByText('by manager of a test').waitFor()
      // The row of the list beside it has the new status as well.
      await page
        .getByRole('row', { name: /Buyer ada/ })
        .getByText('shipped')
        .waitFor()
    })

    test('a move that is not possible is grey and says why, and a refund names its sum', async () => {
      const { id } = await place('ada@example.com')
      await stack.admin('POST', `/shops/${shop.id}/orders/${id}/mark-paid`)
      await open(`/${id}`)
      const complete = button('Complete')
      expect(await complete.getAttribute('aria-disabled')).toBe('true')
      await complete.press('Enter')
      await page.getByText('Complete: ship or confirm it first').waitFor()
      await button('Refund £12.50').click()
      await page.getByLabel('Amount in GBP').fill('2.50')
      await page.locator('form').getByRole('button', { name: 'Refund £2.50' }).click()
      await page.getByText(/^Refunded\./).waitFor()
      await button('Refund £10.00').waitFor()
    })

    test('a refused call shows the words of the API and the id of the request', async () => {
      const { id } = await place('ada@example.com')
      await open(`/${id}`)
      await button('Confirm').waitFor()
      await stack.admin('POST', `/shops/${shop.id}/orders/${id}/cancel`)
      await button('Confirm').click()
      const text = await page.getByRole('alert').innerText()
      expect(text).toContain('confirm is not possible')
      expect(text).toMatch(/Request [0-9a-f-]{36}/)
    })

    test('a viewer reads everything and is refused every change', async () => {
      const { id } = await place('ada@example.com')
      await open(`/${id}`, await makeOperator(stack, 'viewer', [shop.id]))
      await button('Confirm').press('Enter')
      await page.getByText('Confirm: your role may only read').waitFor()
      expect(await page.getByText('Place a test order').count()).toBe(0)
      expect(await page.getByRole('checkbox').count()).toBe(0)
    })

    test('filters stand in the address, survive a reload and Back, and what is not valid is left out and named', async () => {
      await place('ada@example.com')
      const { id } = await place('bob@example.com')
      await stack.admin('POST', `/shops/${shop.id}/orders/${id}/confirm`)
      await open()
      await button('+ filter').click()
      await button('status').click()
      await page.getByLabel('confirmed').click()
      await page.getByText('Buyer ada').waitFor({ state: 'detached' })
      expect(await buyers()).toEqual(['Buyer bob'])
      expect(new URL(page.url()).search).toBe('?status=confirmed')
      await page.reload()
      await page.getByText('Buyer bob').waitFor()
      expect(await buyers()).toEqual(['Buyer bob'])
      await page.goBack()
      await page.getByText('Buyer ada').waitFor()
      await page.goto(`${view.origin}/s/${shop.handle}/orders?status=confirmed,mine&created_after=yesterday&colour=red`)
      await page.getByText('Left out of the address').waitFor()
      const said = await page.getByText('Left out of the address').innerText()
      expect(said).toContain('status=confirmed,mine, colour=red')
      await page.getByText('since yesterday').waitFor()
      await page.getByText('Buyer ada').waitFor()
      expect(await buyers()).toEqual(['Buyer bob', 'Buyer ada'])
    })

    test('a cursor that the API does not know leads to the first page, and the page says so', async () => {
      await place('ada@example.com')
      await open('?cursor=nonsense')
      await page.getByText('Buyer ada').waitFor()
      await page.getByText(/Left out of the address.*cursor/).waitFor()
    })

    test('"older" and "newer" go through the pages; all that match are moved with a result for each row', async () => {
      const emails = Array.from({ length: 60 }, (_, index) => `b${String(index).padStart(2, '0')}@example.com`)
      for (const email of emails) await place(email)
      const refused = (await place('cancelled@example.com')).id
      await stack.admin('POST', `/shops/${shop.id}/orders/${refused}/cancel`)
      await open()
      expect(await buyers()).toHaveLength(50)
      await button('Older ›').click()
      await page.getByText('Buyer b00').waitFor()
      expect(await buyers()).toHaveLength(11)
      await button('‹ Newer').click()
      await page.getByText('Buyer b59').waitFor()
      expect(await buyers()).toHaveLength(50)
      await page.getByLabel('Choose this page').click()
      await button('Choose all that match').click()
      await button('Confirm').click()
      await page.getByText('60 confirmed, 1 refused').waitFor()
      await page.getByText('The order is cancelled').waitFor()
      const download = page.waitForEvent('download')
      await button('Download what was refused').click()
      const file = await readFile(await (await download).path(), 'utf8')
      expect(file.trim().split('\r\n')[1]).toMatch(new RegExp(`^${refused},conflict,`))
      const { data } = await stack.admin('GET', `/shops/${shop.id}/orders?status=confirmed&limit=100`)
      expect(data).toHaveLength(60)
    })

    test('an export has exactly the filter, and as CSV the columns of the command line', async () => {
      await place('ada@example.com')
      await place('bob@example.com', { note: '=1+1' })
      await open('?email=bob@example.com')
      await page.getByText('Buyer bob').waitFor()
      const save = async (form: string) => {
        await button('Export').click()
        const download = page.waitForEvent('download')
        await button(form).click()
        return readFile(await (await download).path(), 'utf8')
      }
      const csv = (await save('CSV')).split('\r\n')
      expect(`${csv[0]}\r\n`).toBe(csvLine(openRows(objectTables.orders, null).header))
      expect(csv).toHaveLength(3)
      expect(csv[1]).toContain("'=1+1")
      const lines = (await save('NDJSON')).trim().split('\n')
      const { data } = await stack.admin('GET', `/shops/${shop.id}/exports/orders?email=bob@example.com`)
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(data)
    })

    test('a list is shown as curl, as a command and as an MCP call, and the curl line answers the same rows', async () => {
      await place('ada@example.com')
      await open('?status=new')
      await page.getByText('Buyer ada').waitFor()
      await button('See how').click()
      const pre = page.locator('.ways pre')
      const curl = await pre.innerText()
      expect(curl).toContain(`'${view.origin}/admin/v1/shops/${shop.handle}/orders?status=new'`)
      expect(curl).toContain('$STOREFRONT_TOKEN')
      await button('Command').click()
      expect(await pre.innerText()).toBe(`storefront orders list --shop ${shop.handle} --status new`)
      await button('MCP call').click()
      const { params } = JSON.parse(await pre.innerText()) as { params: unknown }
      expect(params).toEqual({ name: 'list_orders', arguments: { status: 'new' } })
    })

    test('the palette finds an order by its id and by the email of its buyer', async () => {
      const { id } = await place('ada@example.com')
      await open()
      for (const text of [id, 'ada@example.com']) {
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox').waitFor()
        await page.keyboard.type(text)
        await page.getByRole('option', { name: /Buyer ada.*Orders/ }).waitFor()
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { level: 2, name: 'Buyer ada' }).waitFor()
        expect(new URL(page.url()).pathname).toBe(`/s/${shop.handle}/orders/${id}`)
        await button('Close').click()
      }
    })

    test('the keyboard goes through the rows, chooses, opens and copies', async () => {
      const { id } = await place('ada@example.com')
      await place('bob@example.com')
      await open('', manager, { permissions: ['clipboard-read', 'clipboard-write'] })
      await page.getByText('Buyer ada').waitFor()
      for (const key of ['j', 'j', 'k', 'j', 'x', 'c']) await page.keyboard.press(key)
      await page.getByText('1 chosen').waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`/orders/${id}'`)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 2, name: 'Buyer ada' }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('Next row').waitFor()
    })

    test('an empty shop says how to fill it, and a test order is placed and opens', async () => {
      await open()
      await page.getByText('No order yet.').waitFor()
      await page.getByRole('link', { name: 'Place a test order' }).first().click()
      await page.getByLabel('Price in GBP').fill('7.50')
      await button('Place the order').click()
      await page.getByRole('heading', { level: 2, name: 'Test buyer' }).waitFor()
      await page.locator('.sum', { hasText: '£7.50' }).waitFor()
    })

    test('the buyer and the address of an order are corrected, and the history says who did it', async () => {
      const { id } = await place('ada@example.com')
      await open(`/${id}?edit`)
      await page.getByLabel('Email of the buyer').fill('nobody')
      await button('Save').click()
      await page
        .locator('.field-problem')
        .getByText(/^customer\.email/)
        .waitFor()
      await page.getByLabel('Email of the buyer').fill('lovelace@example.com')
      await page.getByLabel('City').fill('London')
      await page.getByLabel('Private note').fill('Rings twice.')
      await button('Save').click()
      await page.getByText('Changed.', { exact: true }).waitFor()
      await page.locator('.time-line').getByText('Changed', { exact: true }).waitFor()
      const { data } = await stack.admin('GET', `/shops/${shop.id}/orders/${id}`)
      expect(data).toMatchObject({
        customer: { name: 'Buyer ada', email: 'lovelace@example.com' },
        address: { city: 'London' },
      })
    })

    test('a part that fails leaves the rest of the page, and can be loaded again', async () => {
      const { id } = await place('ada@example.com')
      await open()
      await page.getByText('Buyer ada').waitFor()
      await page.route('**/history?**', (route) => route.fulfill({ status: 404, body: '{}' }))
      await page.goto(`${view.origin}/s/${shop.handle}/orders/${id}`)
      await page.getByText('order.created').waitFor()
      await page.getByText('1 × Blue mug').waitFor()
      await page.unroute('**/history?**')
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
      await page.locator('.time-line').getByText('Placed', { exact: true }).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
    })
  })
}
