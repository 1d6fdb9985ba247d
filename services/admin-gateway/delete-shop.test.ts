// Deleting a shop: docs/spec/back-office.md#deleting-a-shop
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createDatabase, openClient, type TestDatabase } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { adminRequest } from '#testing/admin-requests'
import { forms } from '#testing/product/deployment-forms'
import type { Answer } from '#testing/product/http'
import { startProduct, type StartedProduct } from '#testing/product/started-product'
import { openStack } from '#testing/product/stack'
import { openReceiver } from '#testing/servers/receiver'
import { countRowsOf, insertAnyRows, tablesOfShops } from '#testing/shop-rows'
import { until } from '#testing/until'

type Json = { [field: string]: unknown }
type Database = Awaited<ReturnType<typeof openClient>>
const dataOf = <Data>({ body }: Answer) => (body as { data: Data }).data
const items = [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 900 }, quantity: 1 }]
const person = { name: 'Ada', email: 'ada@example.com', phone: '+447700900123' }
// What stays: the audit, and for a day the work of the deletion itself.
const kept = ['auth.audit_entries', 'auth.shop_deletions']

describe.each(forms)('deleting a shop, %s', (form) => {
  const stack = duringTests(() =>
    openStack({ form, env: { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_RETRY_SECONDS: '1,1,1,1' } }),
  )
  const database = duringTests(() => openClient(stack.databaseUrl))
  const receiver = duringTests(() => openReceiver())

  const ask = (method: string, path: string, body?: unknown, token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return adminRequest(stack, method, path, { body, headers })
  }

  /** A shop with a key that was used, people, orders, a membership, an import, and deliveries that are tried again each second. */
  async function fillShop() {
    const shop = await stack.makeShop()
    const path = `/shops/${shop.id}`
    const { secret } = await stack.makeKey(shop.id, 'write')
    const send = (method: string, below: string, body?: unknown) => ask(method, path + below, body)
    receiver.answer(() => ({ status: 500 }))
    await send('POST', '/webhook-endpoints', { url: receiver.url })
    const contact = await stack.makeContact(shop.id, { ...person, tags: ['vip'] })
    const order = await stack.makeOrder(shop.id, { customer: person, items, paymentMethod: 'card' })
    await send('POST', `/orders/${order.id}/dispute`, { reason: 'never arrived' })
    const club = { title: 'Club', kind: 'membership', price: { cents: 500 }, membership: { interval: 'month' } }
    const product = await stack.makeProduct(shop.id, { ...club, isPublished: true })
    await send('POST', '/subscriptions', { productId: product.id, clientId: contact.id, billingMode: 'processor' })
    const csv = 'Customer ID,First Name,Last Name,Email,Phone,Tags,Note,Total Orders\n1,Bob,B,bob@example.com,,,,0\n'
    await adminRequest(stack, 'POST', `${path}/imports?format=shopify-customers`, {
      body: csv,
      headers: { 'content-type': 'text/csv' },
    })
    await stack.get('/api/v1/orders', { key: secret })
    await until(() => receiver.received.length > 0)
    return { id: shop.id, handle: shop.handle, path, key: secret }
  }

  /** Rows of tables that refer to rows of the shop and have no column shop_id; returns the statements that find them. */
  async function insertReferringRows(shopId: string): Promise<string[]> {
    const idsOf = async (table: string) =>
      (await database.query<{ id: string }>(`select id from ${table} where shop_id = $1`, [shopId])).rows.map(
        ({ id }) => id,
      )
    const [files, imports] = [await idsOf('auth.import_files'), await idsOf('auth.imports')]
    await database.query(
      "insert into auth.import_chunks (file_id, number, bytes) select id, n, '\\x00' from unnest($1::uuid[]) id, generate_series(1, 250) n",
      [files],
    )
    await database.query(
      `insert into auth.import_problems (import_id, fence, line, number, code)
       select id, 0, 7, n, 'money' from unnest($1::uuid[]) id, generate_series(1, 250) n`,
      [imports],
    )
    const anyOf = (ids: string[]) => `any('{${ids.join(',')}}'::uuid[])`
    return [
      `select file_id from auth.import_chunks where file_id = ${anyOf(files)}`,
      `select import_id from auth.import_problems where import_id = ${anyOf(imports)}`,
    ]
  }

  test('needs an owner and the handle, else it changes nothing', async () => {
    const { id, handle } = await stack.makeShop()
    for (const body of [undefined, {}, { handle: 'other' }, { handle: null }]) {
      const answer = await ask('DELETE', `/shops/${id}`, body)
      expect([answer.status, answer.body]).toMatchObject([400, { error: { param: 'handle' } }])
    }
    const email = `${randomUUID()}@example.com`
    const made = await stack.admin('POST', '/operators', { name: 'Eve', email, role: 'manager', shops: [id] })
    const tokens = `/operators/${(made.data as { id: string }).id}/tokens`
    const { secret } = (await stack.admin('POST', tokens, { name: 'test' })).data as { secret: string }
    expect((await ask('DELETE', `/shops/${id}`, { handle }, secret)).status).toBe(403)
    expect((await ask('GET', `/shops/${id}`)).status).toBe(200)
  })

  test('ends it for everybody at once, then no table has a row of it; another shop is untouched', async () => {
    const shop = await fillShop()
    const other = await stack.makeShop()
    const otherKey = (await stack.makeKey(other.id)).secret
    await stack.makeContact(other.id, person)
    await stack.makeOrder(other.id, { customer: person, items, paymentMethod: 'card' })
    const tables = (await tablesOfShops(database)).filter((table) => !kept.includes(table))
    // One snapshot: work in the background removes rows that it has done, such as messages and import files.
    await database.query('begin isolation level repeatable read')
    const before = await countRowsOf(database, shop.id)
    await insertAnyRows(
      database,
      shop.id,
      tables.filter((table) => before[table] === undefined),
    )
    expect(Object.keys(await countRowsOf(database, shop.id))).toEqual(expect.arrayContaining(tables))
    await database.query('commit')
    const referring = await insertReferringRows(shop.id)
    const email = `${randomUUID()}@example.com`
    const made = await stack.admin('POST', '/operators', { name: 'Eve', email, role: 'viewer', shops: [shop.id] })
    const operator = `/operators/${(made.data as { id: string }).id}`
    const { secret } = (await stack.admin('POST', `${operator}/tokens`, { name: 'test' })).data as { secret: string }
    expect((await ask('GET', shop.path, undefined, secret)).status).toBe(200)
    await stack.admin('PUT', '/me/views/own', { path: `/s/${shop.handle}/orders?status=new` })
    await stack.admin('PUT', '/me/views/other', { path: `/s/${other.handle}/orders` })
    const seen = async () => [
      await stack.admin('GET', `/shops/${other.id}/orders`),
      await stack.admin('GET', `/shops/${other.id}/contacts`),
      (await stack.get('/api/v1/orders', { key: otherKey })).body,
    ]
    const untouched = await seen()

    const answer = await ask('DELETE', shop.path, { handle: shop.handle })
    expect([answer.status, answer.body]).toEqual([202, { data: { id: shop.id, object: 'shop', deleted: true } }])
    const delivered = receiver.received.length
    for (const name of [shop.id, shop.handle]) expect((await ask('GET', `/shops/${name}`)).status).toBe(404)
    expect((await ask('DELETE', shop.path, { handle: shop.handle })).status).toBe(404)
    expect((await ask('GET', `${shop.path}/orders`)).status).toBe(404)
    expect((await ask('GET', shop.path, undefined, secret)).status).toBe(404)
    expect(dataOf<Json>(await ask('GET', operator)).shops).toEqual([])
    expect(dataOf<Json[]>(await ask('GET', '/me/views')).map(({ name }) => name)).toEqual(['other'])
    const list = dataOf<Json[]>(await ask('GET', `/shops?handle=${shop.handle}`))
    expect(list).toEqual([])
    await until(async () => (await stack.get('/api/v1/orders', { key: shop.key })).status === 401)
    const mcp = await stack.mcp.tool('list_orders', {}, { key: shop.key })
    expect(mcp.status).toBe(401)
    const successor = await stack.makeShop({ handle: shop.handle })

    const left = async () => Object.keys(await countRowsOf(database, shop.id)).filter((table) => !kept.includes(table))
    await until(async () => (await left()).length === 0)
    await until(async () => (await database.query('select from auth.shops where id = $1', [shop.id])).rowCount === 0)
    expect(await left()).toEqual([])
    for (const text of referring) expect((await database.query(text)).rows).toEqual([])
    expect(receiver.received).toHaveLength(delivered)
    expect(await seen()).toEqual(untouched)
    expect((await ask('GET', `/shops/${shop.handle}`)).body).toMatchObject({ data: { id: successor.id } })
    const entries = dataOf<Json[]>(await ask('GET', `/audit?object_id=${shop.id}`))
    expect(entries).toMatchObject([
      { action: 'shops.gone', outcome: 'done', shopId: shop.id },
      { action: 'shops.delete', outcome: 'done', changes: { handle: [shop.handle, null] } },
      { action: 'shops.create' },
    ])
  }, 90_000)

  test('goes on after a service could not be reached', async () => {
    const { id, handle } = await stack.makeShop()
    await stack.makeOrder(id, { customer: person, items, paymentMethod: 'card' })
    await database.query('revoke all on orders.order_lines from storefront_orders')
    expect((await ask('DELETE', `/shops/${id}`, { handle })).status).toBe(202)
    await until(() => stack.logged().includes('a shop could not be deleted further'))
    expect(await countRowsOf(database, id)).toMatchObject({ 'orders.orders': 1 })
    await database.query('grant all on orders.order_lines to storefront_orders')
    await until(async () => (await countRowsOf(database, id))['orders.orders'] === undefined)
  }, 60_000)
})

