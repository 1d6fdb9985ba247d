// Both clients compare a copy with the shop and name exactly what differs, whatever is written beside them. docs/spec/sync.md#compare
import { beforeAll, describe, expect, test } from '@jest/globals'
import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { openStack } from '#testing/product/stack'
import { pythonWith } from '#testing/files/tool-folder'
import { type Copy, createStorefront, type Difference } from './typescript/src/client.ts'

type Row = [id: string, updatedAt: string]
type List = 'orders' | 'products' | 'contacts'
type Case = { list: List; rows: Row[]; form: 'map' | 'rows' | 'async'; updatedAfter?: string }
type Damaged = { rows: Row[]; difference: Difference }

const ROWS = 12_000 // Three pages.
const DAMAGED = 20
const lists: List[] = ['orders', 'products', 'contacts']
const tables = { orders: 'orders.orders', products: 'catalog.products', contacts: 'contacts.contacts' }
const own = {
  orders: "jsonb '{}'",
  products: `jsonb_build_object('slug', n::text)`,
  contacts: `jsonb_build_object('email_key', n::text)`,
}
const nothing: Difference = { missing: [], gone: [], stale: [] }
const byId = ([one]: Row, [other]: Row) => (one < other ? -1 : 1)

const stack = duringTests(() => openStack({ form: 'one-process', env: { REQUESTS_PER_MINUTE: '100000' } }))
const database = duringTests(() => openClient(stack.databaseUrl))
const truth = {} as Record<List, Row[]>
let shopId: string
let key: string
let url: string
let python: string

beforeAll(async () => {
  const root = join(import.meta.dirname, 'python')
  python = join(pythonWith('python-client', readFileSync(join(root, 'requirements.txt'), 'utf8')), 'python')
  shopId = (await stack.makeShop()).id
  key = (await stack.makeKey(shopId, 'write')).secret
  url = `http://127.0.0.1:${stack.ports[0]}`
  const templates = {
    orders: await placeOrder(),
    products: await makeProduct('Mug'),
    contacts: await makeContact('ada'),
  }
  for (const list of lists) {
    await database.query(
      `insert into ${tables[list]} select copied.* from ${tables[list]} t cross join generate_series(1, ${ROWS}) n
         cross join lateral (select date_trunc('milliseconds', now()) - interval '1 day' + n * interval '1 ms' as at) times,
         jsonb_populate_record(t, ${own[list]} ||
           jsonb_build_object('id', gen_random_uuid(), 'phone', null, 'created_at', at, 'updated_at', at)) copied
       where t.id = $1`,
      [templates[list].id],
    )
    truth[list] = await rowsOf(list)
  }
}, 300_000)

const placeOrder = (shop = shopId) =>
  stack.makeOrder(shop, {
    paymentMethod: 'bank_transfer',
    items: [{ title: 'Tea', kind: 'physical', quantity: 1, unitPrice: { cents: 5 } }],
  })
const makeProduct = (title: string) => stack.makeProduct(shopId, { title, price: { cents: 5 } })
const makeContact = (name: string) => stack.makeContact(shopId, { email: `${name}@example.com` })

async function rowsOf(list: List): Promise<Row[]> {
  const { rows } = await database.query<{ id: string; updated_at: Date }>(
    `select id, updated_at from ${tables[list]} where shop_id = $1 order by id`,
    [shopId],
  )
  return rows.map(({ id, updated_at }) => [id, updated_at.toISOString()])
}

/** The rows without the newest, which a poll would bring again, and with so many left out, made older, made later and added. */
function damage(rows: Row[]): Damaged {
  const newest = rows
    .map(([, updatedAt]) => updatedAt)
    .toSorted()
    .at(-1)
  const chosen = new Set<string>()
  while (chosen.size < 3 * DAMAGED) {
    const [id, updatedAt] = rows[Math.floor(Math.random() * rows.length)] ?? ['', newest]
    if (updatedAt !== newest) chosen.add(id)
  }
  const ids = [...chosen]
  const [missing, older, later] = [ids.slice(0, DAMAGED), ids.slice(DAMAGED, -DAMAGED), ids.slice(-DAMAGED)]
  const gone = Array.from({ length: DAMAGED }, () => randomUUID())
  const damaged = rows
    .filter(([id]) => !missing.includes(id))
    .map(([id, updatedAt]): Row => {
      const ms = Date.parse(updatedAt)
      return [id, older.includes(id) ? iso(ms - 1) : later.includes(id) ? iso(ms + 1) : updatedAt]
    })
  const kept = gone.map((id): Row => [id, '2026-01-01T00:00:00.000Z'])
  return {
    rows: [...damaged, ...kept].toSorted(byId),
    difference: { missing: missing.toSorted(), gone: gone.toSorted(), stale: [...older, ...later].toSorted() },
  }
}
const iso = (ms: number) => new Date(ms).toISOString()

