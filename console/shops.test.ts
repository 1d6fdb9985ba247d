// The list of shops as a person works with it, in a real browser (docs/spec/console.md#screens).
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { type ConsolePage, makeOperator, openSignedIn, type Person } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { openReceiver, type Receiver } from '#testing/servers/receiver'
import { until } from '#testing/until'
import { fewAtATime } from './src/screens/shops/few-at-a-time.ts'

test('calls run a few at a time in their order, one that fails lets the next run, and one that is aborted is not made', async () => {
  const limited = fewAtATime(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const { signal } = new AbortController()
  const aborted = new AbortController()
  const run = (number: number, own = signal) =>
    limited(own, () => {
      begun.push(number)
      return new Promise<number>((resolve, reject) =>
        ends.push(() => (number === 1 ? reject(new Error('failed')) : resolve(number))),
      )
    })
  const calls = [run(1), run(2), run(3, aborted.signal), run(4), run(5)]
  const settled = Promise.allSettled(calls)
  aborted.abort()
  expect(begun).toEqual([1, 2])
  ends[0]?.()
  await until(() => begun.length === 3)
  expect(begun).toEqual([1, 2, 4])
  ends[1]?.()
  await until(() => begun.length === 4)
  ends[2]?.()
  ends[3]?.()
  expect((await settled).map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
})

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    let receiver: Receiver
    let owner: Person
    let view: ConsolePage
    let page: Page
    let mugs: { id: string; handle: string }
    let quiet: { id: string; handle: string }
    beforeAll(async () => {
      stack = await openStack({ form: 'one-process', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
      browser = await openBrowser()
      receiver = await openReceiver()
      receiver.answer(() => ({ status: 500 }))
      owner = await makeOperator(stack, 'owner')
      mugs = await stack.makeShop({ name: 'Mugs' })
      quiet = await stack.makeShop({ name: 'Quiet' })
      const { secret } = await stack.makeKey(mugs.id)
      for (const path of ['/shop', '/shop', '/orders/1']) await stack.get(`/api/v1${path}`, { key: secret })
      await stack.admin('POST', `/shops/${mugs.id}/webhook-endpoints`, { url: receiver.url })
      const item = { title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 100 } }
      await stack.makeOrder(mugs.id, { paymentMethod: 'card', customer: { name: 'Ada' }, items: [item] })
      await until(async () => {
        const { data: usage } = await stack.admin('GET', `/shops/${mugs.id}/usage`)
        const { data: endpoints } = await stack.admin('GET', `/shops/${mugs.id}/webhook-endpoints`)
        const calls = (usage as { calls: number }[]).reduce((sum, row) => sum + row.calls, 0)
        return calls === 3 && (endpoints as { failingSince: string | null }[])[0]?.failingSince !== null
      })
    })
    afterAll(async () => {
      await browser.close()
      await receiver.close()
      await stack.stop()
    })
    afterEach(async () => {
      await view.context.close()
      expect(view.wrong).toEqual([])
    })
    const open = async (path: string, person = owner) => {
      view = await openSignedIn(stack, browser, person, path)
      page = view.page
    }
    const row = (name: string) => page.getByRole('row', { name })

    test('each shop has its requests and failures of the last hour and its endpoints in trouble', async () => {
      await open('/')
      await row('Mugs').getByText('1 refused or failed').waitFor()
      await row('Mugs').getByText(`1 in trouble: ${receiver.url}`).waitFor()
      await row('Mugs').getByRole('img', { name: '3 requests, 1 not answered 2xx' }).waitFor()
      await row('Quiet').getByText('no request').waitFor()
      await row('Quiet').getByText('no endpoint').waitFor()
      await page.getByRole('link', { name: 'Mugs' }).click()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/s/${mugs.handle}`)
    })

    test('a shop that cannot be asked says why, and the others stand', async () => {
      await open('/')
      const error = { code: 'unavailable', message: 'auth is away.', param: null, requestId: 'r-1', doc: '' }
      await page.route(`**/shops/${mugs.handle}/usage?*`, (route) =>
        route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error }) }),
      )
      await page.reload()
      await row('Mugs').getByText('This failed. auth is away.').first().waitFor()
      await row('Mugs').getByTitle('Request r-1').first().waitFor()
      await row('Mugs').getByText('1 in trouble').waitFor()
      await row('Quiet').getByText('no request').waitFor()
    })

    test('one who may see one shop comes straight to it, and an owner goes on by pages', async () => {
      await open('/', await makeOperator(stack, 'viewer', [quiet.id]))
      await until(() => new URL(page.url()).pathname === `/s/${quiet.handle}`)
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await view.context.close()
      for (let number = 0; number < 50; number += 1) await stack.makeShop({ name: `Shop ${number}` })
      await open('/')
      await row('Shop 49').waitFor()
      expect(await row('Mugs').count()).toBe(0)
      await page.getByRole('button', { name: 'Older ›' }).click()
      await row('Mugs').waitFor()
      await page.reload()
      await row('Mugs').waitFor()
      await page.getByRole('link', { name: 'Mugs' }).click()
      await until(() => page.url() === `${view.origin}/s/${mugs.handle}`)
    })

    test('an owner creates a shop, which says how to begin; a taken handle is said beside the form', async () => {
      await open(`/s/${mugs.handle}`)
      await page.getByRole('button', { name: 'Mugs' }).click()
      await page.getByRole('link', { name: 'Create a shop' }).click()
      await page.getByLabel('Name').fill('Blue Cups & Co')
      expect(await page.getByLabel('Handle').inputValue()).toBe('blue-cups-co')
      await page.getByLabel('Handle').fill(mugs.handle)
      await page.getByLabel('Currency').fill('eur')
      await page.getByLabel('Time zone').fill('Europe/Berlin')
      await page.getByLabel('Mode').selectOption('test')
      await page.getByRole('button', { name: 'Create the shop' }).click()
      expect(await page.getByRole('alert').innerText()).toMatch(/Request [0-9a-f-]{36}/)
      await page.getByLabel('Handle').fill('blue-cups')
      await page.getByRole('button', { name: 'Create the shop' }).click()
      await page.getByRole('region', { name: 'How to begin' }).waitFor()
      const { data } = await stack.admin('GET', '/shops/blue-cups')
      expect(data).toMatchObject({ name: 'Blue Cups & Co', currency: 'EUR', timeZone: 'Europe/Berlin', mode: 'test' })
    })

    test('an owner deletes a shop after typing its handle; nobody else is offered that', async () => {
      const { id, handle } = await stack.makeShop({ name: 'Old lamps' })
      await open(`/s/${handle}`, await makeOperator(stack, 'manager', [id]))
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      expect(await page.getByRole('button', { name: 'Delete this shop' }).count()).toBe(0)
      await view.context.close()
      await open(`/s/${handle}`)
      await page.getByRole('button', { name: 'Delete this shop' }).click()
      const field = page.getByLabel(`Type ${handle} to confirm`)
      await field.fill('other')
      await page.getByRole('button', { name: 'Delete Old lamps' }).click()
      await page.locator('input:invalid').waitFor()
      await stack.admin('GET', `/shops/${id}`)
      await field.fill(handle)
      await page.getByRole('button', { name: 'Delete Old lamps' }).click()
      await until(() => new URL(page.url()).pathname === '/')
      await expect(stack.admin('GET', `/shops/${id}`)).rejects.toThrow('404')
    })

    test('who is no owner makes no shop', async () => {
      await open('/?new=1', await makeOperator(stack, 'manager', [mugs.id, quiet.id]))
      await row('Quiet').waitFor()
      expect(await page.getByRole('link', { name: 'Create a shop' }).count()).toBe(0)
      await page.getByText('Left out of the address').waitFor()
    })
  })
}
