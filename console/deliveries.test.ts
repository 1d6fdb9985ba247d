// Deliveries as a person works with them, in a real browser (docs/spec/console.md#screens).
import { beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { describeConsole } from '#testing/product/console'
import { until } from '#testing/until'

const item = { title: 'Blue mug', kind: 'physical', quantity: 1, unitPrice: { cents: 1_250 } }
const orderOf = (name: string) => ({
  paymentMethod: 'bank_transfer',
  customer: { name, email: `${name}@example.com` },
  items: [item],
})

describeConsole({ role: 'support' }, (given) => {
  let isMended: boolean
  let page: Page
  beforeEach(() => {
    isMended = false
    given.receiver.answer(({ path }) =>
      path.endsWith('bad') && !isMended ? { status: 500, body: 'the <b>table</b> is locked' } : { body: 'thank you' },
    )
  })
  const open = async (path = '', options = {}) => {
    page = await given.open(`/deliveries${path}`, options)
  }
  const endpoint = async (path: string) => {
    const { data } = await given.stack.admin('POST', `/shops/${given.shop.id}/webhook-endpoints`, {
      url: `${given.receiver.url}/${path}`,
      events: ['order.created'],
    })
    return (data as { id: string }).id
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const arrived = (path: string) => given.receiver.received.filter((one) => one.path.endsWith(path)).length
  /** Places orders and waits until each has been tried at the endpoint. */
  const place = async (id: string, ...names: string[]) => {
    for (const name of names) await given.stack.makeOrder(given.shop.id, orderOf(name))
    const path = `/shops/${given.shop.id}/webhook-endpoints/${id}/deliveries`
    const tried = async () => {
      const { data } = await given.stack.admin('GET', path)
      return (data as { attemptCount: number }[]).filter(({ attemptCount }) => attemptCount > 0)
    }
    await until(async () => (await tried()).length === names.length)
  }

  test('a failing delivery says why, and the key r delivers it when the receiver is mended', async () => {
    await endpoint('good')
    await place(await endpoint('bad'), 'ada')
    await open()
    await page
      .getByRole('row', { name: /failing/ })
      .getByRole('link')
      .click()
    const attempts = page.getByRole('list', { name: 'Attempts' })
    await attempts.getByText('by schedule · 500').waitFor()
    await attempts.getByText('the <b>table</b> is locked').waitFor()
    await attempts.getByText('Next attempt').waitFor()
    await page.keyboard.press('r')
    await page.getByText(/^Sent again and not accepted: 500 in/).waitFor()
    isMended = true
    await page.keyboard.press('r')
    await page.getByText(/^Sent again and accepted: 200 in/).waitFor()
    await attempts.getByText('by hand · 200').waitFor()
    await page.getByRole('row', { name: /failing/ }).waitFor({ state: 'detached' })
    expect(await page.getByRole('row', { name: /delivered/ }).count()).toBe(2)
    const sent = given.receiver.received.findLast((one) => one.path.endsWith('bad'))
    const shown = JSON.parse(await page.locator('.json pre').innerText()) as { id: string }
    // Support reads no names.
    expect(shown.id).toBe((JSON.parse(sent?.body ?? '') as { id: string }).id)
    await page.getByText(`webhook-id: ${shown.id}`).waitFor()
    await page.getByRole('link', { name: 'event 1' }).click()
    await page.getByRole('heading', { level: 2, name: 'order.created' }).waitFor()
    await page.locator('.deliveries').getByRole('link', { name: '/bad' }).click()
    await attempts.getByText('by hand · 200').waitFor()
  })

  test('the endpoint and the status stand in the address, and all that match are retried with a result for each', async () => {
    await endpoint('good')
    const bad = await endpoint('bad')
    await place(bad, 'ada', 'bob', 'cy')
    await open()
    await button('+ filter').click()
    await button('status').click()
    await page.getByLabel('pending').click()
    await page.keyboard.press('Escape')
    await button('+ filter').click()
    await button('endpoint').click()
    await page.getByRole('button', { name: /bad$/ }).click()
    await until(() => new URL(page.url()).search === `?status=pending&endpoint=${bad}`)
    await page
      .getByRole('row', { name: /order.created/ })
      .nth(2)
      .waitFor()
    await page.getByLabel('Choose this page').click()
    await button('Retry').click()
    await page.getByText('0 accepted, 3 refused').waitFor()
    await button('Close').click()
    isMended = true
    await page.getByLabel('Choose this page').click()
    await button('Retry').click()
    await page.getByText('3 accepted').waitFor()
    await page.getByText('Nothing matches these filters.').waitFor()
    await page.getByRole('button', { name: /^endpoint/ }).click()
    await page.getByRole('button', { name: /good$/ }).last().click()
    await button('Remove the filter status').click()
    await page
      .getByRole('row', { name: /delivered/ })
      .nth(2)
      .waitFor()
  })

  test('a range is replayed with its progress, and a viewer may only look', async () => {
    await place(await endpoint('good'), 'ada', 'bob')
    const before = arrived('good')
    await open()
    await page.getByRole('link', { name: 'Replay a range' }).click()
    await page.getByLabel('Which events').selectOption('all')
    await page.getByText('Covers 2 events. The endpoint has acknowledged 2 of them before.').waitFor()
    expect(arrived('good')).toBe(before)
    await button('Replay 2 events').click()
    await page.getByText('Started. It covers 2 events.').waitFor()
    await page.getByText('2 of 2 queued').waitFor()
    await page.locator('.replays').getByText('completed').waitFor()
    await until(() => arrived('good') === before + 2)
    await open('/replay', { role: 'viewer' })
    await page.getByText('2 of 2 queued').waitFor()
    await page.getByText('your role may only read').waitFor()
    expect(await page.getByRole('button', { name: /^Replay / }).count()).toBe(0)
    expect(await page.getByRole('checkbox').count()).toBe(0)
  })

  test('a shop without an endpoint says how to get one', async () => {
    await open()
    await page.getByText('The shop has no endpoint yet.').waitFor()
  })
})
