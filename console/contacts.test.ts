// Contacts as a person works with them, in a real browser (docs/spec/console.md#screens).
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { objectTables } from '#export/columns'
import { csvLine } from '#export/csv'
import { openRows } from '#export/rows'
import { type ConsolePage, makeOperator, openSignedIn } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { until } from '#testing/until'

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
      view = await openSignedIn(stack, browser, person, `/s/${shop.handle}/contacts${path}`)
      page = view.page
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const names = () => page.getByRole('table', { name: 'Contacts' }).getByRole('rowheader').allInnerTexts()
    const address = { line1: '12 St James’s Square', city: 'London', postalCode: 'SW1Y 4JH', country: 'GB' }
    const ada = {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      phone: '+441632960001',
      tags: ['vip', 'press'],
      address,
    }
    const item = { title: 'Blue mug', kind: 'physical', quantity: 2, unitPrice: { cents: 1_250 } }

    async function member(clientId: string): Promise<string> {
      const club = { title: 'Club', kind: 'membership', price: { cents: 900 }, membership: { interval: 'month' } }
      const { id: productId } = await stack.makeProduct(shop.id, club)
      const body = { productId, clientId, billingMode: 'processor' }
      const { data } = await stack.admin('POST', `/shops/${shop.id}/subscriptions`, body)
      return (data as { id: string }).id
    }

    test('everything about a person is downloaded as a file; a viewer is told who may', async () => {
      const { id } = await stack.makeContact(shop.id, ada)
      await open(`/${id}`)
      const saving = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download everything about this person' }).click()
      const saved = await saving
      expect(saved.suggestedFilename()).toBe(`person-${id}.json`)
      const { data } = JSON.parse(await readFile(await saved.path(), 'utf8')) as { data: { contact: object } }
      expect(data.contact).toMatchObject({ id, email: ada.email })
      await view.context.close()
      await open(`/${id}`, 'viewer')
      await button('Download everything about this person').click({ force: true })
      await page.getByText('Download everything about this person: for owners and managers').waitFor()
    })

    test('a contact leads to its orders and memberships, and back', async () => {
      const { id } = await stack.makeContact(shop.id, ada)
      const customer = { name: ada.name, email: ada.email }
      const order = await stack.makeOrder(shop.id, { paymentMethod: 'card', customer, items: [item] })
      const membership = await member(id)
      await open()
      await page.getByRole('link', { name: 'Ada Lovelace' }).click()
      await page.getByRole('heading', { level: 2, name: 'Ada Lovelace' }).waitFor()
      await page.getByText('12 St James’s Square').waitFor()
      await page.getByRole('link', { name: '2 × Blue mug' }).click()
      await page.waitForURL(`**/orders/${order.id}`)
      await page.goBack()
      await page.getByRole('link', { name: '£9.00 a month' }).click()
      await page.waitForURL(`**/memberships/${membership}`)
      await page.getByRole('region', { name: 'Membership', exact: true }).getByRole('link', { name: ada.name }).click()
      await page.waitForURL(`**/s/${shop.handle}/contacts/${id}`)
      await page.getByText('12 St James’s Square').waitFor()
    })

    test('a person is erased after a typed word, and is gone from the list and from the order', async () => {
      const { id } = await stack.makeContact(shop.id, ada)
      await stack.makeContact(shop.id, { name: 'Bob', email: 'bob@example.com' })
      const customer = { name: ada.name, email: ada.email }
      const order = await stack.makeOrder(shop.id, { paymentMethod: 'card', customer, items: [item] })
      await open(`/${id}`)
      await button('Erase this person').click()
      const erase = page.locator('form').getByRole('button', { name: 'Erase this person' })
      await erase.click()
      expect(await page.getByText('Erased Ada Lovelace.').count()).toBe(0)
      await page.getByLabel('Type erase to confirm').fill('erase')
      await erase.click()
      await page.getByText('Erased Ada Lovelace.').waitFor()
      await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor({ state: 'detached' })
      expect(await names()).toEqual(['Bob'])
      await page.reload()
      await page.getByText('Not found.').waitFor()
      await until(async () => {
        const { data } = await stack.admin('GET', `/shops/${shop.id}/orders/${order.id}`)
        return (data as { customer: { email: string | null } }).customer.email === null
      })
    })

    test('a viewer is told why nobody can be erased, and support sees no personal data', async () => {
      const { id } = await stack.makeContact(shop.id, ada)
      await open(`/${id}`, 'viewer')
      await button('Erase this person').press('Enter')
      await page.getByText('Erase this person: your role may only read').waitFor()
      await view.context.close()
      await open(`/${id}`, 'support')
      await page.getByText('Your role sees no personal data.').waitFor()
      expect(await page.getByText('Ada').count()).toBe(0)
    })

    test('the filters of the API stand in the address, and an export has exactly them', async () => {
      await stack.makeContact(shop.id, { ...ada, marketingConsentAt: '2026-01-02T03:04:05.000Z' })
      await stack.makeContact(shop.id, { name: 'Bob', email: 'bob@example.com', tags: ['vip'] })
      await stack.makeContact(shop.id, { name: 'Cleo', email: 'cleo@example.com' })
      await open('?tag=vip&consented=false')
      await page.getByText('Left out of the address').waitFor()
      await page.getByRole('link', { name: 'Bob' }).waitFor()
      expect(await names()).toEqual(['Bob', 'Ada Lovelace'])
      await button('+ filter').click()
      await button('consented').click()
      await button('true').click()
      await page.getByRole('link', { name: 'Bob' }).waitFor({ state: 'detached' })
      expect(new URL(page.url()).search).toBe('?tag=vip&consented=true')
      await button('Export').click()
      const download = page.waitForEvent('download')
      await button('CSV').click()
      const csv = (await readFile(await (await download).path(), 'utf8')).split('\r\n')
      expect(`${csv[0]}\r\n`).toBe(csvLine(openRows(objectTables.contacts, null).header))
      expect(csv).toHaveLength(3)
      await button('See how').click()
      await button('Command').click()
      const command = `storefront contacts list --shop ${shop.handle} --tag vip --consented`
      expect(await page.locator('.ways pre').innerText()).toBe(command)
    })

    test('a contact is created, changed and signed up for a membership', async () => {
      const club = { title: 'Club', kind: 'membership', price: { cents: 900 }, membership: { interval: 'month' } }
      await stack.makeProduct(shop.id, club)
      await open()
      await page.getByRole('link', { name: 'New contact' }).first().click()
      await page.getByLabel('Name').fill('Ada Lovelace')
      await page.getByLabel('Email', { exact: true }).fill('ada')
      await button('Create the contact').click()
      await page
        .getByRole('alert')
        .getByText(/^email/)
        .waitFor()
      await page.getByLabel('Email', { exact: true }).fill('ada@example.com')
      await page.getByLabel('Tags').fill('vip\npress')
      await page.getByLabel('City').fill('London')
      await page.getByLabel('Country').fill('GB')
      await page.getByLabel('Has agreed to news by email').check()
      await button('Create the contact').click()
      await page.getByRole('heading', { level: 2, name: 'Ada Lovelace' }).waitFor()
      await page.locator('.object .status', { hasText: 'consented' }).waitFor()
      await button('Change').click()
      await page.getByLabel('Email', { exact: true }).fill('lovelace@example.com')
      await button('Save').click()
      await page.getByRole('alert').getByText('Keep one of them as it is').waitFor()
      await page.getByLabel('Email', { exact: true }).fill('ada@example.com')
      await page.getByLabel('Phone').fill('+44 1632 960001')
      await page.getByLabel('Has agreed to news by email').uncheck()
      await page.getByLabel('Tags to add').fill('speaker')
      await button('Save').click()
      await page.getByText('Changed.', { exact: true }).waitFor()
      await page
        .getByRole('row', { name: /Ada Lovelace/ })
        .getByText('no consent')
        .waitFor()
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      const { data } = await stack.admin('GET', `/shops/${shop.id}/contacts/${id}`)
      expect(data).toMatchObject({
        email: ada.email,
        phone: ada.phone,
        tags: ['vip', 'press', 'speaker'],
        address: { city: 'London', country: 'GB' },
      })
      await page.getByRole('link', { name: 'Start a membership for this contact' }).click()
      await button('Start the membership').click()
      await page.waitForURL(/memberships\/[0-9a-f-]{36}$/)
      await page.getByRole('heading', { level: 2, name: 'Ada Lovelace' }).waitFor()
    })

    test('a viewer is told why a contact cannot be changed', async () => {
      const { id } = await stack.makeContact(shop.id, ada)
      await open(`/${id}?edit`, 'viewer')
      await button('Change').press('Enter')
      await page.getByText('Change: your role may only read').waitFor()
      expect(await page.locator('form').count()).toBe(0)
      expect(await page.getByRole('link', { name: /New contact|Start a membership/ }).count()).toBe(0)
    })

    test('the palette finds a contact by its id and by its email', async () => {
      const { id } = await stack.makeContact(shop.id, ada)
      await open()
      for (const text of [id, ada.email]) {
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox').waitFor()
        await page.keyboard.type(text)
        await page.getByRole('option', { name: /Ada Lovelace/ }).click()
        await page.getByRole('heading', { level: 2, name: 'Ada Lovelace' }).waitFor()
        await button('Close').click()
      }
    })
  })
}
