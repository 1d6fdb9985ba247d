// Imports and exports as a person makes them, in a real browser (docs/spec/console.md#import-and-export).
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { csvLine, tables } from '#export/tables'
import { importFile } from '#testing/admin-requests'
import { type ConsolePage, makeOperator, openSignedIn, type Person } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { until } from '#testing/until'

const hostile = `<img src=x onerror="document.title='broken'">`
const header = 'Handle,Title,Body (HTML),Variant Price,Colour'
/** Lines 5 and 6 have a fault; the record on line 3 ends on line 4. */
const products = [
  header,
  'mug,Blue mug,,12.50,blue',
  `bowl,"${hostile.replaceAll('"', '""')}","two\nlines",7,`,
  'cup,Cup,,=1+1,',
  `"${hostile.replaceAll('"', '""')}",Plate,,dear,`,
  'jug,Jug,,3.20,',
].join('\n')
const file = (text: string, name = 'products.csv') => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    let manager: Person
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
      manager = await makeOperator(stack, 'manager', [shop.id])
    })
    afterEach(async () => {
      expect(await page.title()).not.toBe('broken')
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (path = '', person = manager, options = {}) => {
      view = await openSignedIn(stack, browser, person, `/s/${shop.handle}/import${path}`, options)
      page = view.page
      page.setDefaultTimeout(8_000)
    }
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
    const choose = (text: string, name?: string) => page.getByLabel('Choose a file').setInputFiles(file(text, name))
    const counts = async () => {
      const list = page.locator('.counts')
      const [names, values] = [list.locator('dt').allInnerTexts(), list.locator('dd').allInnerTexts()]
      const numbers = (await values).map(Number)
      return Object.fromEntries((await names).map((name, index) => [name, numbers[index]]))
    }
    const shopList = async (name: string) => (await stack.admin('GET', `/shops/${shop.id}/${name}`)).data as object[]
    const save = async (name: string) => {
      const download = page.waitForEvent('download')
      await button(name).click()
      return readFile(await (await download).path(), 'utf8')
    }
    const shot = async (name: string) => {
      const folder = process.env.SHOTS
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
    }

    test('a file with two bad rows: the dry run names their lines, the rest is imported and in the list', async () => {
      await open()
      await page.getByText('No import yet.').waitFor()
      await choose(products)
      const report = page.getByRole('region', { name: 'Import', exact: true })
      await report.getByRole('heading', { name: 'Shopify products' }).waitFor()
      await report.getByText('5 rows read').waitFor()
      expect(await counts()).toEqual({
        'to create': 3,
        'to update': 0,
        unchanged: 0,
        'to skip': 0,
        'with a fault': 2,
      })
      const lines = page.locator('.problems tbody tr:not(.group) td:first-child')
      expect((await lines.allInnerTexts()).map(Number)).toEqual([5, 6])
      expect(await shopList('products')).toEqual([])
      const address = page.url()
      expect(address).toMatch(/\/import\/[0-9a-f-]{36}$/)
      const csv = (await save('Download as CSV')).trim().split('\r\n')
      expect(csv[0]).toBe('line,record,column,severity,code,message')
      expect(csv.slice(1).map((line) => line.split(',').slice(0, 4))).toEqual([
        ['5', '3', 'Variant Price', 'error'],
        ['6', '4', 'Variant Price', 'error'],
      ])
      await shot('dry-run')
      await button('Import 5 rows').click()
      await report.getByRole('link', { name: 'Show the products' }).waitFor()
      expect(await counts()).toMatchObject({ created: 3, 'with a fault': 2 })
      expect((await lines.allInnerTexts()).map(Number)).toEqual([5, 6])
      expect((await save('Download as CSV')).trim().split('\r\n')).toHaveLength(3)
      expect(page.url()).not.toBe(address)
      await shot('imported')
      const rows = page.getByRole('table', { name: 'Import and export' }).getByRole('row')
      await until(async () => (await rows.count()) === 3) // The head, the dry run and the import.
      await page.getByRole('link', { name: 'Show the products' }).click()
      const listed = page.getByRole('table', { name: 'Products' }).getByRole('rowheader')
      await page.getByText('Blue mug').waitFor()
      expect((await listed.allInnerTexts()).toSorted()).toEqual([hostile, 'Blue mug', 'Jug'].toSorted())
    })

    test('a reload keeps the report, and says that the file has to be chosen again', async () => {
      await open()
      await choose(products)
      await button('Import 5 rows').waitFor()
      await page.reload()
      await page.getByText('5 rows read').waitFor()
      await page.getByText('Choose the file again to import it.').waitFor()
      expect(await button('Import 5 rows').count()).toBe(0)
      expect(await page.locator('.problems tbody tr:not(.group)').count()).toBe(2)
      await page.goto(`${view.origin}/s/${shop.handle}/import`)
      await page.getByRole('rowheader', { name: 'Shopify products dry run' }).click()
      await page.getByText('5 rows read').waitFor()
    })

    test('an unknown format says so; another format can be chosen, which checks the file again', async () => {
      await open()
      await choose('a,b\n1,2', `${hostile.replace('/', '')}.csv`)
      await page.getByText('The header is of no format that can be imported.').waitFor()
      await page.getByText(`${hostile}.csv`).waitFor()
      expect(await button(/^Import \d/).count()).toBe(0)
      await shot('unknown')
      await page.getByLabel('Read as').selectOption('Shopify products')
      await page.getByText(/^The file has no column/).waitFor()
      expect(await page.getByLabel('Read as').inputValue()).toBe('shopify-products')
    })

    test('a file that is dropped on the page is checked; orders have their own choices', async () => {
      await open()
      const orders = [
        'Name,Email,Currency,Total,Lineitem quantity,Lineitem name,Lineitem price,Created at',
        '#1,ada@example.com,GBP,5.00,1,Mug,5.00,2026-01-02 10:00:00 +0000',
      ]
      const data = await page.evaluateHandle(`(() => {
        const data = new DataTransfer()
        data.items.add(new File([${JSON.stringify(orders.join('\n'))}], 'orders.csv'))
        return data
      })()`)
      await page.locator('body').dispatchEvent('dragover', { dataTransfer: data })
      await page.locator('.drop.over').waitFor()
      await page.locator('body').dispatchEvent('drop', { dataTransfer: data })
      await page.getByRole('heading', { name: 'Shopify orders' }).waitFor()
      await page.getByLabel('Make contacts of the buyers').click()
      await until(async () => (await counts())['to create'] === 2)
      await button('Import 1 row').click()
      await page.getByRole('link', { name: 'Show the orders' }).waitFor()
      expect(await shopList('contacts')).toHaveLength(1)
      expect(await shopList('orders')).toHaveLength(1)
    })

    test('a check can be cancelled while the file is sent, and nothing was done', async () => {
      await open()
      let letGo = () => {}
      const held = new Promise<void>((resolve) => (letGo = resolve))
      await page.route('**/imports?*dry_run*', async (route) => {
        await held
        await route.abort()
      })
      await choose(products)
      await page.getByRole('status').getByText('products.csv').waitFor()
      await shot('sending')
      await button('Cancel').click()
      await page.getByLabel('Choose a file').waitFor({ state: 'attached' })
      letGo()
      expect(await shopList('imports')).toEqual([])
    })

    test('a call that fails says why with the id of the request, and can be tried again', async () => {
      await open()
      const refusal = { error: { code: 'invalid_request', message: 'No place for it.' } }
      const headers = { 'x-request-id': 'refused-1' }
      await page.route('**/imports?*dry_run*', (route) => route.fulfill({ status: 400, headers, json: refusal }))
      await choose(products)
      const alert = page.getByRole('alert')
      await alert.getByText('No place for it.').waitFor()
      expect(await alert.innerText()).toContain('refused-1')
      await page.unroute('**/imports?*dry_run*')
      await alert.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('5 rows read').waitFor()
    })

    test('a viewer reads the reports and is refused an import', async () => {
      const { id } = await importFile(stack, shop.handle, products)
      const viewer = await makeOperator(stack, 'viewer', [shop.id])
      await open(`/${id}`, viewer)
      await page.getByText('5 rows read').waitFor()
      await page.getByText('Your role may only read.').waitFor()
      expect(await page.getByLabel('Choose a file').isDisabled()).toBe(true)
      await page
        .locator('body')
        .dispatchEvent('drop', { dataTransfer: await page.evaluateHandle('new DataTransfer()') })
      expect(await shopList('imports')).toHaveLength(1)
      await shot('viewer')
    })

    test('exports have the columns of the lists, and all rows', async () => {
      await importFile(stack, shop.handle, products)
      await stack.makeOrder(shop.id, {
        paymentMethod: 'card',
        customer: { name: 'Ada', email: 'ada@example.com' },
        items: [{ title: '=1+1', kind: 'physical', quantity: 1, unitPrice: { cents: 500 } }],
      })
      await open()
      const csv = (await save('Orders as CSV')).split('\r\n')
      expect(`${csv[0]}\r\n`).toBe(csvLine(tables.orders.columns))
      expect(csv[1]).toContain("'=1+1")
      await page.getByText('1 object saved.').waitFor()
      const lines = (await save('Products as NDJSON')).trim().split('\n')
      expect(lines).toHaveLength(3)
      await page.getByText('3 objects saved.').waitFor()
      expect((await save('Memberships as CSV')).trim()).toMatch(/^id,status,product_id,contact_id,/)
      await shot('exports')
    })

    test('support exports no contacts, and orders without persons', async () => {
      await stack.makeOrder(shop.id, {
        paymentMethod: 'card',
        customer: { name: 'Ada', email: 'ada@example.com' },
        items: [{ title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 500 } }],
      })
      await open('', await makeOperator(stack, 'support', [shop.id]))
      await page.getByText('not for your role: contacts are personal data').waitFor()
      expect(await button('Contacts as CSV').count()).toBe(0)
      const csv = await save('Orders as CSV')
      expect(csv).toContain('Mug')
      expect(csv).not.toContain('ada@example.com')
    })

    test('an export can be cancelled and saves nothing', async () => {
      await open()
      await page.route('**/contacts?*', () => undefined) // Never answered.
      await button('Contacts as NDJSON').click()
      await page.getByText('0 objects so far').waitFor()
      await button('Cancel').click()
      await page.getByText('Cancelled. Nothing was saved.').waitFor()
      await button('Contacts as NDJSON').waitFor()
    })

    test.each([
      ['360-light', 360, 'light'],
      ['360-dark', 360, 'dark'],
      ['1280-light', 1280, 'light'],
      ['1280-dark', 1280, 'dark'],
    ] as const)('SHOT %s', async (name, width, colorScheme) => {
      await open('', manager, { viewport: { width, height: 800 }, colorScheme })
      await page.getByText('No import yet.').waitFor()
      await shot(`empty-${name}`)
      await choose(products)
      await button('Import 5 rows').waitFor()
      await shot(`dry-${name}`)
      await button('Import 5 rows').click()
      await page.getByRole('link', { name: 'Show the products' }).waitFor()
      await shot(`done-${name}`)
      await page.goto(`${view.origin}/s/${shop.handle}/import`)
      await page.getByRole('rowheader').first().waitFor()
      await shot(`list-${name}`)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    })
  })
}