describe('deleting a shop, by processes that are killed', () => {
  let own: TestDatabase
  let product: StartedProduct
  const start = () => startProduct({ DATABASE_URL: own.url, SECRET_KEY: 'a secret of at least 32 characters.' })
  beforeAll(async () => {
    own = await createDatabase()
    product = await start()
  }, 60_000)
  afterAll(async () => {
    await product?.stop()
    await own?.drop()
  })

  const HELD_AFTER = 10_000
  /** Lets so many rows of a table be deleted and holds the next one, until `letGo`: a process is then in the middle, however fast it is. */
  async function hold(database: Database, table: string): Promise<{ letGo(): Promise<void> }> {
    await database.query(`create sequence orders.deleted;
      create function orders.hold() returns trigger language plpgsql security definer as $$ begin
        if nextval('orders.deleted') > ${HELD_AFTER} then perform pg_advisory_xact_lock_shared(41); end if; return old; end $$;
      create trigger hold before delete on orders.${table} for each row execute function orders.hold()`)
    await database.query('select pg_advisory_lock(41)')
    return {
      async letGo() {
        await database.query('select pg_advisory_unlock(41)')
        await database.query('drop function orders.hold cascade; drop sequence orders.deleted')
      },
    }
  }

  test('a killed process is followed by another one, which finds everything that is left', async () => {
    const database = await openClient(own.url)
    const shop = await product.makeShop()
    const first = await product.makeOrder(shop.id, { customer: person, items, paymentMethod: 'card' })
    await database.query("set session_replication_role = 'replica'")
    for (const table of ['orders', 'order_lines', 'order_history']) {
      const id = table === 'orders' ? 'id' : 'order_id'
      await database.query(
        `insert into orders.${table} select (jsonb_populate_record(o, jsonb_build_object('${id}', md5(n::text)::uuid))).*
         from orders.${table} o, generate_series(1, 30000) n where o.shop_id = $1 and o.${id} = $2`,
        [shop.id, first.id],
      )
    }
    await database.query("set session_replication_role = 'origin'")
    const countOf = async (table: string) => (await countRowsOf(database, shop.id))[`orders.${table}`] ?? 0
    const begin = async () => void (await product.admin('DELETE', `/shops/${shop.id}`, { handle: shop.handle }))
    const goOn = async () => {
      await database.query('update auth.shop_deletions set next_at = now()') // As after the end of the lease.
      product = await start()
    }
    for (const [table, work] of [
      ['order_lines', begin],
      ['orders', goOn],
    ] as const) {
      const whole = await countOf(table)
      const held = await hold(database, table)
      await work()
      await until(async () => (await countOf(table)) < whole)
      await product.stop('SIGKILL')
      expect(await countOf('orders')).toBeGreaterThan(0)
      await held.letGo()
    }
    await goOn()
    await until(async () => (await database.query('select from auth.shops where id = $1', [shop.id])).rowCount === 0)
    expect(Object.keys(await countRowsOf(database, shop.id)).sort()).toEqual(kept)
    await database.close()
  }, 120_000)
})