async function* oneByOne(rows: Row[]): AsyncGenerator<Row> {
  for (const row of rows) yield row
}
const copyOf = ({ rows, form }: Pick<Case, 'rows' | 'form'>): Copy =>
  form === 'map'
    ? new Map(rows.map(([id, at]) => [id, new Date(at)]))
    : form === 'rows'
      ? rows.values()
      : oneByOne(rows)

async function byTypescript(cases: Case[]): Promise<Difference[]> {
  const shop = createStorefront({ baseUrl: url, key })
  const differences: Difference[] = []
  for (const { list, updatedAfter, ...copy } of cases) {
    differences.push(await shop[list].compare(copyOf(copy), { updatedAfter }))
  }
  return differences
}

async function byPython(mode: string, cases: Case[]): Promise<Difference[]> {
  const root = join(import.meta.dirname, 'python')
  const env = { ...process.env, PYTHONPATH: join(root, 'src') }
  const child = spawn(python, [join(root, 'check_compare.py'), mode], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify({ url, key, cases }))
  return (await json(child.stdout)) as Difference[]
}

/** Changes and makes objects of all lists until it is stopped; returns how many. */
function startWriter(): { stop(): Promise<number> } {
  let isStopped = false
  const writing = (async () => {
    let count = 0
    for (; !isStopped; count += 1) {
      const [order, product, contact] = [
        await placeOrder(),
        await makeProduct(randomUUID()),
        await makeContact(randomUUID()),
      ]
      await stack.admin('POST', `/shops/${shopId}/orders/${order.id}/confirm`, {})
      await stack.admin('PATCH', `/shops/${shopId}/products/${product.id}`, { price: { cents: 6 } })
      await stack.post(`/api/v1/contacts/${contact.id}/tags`, { key, json: { add: ['vip'] } })
    }
    return count
  })()
  return {
    stop() {
      isStopped = true
      return writing
    },
  }
}

const clients: [name: string, compare: (cases: Case[]) => Promise<Difference[]>][] = [
  ['the TypeScript client', byTypescript],
  ['the Python client that waits', (cases) => byPython('waiting', cases)],
  ['the Python client with asyncio', (cases) => byPython('asyncio', cases)],
]

describe.each(clients)('%s', (_name, compare) => {
  test('finds nothing in a true copy and exactly the damage of another, in any form and order, beside a writer', async () => {
    const cases: Case[] = []
    const expected: Difference[] = []
    const writer = startWriter()
    for (const list of lists) {
      for (const form of ['map', 'rows', 'async'] as const) {
        const rows = await rowsOf(list)
        const { rows: damaged, difference } = damage(rows)
        cases.push({ list, rows, form }, { list, rows: damaged, form })
        expected.push(nothing, difference)
      }
      const { rows, difference } = damage(await rowsOf(list))
      cases.push({ list, rows: rows.toSorted(() => Math.random() - 0.5), form: 'rows' })
      expected.push(difference)
    }
    const differences = await compare(cases)
    expect(await writer.stop()).toBeGreaterThan(0)
    expect(differences).toEqual(expected)
  }, 120_000)

  test('leaves out what the next poll brings, and judges up to the position that it is given', async () => {
    const rows = await rowsOf('contacts')
    const byTime = rows.toSorted(([, one], [, other]) => (one < other ? -1 : 1))
    const behind = byTime.slice(0, -100)
    const later = byTime.slice(-100).map(([id]) => id)
    const now = iso(Date.now() + 60_000)
    const position = behind.at(-1)?.[1] ?? ''
    // As a copy that has read on since: a row with a later stamp, and one that is not shown yet.
    const ahead = [...behind.slice(1), [behind[0]?.[0] ?? '', now], [randomUUID(), now]] as Row[]
    expect(
      await compare([
        { list: 'contacts', rows: behind, form: 'map' },
        { list: 'contacts', rows: behind, form: 'map', updatedAfter: now },
        { list: 'contacts', rows: ahead, form: 'rows', updatedAfter: position },
      ]),
    ).toEqual([nothing, { ...nothing, missing: later.toSorted() }, nothing])
  }, 120_000)

  test('of an empty copy everything is missing, and of a copy of an empty list everything is gone', async () => {
    const rows = await rowsOf('products')
    const foreign = createStorefront({ baseUrl: url, key: (await stack.makeKey((await stack.makeShop()).id)).secret })
    const ids = rows.map(([id]) => id)
    expect(await compare([{ list: 'products', rows: [], form: 'async' }])).toEqual([{ ...nothing, missing: ids }])
    expect(await foreign.products.compare(new Map(rows))).toEqual({ ...nothing, gone: ids })
    expect(await foreign.products.compare([])).toEqual(nothing)
  }, 120_000)
})

