// What a GET answered may be sent back, whatever brought the object in and however large it is. docs/spec/back-office.md#input
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { adminRequest, importFile, wholeList } from '#testing/admin-requests'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

const data = (name: string) => readFileSync(join(import.meta.dirname, '../../testing/data', name))
const page = 'é'.repeat(40_000)

describe.each(forms)('an object that is sent back as it was read, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let shop: string

  beforeAll(async () => {
    shop = (await stack.makeShop({ currency: 'GBP', country: 'GB' })).id
  })

  const send = (method: string, path: string, body: unknown) =>
    adminRequest(stack, method, `/shops/${shop}${path}`, { body })
  const get = async (path: string) => (await stack.admin('GET', `/shops/${shop}${path}`)).data
  const idsOf = async (list: string) => (await wholeList<{ id: string }>(stack, shop, list)).map(({ id }) => id)
  const story = Array.from({ length: 12 }, (_, index) => [`Story ${index}`, 'ß'.repeat(200)])
  const variants = Array.from({ length: 100 }, (_, index) => ({
    options: Object.fromEntries([['Size', `${index}`], ...story]),
  }))

  test('is unchanged: every product, order and contact of the real files, shop and endpoint', async () => {
    const header = 'Handle,Title,Body (HTML),Variant SKU,Variant Price,Option1 Name,Option1 Value'
    await importFile(stack, shop, `${header}\nbook,Book,${page},B-1,9.00,Title,Default Title\n`)
    await importFile(stack, shop, data('spree-products.csv'))
    await importFile(stack, shop, data('spree-customers.csv'))
    await importFile(stack, shop, data('shopify-orders-full.derived.csv'), '?create_contacts=true')
    const guest =
      'Name,Email,Phone,Billing Name,Financial Status,Created at,Lineitem quantity,Lineitem name,Lineitem price,Subtotal,Total,Currency'
    const odd = '#X1,not an address,555-0142,"Ada\nLovelace",paid,2026-01-05 08:00:00 +0000,1,Mug,5.00,5.00,5.00,GBP'
    expect(await importFile(stack, shop, `${guest}\n${odd}\n`)).toMatchObject({ created: 1 })
    for (const list of ['products', 'orders']) {
      for (const id of await idsOf(list)) {
        const before = await get(`/${list}/${id}`)
        const { status, body } = await send('PATCH', `/${list}/${id}`, before)
        expect({ status, body }).toEqual({ status: 200, body: { data: before } })
      }
    }
    for (const id of await idsOf('contacts')) {
      const before = await get(`/contacts/${id}`)
      expect((await send('POST', '/contacts', before)).body).toEqual({ data: before })
    }
    const endpoint = { url: 'https://example.com/hook', events: ['order.*'], description: 'all' }
    const { id } = (await stack.admin('POST', `/shops/${shop}/webhook-endpoints`, endpoint)).data as { id: string }
    for (const path of ['', `/webhook-endpoints/${id}`, '/subscription-settings']) {
      const { status, body } = await send('PATCH', path, await get(path))
      expect({ path, status, data: (body as { data: object }).data }).toMatchObject({
        status: 200,
        data: expect.any(Object),
      })
    }
  }, 120_000)

  test('may have up to 1 MB: a product with a hundred variants, an order of 1,000 lines', async () => {
    const product = await stack.makeProduct(shop, { title: 'Book', price: { cents: 1 }, description: page, variants })
    const lines = { title: 'ß'.repeat(250), kind: 'digital', unitPrice: { cents: 1 }, quantity: 1 }
    const order = await stack.makeOrder(shop, {
      paymentMethod: 'cod',
      items: Array.from({ length: 1_000 }, () => lines),
    })
    for (const [path, object] of [
      [`/products/${product.id}`, product],
      [`/orders/${order.id}`, order],
    ] as const) {
      expect(Buffer.byteLength(JSON.stringify(object))).toBeGreaterThan(512 * 1024)
      const { status, body } = await send('PATCH', path, object)
      expect({ status, body }).toEqual({ status: 200, body: { data: object } })
    }
  })

  test('has at most 1,048,576 bytes', async () => {
    const body = (bytes: number) => `{"privateNote":"${'x'.repeat(bytes - 18)}"}`
    const sent = async (bytes: number) => {
      const answer = await send('POST', '/contacts', body(bytes))
      return [answer.status, (answer.body as { error: { message: string } }).error.message]
    }
    expect(await sent(1_048_576)).toEqual([400, expect.stringMatching(/^privateNote must be at most/)])
    expect(await sent(1_048_577)).toEqual([400, 'The body is larger than 1048576 bytes.'])
  })
})
