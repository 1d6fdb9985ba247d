// Products as a person works with them, in a real browser (docs/spec/console.md#screens).
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type ConsolePage, makeOperator, openSignedIn } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'

const mug = {
  title: 'Blue mug',
  description: 'Holds a quarter of a litre.',
  kind: 'physical',
  price: { cents: 1_250 },
  trackInventory: true,
  isPublished: true,
  variants: [
    { sku: 'MUG-S', options: { Size: 'small' }, stock: 3 },
    { sku: 'MUG-L', options: { Size: 'large' }, price: { cents: 1_550 }, stock: 0 },
  ],
}
const guide = { title: 'Guide', kind: 'digital', price: { cents: 500 }, isPublished: false }

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
    const open = async (path = '', role: Parameters<typeof makeOperator>[1] = 'manager') => {
      const person = await makeOperator(stack, role, [shop.id])
      view = await openSignedIn(stack, browser, person, `/s/${shop.handle}/products${path}`)
      page = view.page
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const titles = () => page.getByRole('table', { name: 'Products' }).getByRole('rowheader').allInnerTexts()

    test('a product shows its variants with price and stock', async () => {
      await stack.makeProduct(shop.id, mug)
      await open()
      await page.getByRole('link', { name: 'Blue mug' }).click()
      await page.getByText('Holds a quarter of a litre.').waitFor()
      const rows = page.getByRole('region', { name: 'Variants' }).getByRole('row')
      expect(await rows.nth(1).innerText()).toMatch(/small MUG-S.*available.*3.*£12\.50/s)
      expect(await rows.nth(2).innerText()).toMatch(/large MUG-L.*sold out.*0.*£15\.50/s)
    })

    test('a draft is published, here and in its row', async () => {
      const { id } = await stack.makeProduct(shop.id, guide)
      await open(`/${id}`)
      await button('Unpublish').press('Enter')
      await page.getByText('Unpublish: it is a draft').waitFor()
      await button('Publish').click()
      await page.getByText('Published. Buyers can see it now.').waitFor()
      await page.getByRole('row', { name: /Guide/ }).getByText('published').waitFor()
      const { data } = await stack.admin('GET', `/shops/${shop.id}/products/${id}`)
      expect(data).toMatchObject({ isPublished: true })
    })

    test('the filters of the API stand in the address, and the rest of it is named', async () => {
      await stack.makeProduct(shop.id, mug)
      await stack.makeProduct(shop.id, guide)
      await open('?kind=digital,physical&published=maybe')
      await page.getByText('Left out of the address').waitFor()
      await page.getByText('Guide').waitFor()
      expect(await titles()).toEqual(['Guide', 'Blue mug'])
      await button('+ filter').click()
      await button('published').click()
      await button('false').click()
      await page.getByText('Blue mug').waitFor({ state: 'detached' })
      expect(await titles()).toEqual(['Guide'])
      await button('See how').click()
      await button('Command').click()
      const command = `storefront products list --shop ${shop.handle} --kind digital,physical --no-published`
      expect(await page.locator('.ways pre').innerText()).toBe(command)
    })

    test('an export has the variants, which the list leaves out', async () => {
      const { id } = await stack.makeProduct(shop.id, mug)
      await open()
      await page.getByText('Blue mug').waitFor()
      await button('Export').click()
      const download = page.waitForEvent('download')
      await button('NDJSON').click()
      const line = await readFile(await (await download).path(), 'utf8')
      const { data } = await stack.admin('GET', `/shops/${shop.id}/products/${id}`)
      expect(JSON.parse(line)).toMatchObject(data as object)
    })

    test('a page is unpublished at once', async () => {
      await stack.makeProduct(shop.id, mug)
      await stack.makeProduct(shop.id, { ...guide, isPublished: true })
      await open()
      await page.getByLabel('Choose this page').click()
      await button('Unpublish').click()
      await page.getByText('2 unpublished').waitFor()
    })

    test('a product with variants is created in an empty shop, and opens; a refusal stands at its field', async () => {
      await open()
      await page.getByText('No product yet.').waitFor()
      await page.getByRole('link', { name: 'New product' }).first().click()
      await page.getByRole('heading', { name: 'New product' }).waitFor()
      await page.getByLabel('Title').fill('Blue mug')
      await page.getByLabel('Price in GBP').fill('twelve')
      await button('Create the product').click()
      await page
        .getByRole('alert')
        .getByText(/^price\.cents/)
        .waitFor()
      expect(await page.locator(':focus').getAttribute('aria-invalid')).toBe('true')
      await page.getByRole('alert').getByText('Request').waitFor()
      await page.getByLabel('Price in GBP').fill('12.50')
      await page.getByLabel('Description').fill('Holds a quarter of a litre.')
      await page.getByLabel('Count the stock').check()
      for (const size of ['small', 'large']) {
        await button('Add a variant').click()
        const variant = page.getByRole('group', { name: /^Variant \d$/ }).last()
        await variant.getByLabel('Size').fill(size)
        await variant.getByLabel('Stock').fill('3')
      }
      await page.getByRole('group', { name: 'Variant 2' }).getByLabel('Price in GBP').fill('15')
      await page.getByLabel('Tags').fill('Gift\nkitchen, home')
      await button('Create the product').click()
      await page.getByRole('heading', { level: 2, name: 'Blue mug' }).waitFor()
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      const { data } = await stack.admin('GET', `/shops/${shop.id}/products/${id}`)
      expect(data).toMatchObject({
        price: { cents: 1_250 },
        stock: 6,
        tags: ['gift', 'kitchen, home'],
        variants: [
          { options: { Size: 'small' }, price: { cents: 1_250 } },
          { options: { Size: 'large' }, price: { cents: 1_500 } },
        ],
      })
      await page.getByRole('row', { name: /Blue mug/ }).waitFor() // In the list beside it.
    })

    test('the form of a product stands in the address, and what is bought meanwhile stays bought', async () => {
      const { id } = await stack.makeProduct(shop.id, mug)
      await open(`/${id}`)
      await button('Change').click()
      await page.reload()
      await page.getByLabel('Title').fill('Green mug')
      await page.goBack()
      await page.getByLabel('Title').waitFor({ state: 'detached' })
      await page.goForward()
      await page.getByLabel('Title').fill('Green mug')
      const { data: read } = await stack.admin('GET', `/shops/${shop.id}/products/${id}`)
      const [small] = (read as { variants: { id: string }[] }).variants
      const item = { productId: id, variantId: small?.id, quantity: 2 }
      await stack.makeOrder(shop.id, { paymentMethod: 'card', customer: { email: 'a@example.com' }, items: [item] })
      await page.getByRole('group', { name: 'Variant 2' }).getByLabel('Stock').fill('8')
      await button('Save').click()
      await page.getByText('Changed.', { exact: true }).waitFor()
      expect(new URL(page.url()).search).toBe('')
      await page.getByRole('row', { name: /Green mug/ }).waitFor()
      const { data } = await stack.admin('GET', `/shops/${shop.id}/products/${id}`)
      expect(data).toMatchObject({ title: 'Green mug', variants: [{ stock: 1 }, { stock: 8 }] })
    })

    test('a viewer is told why nothing can be changed, and sees no form', async () => {
      const { id } = await stack.makeProduct(shop.id, mug)
      await open(`/${id}?edit`, 'viewer')
      await button('Change').press('Enter')
      await page.getByText('Change: your role may only read').waitFor()
      expect(await page.locator('form').count()).toBe(0)
      expect(await page.getByRole('link', { name: 'New product' }).count()).toBe(0)
      await page.goto(`${view.origin}/s/${shop.handle}/products/new`)
      await page.getByText('Your role may only read.').waitFor()
    })
  })
}
