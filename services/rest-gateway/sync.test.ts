// A client that goes on from the largest stamp it has seen misses no change. docs/spec/sync.md#promise
// A change is held between its stamp and its commit by a lock that it needs, so a change with a later stamp is committed first.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

type Row = { id: string; createdAt: string; updatedAt: string }
type Page = { data: Row[]; next_cursor: string | null }

describe.each(forms)('polling, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  const other = duringTests(() => openClient(stack.databaseUrl))
  let shop: string
  let key: string
  let since: string

  beforeEach(async () => {
    shop = (await stack.makeShop()).id
    key = (await stack.makeKey(shop, 'write')).secret
  })
  afterEach(() => other.query('rollback'))

  const make = { orders: placeOrder, products: makeProduct, contacts: makeContact }
  const change = {
    orders: ({ id }: Row) => stack.admin('POST', `/shops/${shop}/orders/${id}/confirm`, {}),
    products: ({ id }: Row) => stack.admin('PATCH', `/shops/${shop}/products/${id}`, { title: 'Cup' }),
    contacts: ({ id }: Row) => stack.post(`/api/v1/contacts/${id}/tags`, { key, json: { add: ['vip'] } }),
  }
  type List = keyof typeof make
  const tableOf = { orders: 'orders.orders', products: 'catalog.products', contacts: 'contacts.contacts' }

  async function placeOrder(name: string): Promise<Row> {
    const product = await stack.makeProduct(shop, { title: `Mug ${name}`, kind: 'digital', price: { cents: 5 } })
    const items = [{ productId: product.id, quantity: 1 }]
    return (await stack.makeOrder(shop, { paymentMethod: 'bank_transfer', items })) as unknown as Row
  }
  async function makeProduct(name: string): Promise<Row> {
    return (await stack.makeProduct(shop, { title: name, slug: name, kind: 'digital', price: { cents: 5 } })) as never
  }
  async function makeContact(name: string): Promise<Row> {
    return (await stack.makeContact(shop, { email: `${name}@example.com` })) as never
  }

  async function read(query: string): Promise<Page> {
    const { status, body } = await stack.get(`/api/v1/${query}`, { key })
    expect(status).toBe(200)
    return body as Page
  }
  const idsOf = (rows: Row[]) => rows.map(({ id }) => id).toSorted()
  const waiting = async () => {
    const { rows } = await other.query<{ pid: number }>(
      'select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
    )
    return rows[0]?.pid
  }
  /**
   * Takes the lock in a transaction of another program, then begins the work; resolves when that waits for the lock. The gateway may
   * give up before the lock is free; the service goes on, so what counts is that its change is `stored`.
   */
  async function hold(lock: string, values: string[], work: () => Promise<unknown>) {
    await other.query('begin')
    await other.query(lock, values)
    const answered = work()
    const tooEarly = answered.then((result) => Promise.reject(new Error(`Not held: ${JSON.stringify(result)}`)))
    const pid = await Promise.race([until(waiting), tooEarly])
    return { pid, ended: Promise.allSettled([answered, tooEarly]) }
  }
  /** Ids of the rows that are stored with such a stamp or a later one, once there are so many. */
  const stored = (list: List, stamp: 'created_at' | 'updated_at', count: number) =>
    until(async () => {
      const text = `select id from ${tableOf[list]} where shop_id = $1 and ${stamp} >= $2`
      const { rows } = await other.query<Row>(text, [shop, since])
      return rows.length === count && idsOf(rows)
    })

  const created: Record<List, string> = {
    orders: `select pg_advisory_xact_lock(hashtextextended('orders.products:' || $1::text, 0)), $2::text`,
    products: `insert into catalog.products select (jsonb_populate_record(p, jsonb_build_object(
      'id', gen_random_uuid(), 'slug', $2::text))).* from catalog.products p where shop_id = $1`,
    contacts: `insert into contacts.contacts select (jsonb_populate_record(c, jsonb_build_object(
      'id', gen_random_uuid(), 'email_key', $2 || '@example.com'))).* from contacts.contacts c where shop_id = $1`,
  }

  test.each<List>(['orders', 'products', 'contacts'])(
    'a new row of %s that is committed after one with a later stamp is seen',
    async (list) => {
      const first = await make[list]('first')
      since = instantAfter(first.createdAt)
      const late = await hold(created[list], [shop, 'late'], () => make[list]('late'))
      await (list === 'orders' ? makeOrderOfNothing() : make[list]('early'))
      const seen = (await read(`${list}?created_after=${since}`)).data
      await other.query('rollback')
      const next =
        seen
          .map(({ createdAt }) => createdAt)
          .toSorted()
          .at(-1) ?? since
      const lateAndEarly = await stored(list, 'created_at', 2)
      expect(idsOf((await read(`${list}?created_after=${next}`)).data)).toEqual(lateAndEarly)
      await late.ended
    },
  )

  // Without a product it needs not wait for the lock.
  async function makeOrderOfNothing(): Promise<Row> {
    const items = [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 5 }, quantity: 1 }]
    return (await stack.makeOrder(shop, { paymentMethod: 'card', items })) as never
  }

  async function holdChange(list: List) {
    const [one, two] = [await make[list]('one'), await make[list]('two')]
    since = instantAfter(two.updatedAt)
    const lock = `select 1 from ${tableOf[list]} where shop_id = $1 and id = $2 for update`
    const late = await hold(lock, [shop, one.id], () => change[list](one))
    await change[list](two)
    return { one, two, late }
  }

  test.each<List>(['orders', 'products', 'contacts'])(
    'a change of %s that is committed after one with a later stamp is seen',
    async (list) => {
      const { one, two, late } = await holdChange(list)
      const seen = (await read(`${list}?updated_after=${since}`)).data
      await other.query('rollback')
      expect(await stored(list, 'updated_at', 2)).toEqual(idsOf([one, two]))
      const next =
        seen
          .map(({ updatedAt }) => updatedAt)
          .toSorted()
          .at(-1) ?? since
      expect(idsOf((await read(`${list}?updated_after=${next}`)).data)).toEqual(idsOf([one, two]))
      await late.ended
    },
  )

  test('a page that lacks rows is not kept, and a writer that dies holds nothing back', async () => {
    const { two, late } = await holdChange('contacts')
    for (let time = 0; time < 3; time += 1) expect((await read(`contacts?updated_after=${since}`)).data).toEqual([])
    await other.query('select pg_terminate_backend($1)', [late.pid])
    // The transaction that locks the contact is still open: others hold nothing back.
    const seen = await until(async () => {
      const { data } = await read(`contacts?updated_after=${since}`)
      return data.length > 0 && idsOf(data)
    })
    expect(seen).toEqual([two.id])
    await late.ended
  })

  test('a page reached by a cursor shows nothing that was changed after the first page, the next poll does', async () => {
    const rows: Row[] = []
    for (const name of ['a', 'b', 'c']) rows.push(await makeContact(name))
    const [oldest, middle, newest] = rows as [Row, Row, Row]
    const first = await read(`contacts?updated_after=${oldest.updatedAt}&limit=1`)
    expect(idsOf(first.data)).toEqual([newest.id])
    await change.contacts(middle)
    const rest = await read(`contacts?updated_after=${oldest.updatedAt}&cursor=${first.next_cursor}`)
    expect(idsOf(rest.data)).toEqual([oldest.id])
    expect(idsOf((await read(`contacts?updated_after=${newest.updatedAt}`)).data)).toEqual(idsOf([middle, newest]))
  })

  test('stamps do not fall when the clock of the database is set back, and an order dated ahead draws none with it', async () => {
    const [one, two] = [await makeContact('one'), await makeContact('two')]
    await other.query("update contacts.contacts set updated_at = now() + interval '5 s' where id = $1", [one.id])
    const { rows } = await other.query<{ at: Date }>('select updated_at as at from contacts.contacts where id = $1', [
      one.id,
    ])
    const after = (await change.contacts(two)).body as { data: Row }
    expect(Date.parse(after.data.updatedAt)).toBeGreaterThanOrEqual(rows[0]?.at.getTime() ?? Number.NaN)
    const items = [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 5 }, quantity: 1 }]
    await stack.makeOrder(shop, { paymentMethod: 'card', items, createdAt: '2126-01-01T00:00:00Z' })
    const order = await makeOrderOfNothing()
    expect(order.updatedAt < '2126').toBe(true)
    expect(idsOf((await read('orders?created_after=2020-01-01T00:00:00Z')).data)).toEqual([order.id])
  })
})

function instantAfter(stamp: string): string {
  return new Date(Date.parse(stamp) + 1).toISOString()
}