describe('the TypeScript client', () => {
  /** A client that counts its calls; `before` is called with the number of each. */
  function counting(before: (call: number) => Promise<unknown> = async () => undefined) {
    let calls = 0
    const shop = createStorefront({
      baseUrl: url,
      key,
      fetch: async (...sent) => {
        calls += 1
        await before(calls)
        return fetch(...sent)
      },
    })
    return { shop, calls: () => calls }
  }

  test('reads a copy in the order of ids no further than the page at hand, with one call for 5,000 stamps', async () => {
    let read = 0
    const ahead: number[] = []
    const rows = await rowsOf('orders')
    const { shop, calls } = counting(async (call) => ahead.push(read - 5_000 * (call - 1)))
    async function* copy() {
      for (const row of rows) {
        read += 1
        yield row
      }
    }
    expect(await shop.orders.compare(copy())).toEqual(nothing)
    expect(calls()).toBe(Math.ceil(rows.length / 5_000))
    expect(ahead).toEqual(ahead.map(() => 1))
  })

  test.each(['products', 'contacts'] as const)(
    '%s deleted or made while pages are read make no false difference',
    async (list) => {
      const rows = await rowsOf(list)
      const [first, last] = [rows[0]?.[0] ?? '', rows.at(-1)?.[0] ?? '']
      const remove = (id: string) =>
        list === 'products'
          ? stack.admin('DELETE', `/shops/${shopId}/products/${id}`)
          : stack.admin('POST', `/shops/${shopId}/contacts/${id}/erase`, {})
      const { shop } = counting(async (call) => {
        if (call !== 2) return
        await Promise.all([remove(first), remove(last)])
        for (let made = 0; made < 20; made += 1) await (list === 'products' ? makeProduct : makeContact)(randomUUID())
      })
      // The first one was shown before it was deleted; the next comparison names it.
      expect(await shop[list].compare(new Map(rows))).toEqual({ ...nothing, gone: [last] })
      expect(await shop[list].compare(new Map(rows))).toEqual({ ...nothing, gone: [first, last] })
    },
  )

  test('a map that changes while pages are read counts as it was', async () => {
    const copy = new Map(await rowsOf('contacts'))
    const { shop } = counting(async () => copy.clear())
    expect(await shop.contacts.compare(copy)).toEqual(nothing)
  })

  test('ends with the signal, refuses what is no instant, and closes the copy', async () => {
    let isClosed = false
    async function* copy(): AsyncGenerator<Row> {
      try {
        for (;;) yield [randomUUID(), 'yesterday']
      } finally {
        isClosed = true
      }
    }
    const { contacts } = createStorefront({ baseUrl: url, key })
    await expect(contacts.compare(copy(), { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
    expect(isClosed).toBe(true)
    await expect(contacts.compare(copy())).rejects.toThrow('"yesterday" is no instant.')
  })
})

// Each keeps a copy in SQLite, compares and repairs it.
describe('the program of the guide', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
  const [, section = ''] = read('../docs/guides/sellers.md').split('### Is my copy complete?')
  const programIn = (language: string) => section.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''
  const client = join(import.meta.dirname, 'typescript/src/client.ts')
  const programs = {
    'in TypeScript': () => ({
      file: 'program.ts',
      text: programIn('ts').replace('@storefront/client', client),
      run: process.execPath,
    }),
    'in Python': () => ({ file: 'program.py', text: programIn('python'), run: python }),
  }

  test.each(Object.entries(programs))('%s names and repairs what differs', async (_name, programOf) => {
    const { file, text, run } = programOf()
    const folder = mkdtempSync(join(tmpdir(), 'storefront-copy-'))
    try {
      writeFileSync(join(folder, file), text)
      const shop = await stack.makeShop()
      const { secret } = await stack.makeKey(shop.id)
      const orders: string[] = []
      for (let count = 0; count < 8; count += 1) orders.push((await placeOrder(shop.id)).id)
      const env = {
        ...process.env,
        STOREFRONT_URL: url,
        STOREFRONT_KEY: secret,
        PYTHONPATH: join(import.meta.dirname, 'python/src'),
      }
      const runOnce = async () => (await promisify(execFile)(run, [file], { cwd: folder, env })).stdout.trim()
      expect(await runOnce()).toBe('8 orders: 0 missing, 0 gone, 0 stale')
      const copy = new DatabaseSync(join(folder, 'copy.db'))
      copy.prepare('delete from orders where id = ?').run(orders[0] ?? '')
      copy.prepare("update orders set updated_at = '2026-01-01T00:00:00.000Z' where id = ?").run(orders[1] ?? '')
      copy.close()
      await database.query('delete from orders.orders where id = any($1)', [[orders[2], orders[7]]])
      expect(await runOnce()).toBe('7 orders: 1 missing, 2 gone, 1 stale')
      expect(await runOnce()).toBe('6 orders: 0 missing, 0 gone, 0 stale')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('in TypeScript type-checks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'storefront-program-'))
    try {
      const root = join(import.meta.dirname, '..')
      const compilerOptions = {
        ...{ noEmit: true, strict: true, module: 'nodenext', target: 'es2024', skipLibCheck: true },
        ...{ allowImportingTsExtensions: true, types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
        paths: { '@storefront/client': [client] },
      }
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
      writeFileSync(join(folder, 'program.ts'), programIn('ts'))
      const checked = promisify(execFile)(process.execPath, [
        join(root, 'node_modules/typescript/bin/tsc'),
        '-p',
        folder,
      ])
      await expect(checked).resolves.toMatchObject({ stdout: '' })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
