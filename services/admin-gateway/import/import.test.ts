// Imports over HTTP (docs/spec/back-office.md#imports): counts of first and second runs, dry runs, bad files, callers who leave.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ImportRecord } from '#contracts/objects/import-record'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { collectGarbage } from '#testing/garbage'
import type { Answer } from '#testing/product/http'
import { importFile, sendFile, wholeList } from '#testing/admin-requests'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

const demo = join(import.meta.dirname, '../../../deploy/demo')
const products = readFileSync(join(demo, 'shopify-products.csv'))
const retailDay = readFileSync(join(demo, 'online-retail/2010-12-01.csv'))
const token = { authorization: 'Bearer an-operator-token-for-tests-only' }

describe.each(forms)('imports, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let shop: string

  beforeAll(async () => {
    shop = (await stack.makeShop({ country: 'GB' })).handle
  })

  const send = (query: string, body: Buffer | string, headers?: Record<string, string>) =>
    sendFile(stack, shop, body, query, headers)
  const run = (query: string, body: Buffer | string) => importFile(stack, shop, body, query)
  const walk = (list: string) => wholeList<{ id: string }>(stack, shop, list)
  const counts = (processed: number, rest: object) => ({
    status: 'completed',
    processed,
    created: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    failed: 0,
    ...rest,
  })
  /** Blocks writes of products until `during` is done, which may check whether a write waits. */
  async function whileProductsAreLocked<Value>(
    during: (isWriteWaiting: () => Promise<boolean>) => Promise<Value>,
  ): Promise<Value> {
    const database = await openClient(stack.databaseUrl)
    try {
      await database.query('begin; lock table catalog.products in share mode')
      return await during(async () => {
        const waiting = "select 1 from pg_locks where relation = 'catalog.products'::regclass and not granted"
        return (await database.query(waiting)).rows.length > 0
      })
    } finally {
      await database.close() // Ends its transaction too.
    }
  }
  const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`storefront-import-${process.pid}-`))

  test('the Shopify products, twice: 20 created, then 20 unchanged', async () => {
    const first = await run('', products)
    expect(first).toMatchObject({ object: 'import', format: 'shopify-products', ...counts(20, { created: 20 }) })
    const before = await walk('products')
    expect(before).toHaveLength(20)
    const second = await run('?format=shopify-products', products)
    expect(second).toMatchObject(counts(20, { unchanged: 20 }))
    expect(await walk('products')).toEqual(before)
    expect((await stack.admin('GET', `/shops/${shop}/imports/${first.id}`)).data).toEqual(first)
    expect((await walk('imports')).map(({ id }) => id)).toEqual([second.id, first.id])
  })

  // In one process real-files.test.ts imports days of retail.
  if (form === 'distributed') {
    test('a day of retail, twice: 1558 objects created and one refunded, then 1559 unchanged', async () => {
      // The refund is of an order that the dry run rolls back; it is counted all the same.
      const dry = await run('?format=retail&dry_run=true', retailDay)
      expect(dry).toMatchObject(
        counts(1_594, { created: 1_558, updated: 1, skipped: 35, records: 3_108, ignoredRecords: 13 }),
      )
      expect(await walk('orders')).toEqual([])
      const first = await run('?format=retail', retailDay)
      expect(first).toMatchObject(
        counts(1_594, { created: 1_558, updated: 1, skipped: 35, records: 3_108, ignoredRecords: 13 }),
      )
      const before = { orders: await walk('orders'), contacts: await walk('contacts') }
      expect([before.orders.length, before.contacts.length]).toEqual([127, 95])
      const linked = before.orders as unknown as {
        customer: { clientId: string | null }
        items: { productId: unknown }[]
      }[]
      expect(linked.every(({ items }) => items.every(({ productId }) => productId !== null))).toBe(true)
      const known = new Set(before.contacts.map(({ id }) => id))
      expect(linked.every(({ customer }) => customer.clientId === null || known.has(customer.clientId))).toBe(true)
      const second = await run('', retailDay)
      expect(second).toMatchObject(counts(1_594, { unchanged: 1_559, skipped: 35 }))
      expect({ orders: await walk('orders'), contacts: await walk('contacts') }).toEqual(before)
    }, 300_000)
  }

  test('a dry run reads everything and writes nothing', async () => {
    const before = await walk('products')
    const bad = `${products.toString()}broken,Broken,,,,,,,,,,,,,,,,,,abc\n`
    const done = await run('?dry_run=true&format=shopify-products', bad)
    expect(done).toMatchObject({ dryRun: true, ...counts(21, { unchanged: 20, failed: 1 }) })
    expect(done.errors[0]).toMatchObject({ code: 'money', severity: 'error' })
    expect(await walk('products')).toEqual(before)
  })

  test('one bad row fails its object and is named; the rest is imported', async () => {
    const file =
      'Handle,Title,Variant Price,Colour\ngood-one,Good,1.00,x\nbad-one,Bad,one pound,\ngood-two,Good too,2.00,\n'
    const done = await run('', file)
    expect(done).toMatchObject({ ...counts(3, { created: 2, failed: 1 }), ignoredColumns: ['Colour'] })
    const problem = { code: 'money', value: 'one pound', message: '"one pound" is not an amount.', severity: 'error' }
    expect(done.errors).toEqual([{ ...problem, line: 3, record: 2, key: 'bad-one', column: 'Variant Price' }])
  })

  test.each<[string, string | Buffer, string]>([
    ['empty', '', 'empty_file'],
    ['of no known format', 'a,b\n1,2\n', 'unknown_format'],
    ['no UTF-8', Buffer.from([0x48, 0xff, 0x0a]), 'encoding'],
    ['with an open quote', 'Handle,Title,Variant Price\na,"b,1\n', 'quoting'],
  ])('a file that is %s fails, and says so', async (_what, file, code) => {
    const done = await run('', file)
    expect(done).toMatchObject({ status: 'failed', processed: 0, created: 0 })
    expect(done.errors).toMatchObject([{ code, line: null, record: null, severity: 'error' }])
  })

  test('an unknown format, a bad dry_run and a compressed body are refused', async () => {
    const message = async (answer: Promise<Answer>) => {
      const { status, body } = await answer
      return [status, (body as { error: { message: string } }).error.message]
    }
    expect(await message(send('?format=xml', products))).toEqual([
      400,
      'format must be one of shopify-products, shopify-orders, shopify-customers, woocommerce-products, spree-products, spree-customers, retail, storefront-orders, storefront-products, storefront-contacts, storefront-subscriptions.',
    ])
    expect(await message(send('?dry_run=yes', products))).toEqual([400, 'dry_run must be true or false.'])
    expect(await message(send('', products, { 'content-encoding': 'gzip' }))).toEqual([
      400,
      'The body must not be compressed.',
    ])
  })

  test('a file that is announced with more than 5 GB is refused before any of it is read, and nothing of it stays', async () => {
    const before = await walk('imports')
    const port = stack.adminPorts[0]
    const path = `/admin/v1/shops/${shop}/imports`
    const headers = { ...token, 'content-type': 'text/csv', 'content-length': '5368709121' }
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path, headers })
      outgoing.once('error', reject)
      outgoing.once('response', (incoming) => {
        text(incoming).then((body) => resolve({ status: incoming.statusCode, text: body }), reject)
        incoming.once('end', () => outgoing.destroy())
      })
      outgoing.flushHeaders()
    })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('The file is larger than 5368709120 bytes.')
    expect(await walk('imports')).toEqual(before)
    expect(leftovers()).toEqual([])
  })

  test('when the caller leaves, the import stops, says so, and can be sent again', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `left-${index},Left ${index},1.00\n`).join('')
    const file = `Handle,Title,Variant Price\n${many}`
    const outgoing = request({
      host: '127.0.0.1',
      port: stack.adminPorts[0],
      method: 'POST',
      path: `/admin/v1/shops/${shop}/imports`,
      headers: { ...token, 'content-type': 'text/csv' },
    })
    outgoing.on('error', () => undefined) // The test itself breaks it off.
    const known = (await walk('imports')).length
    const begun = await whileProductsAreLocked(async (isWriteWaiting) => {
      outgoing.end(file)
      const newest = await until(async () => {
        const imports = await walk('imports')
        return imports.length > known ? imports[0] : null
      })
      await until(isWriteWaiting) // The first of several batches is sent.
      outgoing.destroy()
      // Once later requests are answered the abort was seen; a garbage collection must not lose it.
      for (let calls = 0; calls < 3; calls += 1) await stack.admin('GET', `/shops/${shop}/imports/${newest.id}`)
      collectGarbage()
      return newest
    })
    const ended = await until(async () => {
      const { data } = await stack.admin('GET', `/shops/${shop}/imports/${begun.id}`)
      return (data as ImportRecord).status === 'running' ? null : (data as ImportRecord)
    })
    expect(ended.status).toBe('failed')
    expect(ended.errors[0]).toMatchObject({ code: 'interrupted', line: null })
    expect(await run('', file)).toMatchObject({ status: 'completed', processed: 1_000, failed: 0 })
    expect(leftovers()).toEqual([])
  }, 120_000)
})
