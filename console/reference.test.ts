// The reference as a person uses it, in a real browser (docs/spec/console.md#reference), and the file that it is made of.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Browser, Page } from 'playwright-core'
import { eventKinds } from '#contracts/objects/webhook-event'
import { type ConsolePage, makeOperator, openSignedIn, type Person } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { until } from '#testing/until'
import { referenceFiles } from '../deploy/clients/reference.ts'
import { backOfficeDocument } from '../services/admin-gateway/reference/document.ts'
import { publicDocument } from '../services/rest-gateway/reference/document.ts'
import { type Schema, sampleOf } from './src/screens/reference/fields/schema.ts'

test('the generated file follows from the documents, the event catalogue, the tools and the commands', () => {
  for (const { path, text } of referenceFiles()) {
    const current = readFileSync(join(import.meta.dirname, '..', path), 'utf8')
    expect(current === text ? 'up to date' : `${path}: run npm run generate`).toBe('up to date')
    const { events, tools, commands } = JSON.parse(text) as Record<string, Record<string, unknown>>
    expect(Object.keys(events ?? {})).toEqual(eventKinds)
    expect(Object.keys(tools ?? {})).toHaveLength(9)
    expect(Object.entries(commands ?? {}).filter(([, words]) => words === '')).toEqual([])
  }
})

type Content = Record<string, { schema: Schema; example?: { data?: unknown } }>
type Operation = { requestBody?: { content: Content }; responses: Record<string, { content?: Content }> }
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } }

