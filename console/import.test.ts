// Imports as a person makes them, in a real browser (docs/spec/console.md#import-and-export).
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { importFile } from '#testing/admin-requests'
import { openClient } from '#testing/database'
import { type ConsolePage, makeOperator, openSignedIn, type Person } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { until } from '#testing/until'
import { screenOf } from './src/screens/import/formats.ts'
import { groupsOf } from './src/screens/import/problems.ts'

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
const orderHeader = 'Name,Email,Currency,Total,Lineitem quantity,Lineitem name,Lineitem price,Created at'
const file = (text: string, name = 'products.csv') => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

const problem = {
  record: 1,
  key: 'mug',
  value: null,
  column: 'Title',
  code: 'money',
  message: 'Wrong.',
  severity: 'error' as const,
}

test('problems are grouped by kind, faults first, with their number in the whole file', () => {
  const errors = [
    { ...problem, line: 9, severity: 'warning' as const, code: 'bad_phone' },
    { ...problem, line: 7, message: '=1+1' },
    { ...problem, line: 3, column: null },
    { ...problem, line: null, code: 'interrupted' },
  ]
  const groups = groupsOf({ errors, problemCounts: { money: 40, interrupted: 1, bad_phone: 70 } })
  expect(groups.map(({ code, count, problems }) => [code, count, problems.map(({ line }) => line)])).toEqual([
    ['money', 40, [3, 7]],
    ['interrupted', 1, [null]],
    ['bad_phone', 70, [9]],
  ])
})

test('the report of an import leads to the list that has its objects', () => {
  const ofExports = ['products', 'orders', 'contacts', 'subscriptions'].map((list) => screenOf(`storefront-${list}`))
  expect(ofExports).toEqual(['products', 'orders', 'contacts', 'memberships'])
  expect([screenOf('retail'), screenOf('shopify-customers'), screenOf(null)]).toEqual(['orders', 'contacts', null])
})

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
      await page.getByRole('link', { name }).click()
      return readFile(await (await download).path(), 'utf8')
    }
    const drop = async (...texts: string[]) => {
      const dataTransfer = await page.evaluateHandle(`(() => {
        const data = new DataTransfer()
        for (const text of ${JSON.stringify(texts)}) data.items.add(new File([text], 'dropped.csv'))
        return data
      })()`)
      for (const type of ['dragover', 'drop']) await page.locator('body').dispatchEvent(type, { dataTransfer })
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
      const csv = (await save('Download all problems')).trim().split('\r\n')
      expect(csv[0]).toBe('line,object,code,column,value,advice')
      expect(csv[1]).toBe(`5,cup,money,Variant Price,'=1+1,"Write the amount as 1234.50, without a currency sign."`)
      expect(csv).toHaveLength(3)
      await page.getByRole('region', { name: 'Import this file' }).getByRole('button', { name: 'See how' }).click()
      await button('Command').click()
      expect(await page.locator('.ways pre').innerText()).toBe(`storefront import ./products.csv --shop ${shop.handle}`)
      await page.keyboard.press('Escape')
      await button('Import 5 rows').click()
      await report.getByRole('link', { name: 'Show the products' }).waitFor()
      expect(await counts()).toMatchObject({ created: 3, 'with a fault': 2 })
      expect((await lines.allInnerTexts()).map(Number)).toEqual([5, 6])
      expect((await save('Download all problems')).trim().split('\r\n')).toHaveLength(3)
      expect(page.url()).not.toBe(address)
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

    test('an unknown format says so once; another format can be chosen, which checks the file again', async () => {
      await open()
      await choose('a,b\n1,2', `${hostile.replace('/', '')}.csv`)
      await page.getByText('The header is of no format that can be imported.').waitFor()
      await page.getByText(`${hostile}.csv`).waitFor()
      expect(await button(/^Import \d/).count()).toBe(0)
      await page.getByLabel('Read as').selectOption('Shopify products')
      await page.getByText(/^The file has no column/).waitFor()
      await page.getByText('Export the file again with the columns that are missing.').waitFor()
      expect(await page.getByLabel('Read as').inputValue()).toBe('shopify-products')
    })

    test('a file that is dropped on the page is checked; orders have their own choices', async () => {
      await open()
      await drop(`${orderHeader}\n#1,ada@example.com,GBP,5.00,1,Mug,5.00,2026-01-02 10:00:00 +0000`)
      await page.getByRole('heading', { name: 'Shopify orders' }).waitFor()
      await page.getByLabel('Make contacts of the buyers').click()
      await until(async () => (await counts())['to create'] === 2)
      await button('Import 1 row').click()
      await page.getByRole('link', { name: 'Show the orders' }).waitFor()
      expect(await shopList('contacts')).toHaveLength(1)
      expect(await shopList('orders')).toHaveLength(1)
    })

    test('an import goes on without its page, and is cancelled from another one, which says what it did until then', async () => {
      await open()
      // More than one batch, so that there is a rest to be left out.
      const many = Array.from({ length: 2_000 }, (_, index) => `cup-${index},Cup,,1,`)
      await choose([header, ...many].join('\n'))
      await button('Import 2,000 rows').waitFor()
      const database = await openClient(stack.databaseUrl)
      await database.query('begin; lock table catalog.products in share mode')
      await button('Import 2,000 rows').click()
      await page.getByText(/^[\d]+ of 2,000 done/).waitFor()
      await page.getByRole('row').getByText('running').waitFor()
      const address = page.url()
      let asked = false
      page.on('dialog', () => (asked = true))
      await page.close({ runBeforeUnload: true }) // Nothing asks.
      expect(asked).toBe(false)
      page = await view.context.newPage()
      await page.goto(address)
      await page.getByText(/^[\d]+ of 2,000 done/).waitFor()
      await button('Cancel the import').click()
      await page.getByRole('status').getByText('Cancelling').waitFor()
      expect(await button('Cancel the import').isDisabled()).toBe(true)
      const updatedAt = async () => ((await shopList('imports')) as { updatedAt: string }[])[0]?.updatedAt
      for (let reports = 0; reports < 2; reports += 1) {
        const last = await updatedAt()
        await until(async () => (await updatedAt()) !== last) // The worker has seen the cancellation.
      }
      await database.close() // Ends its transaction too.
      await page.getByText('What was imported before stays').waitFor()
      await page.getByRole('table', { name: 'Import and export' }).getByText('cancelled').waitFor()
      const [cancelled] = (await shopList('imports')) as { created: number }[]
      expect(await counts()).toMatchObject({ created: cancelled?.created })
    })

    test('a file above the limit is refused before it is sent, and so are two files', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'storefront-large-'))
      const large = join(folder, 'large.csv')
      await writeFile(large, '')
      await truncate(large, 6_000_000_000) // It takes no room
      await open()
      await page.getByLabel('Choose a file').setInputFiles(large)
      await page.getByText('The file has 6.0 GB; an import takes at most 5.4 GB.').waitFor()
      await drop('a,b', 'c,d')
      await page.getByText('One file at a time').waitFor()
      expect(await shopList('imports')).toEqual([])
      await rm(folder, { recursive: true })
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
      await drop(products)
      expect(await page.locator('.job').count()).toBe(0)
      expect(await shopList('imports')).toHaveLength(1)
    })
  })
}
