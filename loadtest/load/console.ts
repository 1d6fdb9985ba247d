// The console in a browser with a shop of a million orders and a hundred thousand deliveries, beside a shop of ten.
// npm run load:console [-- --orders 1_000_000] [--deliveries 100_000] [--pages 400] [--retries 1_000] [--rounds 10]
// Starts the product in one process. Prints medians: the time until a screen can be used, for every screen of the small shop; the time until
// the first orders can be used, for both shops; of a page behind "Older", first and last; of a filter; of a search by id in the palette;
// of the first deliveries; and the time in which a retry of many deliveries has ended. Ends with 1 where a first page takes more than a
// second, where the last page takes more than twice as long as the first pages, or where a retry was refused.
import type { Page } from 'playwright-core'
import { openReceiver } from '#testing/servers/receiver'
import { openBrowser } from '#testing/servers/browser'
import { makeWalkShop } from '../bench/seed.ts'
import { startCluster } from '../cluster.ts'
import { conclude, print, quantile, readOptions, seconds, until, word } from '../program.ts'
import { copyDeliveries } from './copy-deliveries.ts'

const USABLE_MS = 1_000
const SLOWER_MAX = 2
const SETTLE_MS = 30_000
const RETRY_MS = 900_000
const COMPARED = 10
const options = readOptions({ orders: 1_000_000, deliveries: 100_000, pages: 400, retries: 1_000, rounds: 10 })
const breaches: string[] = []
const receiver = await openReceiver()
const cluster = await startCluster({ form: 'one-process' })
const { client } = cluster

print(`Making ${options.orders} orders and ${options.deliveries} deliveries.`)
const small = await client.shop(`small-${word()}`, 10)
const walkShop = await makeWalkShop(client, cluster.databaseUrl(), options.orders)
const large = `/shops/${walkShop.id}`
const endpoint = String((await client.call('POST', `${large}/webhook-endpoints`, { url: receiver.url })).id)
const item = { title: 'Tea', kind: 'physical', quantity: 1, unitPrice: { cents: 250 } }
await client.call('POST', `${large}/orders`, { paymentMethod: 'card', customer: { name: 'Ada' }, items: [item] })
if (!(await until(() => receiver.received.length > 0, SETTLE_MS))) throw new Error('The order sent no delivery.')
await copyDeliveries(cluster, { shop: walkShop.id, endpoint, count: options.deliveries, failed: options.retries })

const operator = await client.call('POST', '/operators', { name: 'Ada', email: 'ada@shop.example', role: 'owner' })
const { code } = await client.call('POST', `/operators/${String(operator.id)}/sign-in-links`)
const origin = cluster.of('admin-gateway')[0]?.adminUrl ?? ''
const browser = await openBrowser()
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
await page.goto(`${origin}/#code=${String(code)}`)
await page.getByRole('banner').waitFor()

const median = (times: number[]) => quantile(times, 0.5)
const inMs = (ms: number) => `${Math.round(ms)} ms`
const rows = () => page.locator('tbody tr[data-id]').first().waitFor()
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
async function repeated(work: () => Promise<number>): Promise<number> {
  const times: number[] = []
  while (times.length < options.rounds) times.push(await work())
  return median(times)
}
const opened = (path: string) =>
  timed(async () => {
    await page.goto(origin + path)
    await rows()
  })
function printFirst(what: string, ms: number): void {
  print(`${what}: ${inMs(ms)}`)
  if (ms > USABLE_MS) breaches.push(`${what} took ${inMs(ms)}, more than ${USABLE_MS} ms.`)
}

const screens = [
  ...['', '/events', '/deliveries', '/requests', '/orders', '/products', '/contacts', '/memberships'],
  ...['/keys', '/webhooks', '/import', '/audit'],
].map((path) => `/s/${small.id}${path}`)
for (const path of [...screens, '/operators', '/audit', '/reference'])
  printFirst(path.replace(small.id, 'small'), await repeated(() => shown(path)))
/** Until nothing on the screen is waited for. */
function shown(path: string): Promise<number> {
  return timed(async () => {
    await page.goto(origin + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.waiting').first().waitFor({ state: 'detached' })
  })
}

const lists = { small: `/s/${small.id}/orders`, large: `/s/${walkShop.id}/orders` }
printFirst('orders, first page, shop of 10', await repeated(() => opened(lists.small)))
printFirst(`orders, first page, shop of ${options.orders}`, await repeated(() => opened(lists.large)))

const first = () => page.locator('tbody tr[data-id]').first().getAttribute('data-id')
async function older(): Promise<number> {
  const before = await first()
  return timed(async () => {
    await page.getByRole('button', { name: /^Older/ }).click()
    await page.locator(`tbody tr[data-id]:first-child:not([data-id="${before}"])`).waitFor()
  })
}
const pages: number[] = []
while (pages.length < options.pages - 1) pages.push(await older())
const [early, late] = [median(pages.slice(0, COMPARED)), median(pages.slice(-COMPARED))]
print(`orders, a page behind "Older": ${inMs(early)} at the beginning, ${inMs(late)} at page ${options.pages}`)
if (late > early * SLOWER_MAX)
  breaches.push(`Page ${options.pages} took ${inMs(late)}, the first pages ${inMs(early)}.`)

printFirst('orders, a filter', await repeated(() => filtered(page)))
async function filtered(shown: Page): Promise<number> {
  await opened(lists.large)
  await shown.getByRole('button', { name: '+ filter' }).click()
  await shown.getByRole('button', { name: 'status', exact: true }).click()
  return timed(async () => {
    await shown.getByLabel('cancelled').click()
    await shown.locator('tbody tr[data-id]', { hasNotText: 'cancelled' }).first().waitFor({ state: 'detached' })
  })
}

const [found] = await cluster.query<{ id: string }>(
  'select id from orders.orders where shop_id = $1 order by created_at offset $2 limit 1',
  [walkShop.id, Math.floor(options.orders / 2)],
)
printFirst('palette, an order by its id', await repeated(() => sought(found?.id ?? '')))
async function sought(id: string): Promise<number> {
  await opened(lists.large)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  const ms = await timed(async () => {
    await page.keyboard.insertText(id)
    await page.getByRole('option', { name: /Orders/ }).waitFor()
  })
  await page.keyboard.press('Escape')
  return ms
}

const deliveries = `/s/${walkShop.id}/deliveries?endpoint=${endpoint}`
printFirst(`deliveries, first page of ${options.deliveries}`, await repeated(() => opened(deliveries)))
await opened(`${deliveries}&status=failed`)
receiver.received.length = 0
await page.getByRole('checkbox', { name: 'Choose this page' }).check()
await page.getByRole('button', { name: 'Choose all that match' }).click()
const bar = page.getByRole('region', { name: 'Chosen rows' })
const retried = await timed(async () => {
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  await bar.getByRole('button', { name: 'Close' }).waitFor({ timeout: RETRY_MS })
})
print(`deliveries, retry of ${options.retries}: ${seconds(retried)}, ${receiver.received.length} requests arrived`)
const said = await bar.getByRole('status').innerText()
const firstResult = await bar.getByRole('listitem').first().innerText()
if (receiver.received.length < options.retries || said.includes('refused'))
  breaches.push(`The retry ended so: ${said} ${firstResult}`)

await browser.close()
await receiver.close()
await cluster.stop()
conclude(breaches, 'The console is as quick in the large shop as in the small one.')