test.each([
  ['public API', publicDocument],
  ['back office', backOfficeDocument],
])('the example of each body of the %s keeps the schema of the body', (_name, document) => {
  const { paths, components } = document() as Document
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  const wrong: string[] = []
  let checked = 0
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      const schema = requestBody?.content['application/json']?.schema
      if (schema === undefined) continue
      const answer = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
      const known = answer?.content?.['application/json']?.example?.data
      checked += 1
      if (!ajv.validate(schema, sampleOf(schema, components.schemas, known)))
        wrong.push(`${method} ${path}: ${ajv.errorsText()}`)
    }
  }
  expect(wrong).toEqual([])
  expect(checked).toBeGreaterThan(1)
})

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    let shop: { id: string; handle: string }
    let people: Record<'manager' | 'viewer', Person>
    let view: ConsolePage
    let page: Page
    beforeAll(async () => {
      stack = await openStack({ form: 'one-process' })
      browser = await openBrowser()
      shop = await stack.makeShop()
      people = {
        manager: await makeOperator(stack, 'manager', [shop.id]),
        viewer: await makeOperator(stack, 'viewer', [shop.id]),
      }
    })
    afterAll(async () => {
      await browser.close()
      await stack.stop()
    })
    afterEach(async () => {
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (path: string, person: keyof typeof people = 'manager', options = {}) => {
      view = await openSignedIn(stack, browser, people[person], path, options)
      page = view.page
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const entries = () => page.getByRole('navigation', { name: 'Operations, events and tools' })
    const shownText = () => page.getByRole('region', { name: 'Call it' }).locator('pre').innerText()

    test('the filter finds an operation by a word, and the address leads back to it', async () => {
      await open('/reference')
      await entries().getByRole('link').nth(100).waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('ship orders')
      await until(async () => (await entries().getByRole('link').count()) < 12)
      await entries().getByRole('link', { name: 'POST …/orders/{id}/ship' }).click()
      await page.getByRole('heading', { level: 2, name: 'The parcel has left', exact: true }).waitFor()
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/reference/ordersShip?q=ship+orders')
      await page.reload()
      await page.getByRole('heading', { level: 2, name: 'The parcel has left', exact: true }).waitFor()
      expect(await page.title()).toBe('The parcel has left – Storefront')
      await page.getByText('Fields of the body').click()
      await page.getByRole('row', { name: /trackingNumber .*at most 255 characters/ }).waitFor()
      expect(await shownText()).toContain(`/admin/v1/shops/${shop.handle}/orders/ID/ship'`)
      await button('Command').click()
      expect(await shownText()).toBe(`storefront orders ship latest --tracking-number 1Z999 --shop ${shop.handle}`)
      await button('TypeScript').click()
      expect(await shownText()).toContain(`await office.orders.ship('${shop.handle}', 'ID', {"tracking`)
      await page.getByRole('row', { name: /409 conflict/ }).waitFor()
    })

    test('what is typed for a parameter stands in every text', async () => {
      await open('/reference/listOrders')
      await page.getByLabel('status', { exact: true }).fill('new')
      expect(await shownText()).toMatch(/^curl 'http:.*\/api\/v1\/orders\?status=new&limit=5'/)
      await button('TypeScript').click()
      expect(await shownText()).toContain("shop.orders.list({ status: 'new', limit: 5 })")
      await button('MCP call').click()
      expect(JSON.parse(await shownText())).toEqual({
        method: 'tools/call',
        params: { name: 'list_orders', arguments: { status: 'new', limit: 5 } },
      })
    })

    test('an event says when it fires and shows a body', async () => {
      await open('/reference?in=events')
      await until(async () => (await entries().getByRole('link').count()) === eventKinds.length)
      await entries().getByRole('link', { name: 'order.shipped' }).click()
      const event = page.getByRole('region', { name: 'order.shipped' })
      await event.getByText('status → shipped').waitFor()
      await event.locator('.json').getByText('"type": "order.shipped"').waitFor()
      await event.getByRole('link', { name: 'Events of this kind' }).click()
      await page.waitForURL(`**/s/${shop.handle}/events?type=order.shipped`)
    })

    test('a tool shows its arguments, its hints and an example call', async () => {
      await open('/reference/update_contact_tags')
      await page.getByText('may take something away').waitFor()
      await page.getByRole('row', { name: /^id .*required/ }).waitFor()
      expect(
        JSON.parse(await page.getByRole('region', { name: 'Example call' }).locator('pre').innerText()),
      ).toMatchObject({
        params: { name: 'update_contact_tags', arguments: { id: expect.any(String), add: ['vip'] } },
      })
      await page.getByRole('link', { name: 'changeContactTags' }).click()
      await page.getByText('/api/v1/contacts/{id}/tags').first().waitFor()
    })

    test('a key is made for trying; the texts hold it, its calls appear, and it can be revoked', async () => {
      await open('/reference/listOrders')
      await button('Make a key that reads').click()
      const secret = await page.getByRole('group', { name: 'Key for trying' }).locator('code').innerText()
      expect(await shownText()).toContain(`Bearer ${secret}`)
      const { data } = (await stack.admin('GET', `/shops/${shop.id}/keys`)) as { data: Record<string, unknown>[] }
      expect(data[0]).toMatchObject({ name: 'Try it from the reference', access: 'read' })
      const lifetime = Date.parse(String(data[0]?.expiresAt)) - Date.parse(String(data[0]?.createdAt))
      expect(lifetime).toBeGreaterThan(3_500_000)
      expect(lifetime).toBeLessThanOrEqual(3_600_000)
      // The stream may not be open yet at the first call.
      const calls = page.getByRole('list', { name: 'Calls with this key' })
      await until(async () => {
        await stack.get('/api/v1/orders?limit=5', { key: secret })
        return (await calls.count()) > 0
      })
      await calls.getByText('GET /api/v1/orders: 200 in').first().waitFor()
      await stack.get('/api/v1/orders/1', { key: secret })
      await calls.getByText('GET /api/v1/orders/{id}: 404').waitFor()
      await entries().getByRole('link', { name: 'POST /contacts', exact: true }).click()
      await page.getByText('This call writes, and the key of before only reads.').waitFor()
      await entries().getByRole('link', { name: 'list_orders' }).click()
      await button('curl').click()
      await page.getByText(`Bearer ${secret}`).first().waitFor()
      await button('Revoke the key now').click()
      await page.getByText('The key is revoked.').waitFor()
      expect(await page.content()).not.toContain(secret)
      await until(async () => (await stack.get('/api/v1/orders', { key: secret })).status === 401)
    })

    test('a viewer is told that the role may not make keys, and reads the back office from here', async () => {
      await open('/reference/getShop', 'viewer')
      await page.getByText('Your role may not make keys; an owner or a manager may.').waitFor()
      expect(await page.getByRole('button', { name: /^Make a key/ }).count()).toBe(0)
      await page.goto(`${view.origin}/reference/shopsGet`)
      await page.getByRole('combobox', { name: 'shop' }).waitFor()
      await button('Send').click()
      const answer = page.getByRole('status', { name: 'Answer' })
      await answer.getByText(/200 in/).waitFor()
      await answer.getByText(`"handle": "${shop.handle}"`).waitFor()
      await page.goto(`${view.origin}/reference/operatorsList`)
      await button('Send').click()
      await answer.getByText(/403 in/).waitFor()
    })

    test('without the document of the back office the rest stands', async () => {
      await open('/reference')
      await page.route('**/admin/v1/openapi.json', (route) => route.fulfill({ status: 503, body: '{}' }))
      await page.goto(`${view.origin}/reference/getOrder?in=nothing`)
      await page.getByText('The document of the back office was answered with 503.').waitFor()
      await page.getByText('in=nothing').waitFor()
      await page.getByRole('heading', { level: 2, name: 'Get order' }).waitFor()
      await page.unroute('**/admin/v1/openapi.json')
      await button('Try again').click()
      await entries().getByRole('link', { name: 'POST …/orders/{id}/ship' }).waitFor()
      await page.goto(`${view.origin}/reference/noSuchEntry`)
      await page.getByText('The reference has no such entry.').waitFor()
    })

    test('the side bar keeps the screens of the shop that was open before', async () => {
      await open(`/s/${shop.handle}/orders`)
      await page.getByRole('link', { name: 'Reference' }).click()
      await page.getByRole('heading', { level: 1, name: 'Reference' }).waitFor()
      const side = page.getByRole('navigation', { name: 'Screens' })
      await side.getByRole('link', { name: 'Orders' }).click()
      await page.waitForURL(`**/s/${shop.handle}/orders`)
    })
  })
}
