// Exports of whole lists as a person makes them, in a real browser (docs/spec/console.md#import-and-export).
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { objectTables } from '#export/columns'
import { csvLine } from '#export/csv'
import { openRows } from '#export/rows'
import { importFile } from '#testing/admin-requests'
import { type ConsolePage, makeOperator, openSignedIn } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'

const products = ['Handle,Title,Variant Price', 'mug,Mug,12.50', 'bowl,Bowl,7', 'jug,Jug,3.20'].join('\n')
const order = {
  paymentMethod: 'card',
  customer: { name: 'Ada', email: 'ada@example.com' },
  items: [{ title: '=1+1', kind: 'physical', quantity: 1, unitPrice: { cents: 500 } }],
}

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
    const open = async (role: 'manager' | 'support' = 'manager') => {
      const person = await makeOperator(stack, role, [shop.id])
      view = await openSignedIn(stack, browser, person, `/s/${shop.handle}/import`)
      page = view.page
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const save = async (name: string) => {
      const download = page.waitForEvent('download')
      await button(name).click()
      return readFile(await (await download).path(), 'utf8')
    }

    test('exports have the columns of the lists, and all rows', async () => {
      await importFile(stack, shop.handle, products)
      await stack.makeOrder(shop.id, order)
      await open()
      const csv = (await save('Orders as CSV')).split('\r\n')
      expect(`${csv[0]}\r\n`).toBe(csvLine(openRows(objectTables.orders, null).header))
      expect(csv[1]).toContain("'=1+1")
      await page.getByText('1 saved').waitFor()
      const lines = (await save('Products as NDJSON')).trim().split('\n')
      expect(lines).toHaveLength(3)
      await page.getByText('3 saved').waitFor()
      expect((await save('Memberships as CSV')).trim()).toMatch(/^id,status,productId,clientId,/)
    })

    test('support exports no contacts, and orders without persons', async () => {
      await stack.makeOrder(shop.id, order)
      await open('support')
      await page.getByText('not for your role: contacts are personal data').waitFor()
      expect(await button('Contacts as CSV').count()).toBe(0)
      const csv = await save('Orders as CSV')
      expect(csv).toContain("'=1+1")
      expect(csv).not.toContain('ada@example.com')
    })

    test('an export can be cancelled and saves nothing', async () => {
      await open()
      await page.route('**/contacts?*', () => undefined) // Never answered.
      await button('Contacts as NDJSON').click()
      await page.getByText('0 so far').waitFor()
      await button('Cancel').click()
      await page.getByText('cancelled').waitFor()
      await button('Contacts as NDJSON').waitFor()
    })
  })
}
