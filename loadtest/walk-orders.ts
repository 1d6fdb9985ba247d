// Owns measuring a walk through a large shop with the service's own query: page 1 against a deep page, run in turn so that
// both see the same machine, and the plans and times of both and of every filter.
// node loadtest/walk-orders.ts --shop <uuid> [--page 400] [--limit 100] [--runs 200] [--database <url>]
import { createSecretKey } from 'node:crypto'
import { parseArgs } from 'node:util'
import { openPage, type PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import { type ListFilter, listOrders } from '../services/orders/queries.ts'
import { openOrders, wholeNumber } from './order-database.ts'

const { values } = parseArgs({
  options: {
    shop: { type: 'string', default: '' },
    page: { type: 'string', default: '400' },
    limit: { type: 'string', default: '100' },
    runs: { type: 'string', default: '200' },
    database: { type: 'string' },
  },
})
const shopId = values.shop
if (shopId === '') throw new Error('--shop <uuid> is missing; seed-orders.ts prints it.')
const [page, limit, runs] = [
  wholeNumber('page', values.page),
  wholeNumber('limit', values.limit),
  wholeNumber('runs', values.runs),
]
const scope = { keys: [createSecretKey(Buffer.alloc(32))], resource: 'orders', shopId, filter: '' }
const first = openPage({ limit }, scope)
const db = await openOrders(values.database)
try {
  await db.session(async (session) => {
    const deep = await walkTo(session)
    await measure(session, deep)
    await explainAll(session, deep)
    await timeAll(session, deep)
  })
} finally {
  await db.close()
}

async function walkTo(sql: Sql): Promise<PageRequest> {
  let want = first
  for (let number = 1; number < page; number += 1) {
    const parts = await listOrders(sql, shopId, {}, want)
    const taken = parts.find(({ id }) => id !== null)
    if (!taken?.created_at || taken.id === null) throw new Error(`The shop ${shopId} ends on page ${number}.`)
    want = { ...want, after: { createdAt: taken.created_at, id: taken.id } }
  }
  return want
}

async function measure(sql: Sql, deep: PageRequest): Promise<void> {
  const timesOf = { first: [] as number[], deep: [] as number[] }
  for (let run = 0; run < runs; run += 1) {
    timesOf.first.push(await timeOf(sql, first))
    timesOf.deep.push(await timeOf(sql, deep))
  }
  const [one, other] = [median(timesOf.first), median(timesOf.deep)]
  const [firstMs, deepMs] = [one.toFixed(3), other.toFixed(3)]
  print(
    `page 1: median ${firstMs} ms; page ${page}: median ${deepMs} ms; ratio ${(other / one).toFixed(3)} (${runs} runs)`,
  )
}

async function timeOf(sql: Sql, want: PageRequest, filter: ListFilter = {}): Promise<number> {
  const began = performance.now()
  await listOrders(sql, shopId, filter, want)
  return performance.now() - began
}

type Case = [name: string, filter: ListFilter, want: PageRequest]

async function explainAll(sql: Sql, deep: PageRequest): Promise<void> {
  for (const [name, filter, want] of await casesOf(sql, deep)) print(`\n${name}\n${await planOf(sql, filter, want)}`)
}

// Each in turn, so that all see the same machine.
async function timeAll(sql: Sql, deep: PageRequest): Promise<void> {
  const cases = await casesOf(sql, deep)
  const times = cases.map((): number[] => [])
  for (let run = 0; run < runs; run += 1) {
    for (const [index, [, filter, want]] of cases.entries()) times[index]?.push(await timeOf(sql, want, filter))
  }
  print('\n| list | median ms |\n|---|---|')
  for (const [index, [name]] of cases.entries()) print(`| ${name} | ${median(times[index] ?? []).toFixed(2)} |`)
}

async function casesOf(sql: Sql, deep: PageRequest): Promise<Case[]> {
  const oldest = await firstOf(sql, deep)
  const newest = await firstOf(sql, first)
  return [
    ['page 1', {}, first],
    [`page ${page}`, {}, deep],
    ['status', { status: 'new' }, first],
    ['payment_status', { payment_status: 'unpaid' }, first],
    ['status and payment_status', { status: 'new', payment_status: 'unpaid' }, first],
    ['email', { email_key: oldest.email }, first],
    ['created_before', { created_before: oldest.createdAt }, first],
    ['created_after', { created_after: oldest.createdAt }, first],
    ['updated_before', { updated_before: oldest.createdAt }, first],
    ['updated_after, many', { updated_after: oldest.createdAt }, first],
    ['updated_after, few', { updated_after: newest.createdAt }, first],
    ['updated_after, none', { updated_after: new Date(Date.now() + 1_000_000_000) }, first],
    [
      'updated_after, none, and a status',
      { updated_after: new Date(Date.now() + 1_000_000_000), status: 'new' },
      first,
    ],
    ['status, deep', { status: 'new' }, deep],
  ]
}

// The first order of a page that has one.
async function firstOf(sql: Sql, want: PageRequest): Promise<{ email: string; createdAt: Date }> {
  const parts = await listOrders(sql, shopId, {}, want)
  const page = parts.find(({ part }) => part === 0)
  const [order] = JSON.parse(`[${String(page?.documents ?? '')}]`) as {
    createdAt: string
    customer: { email: string }
  }[]
  if (order === undefined) throw new Error('A page is empty.')
  return { email: order.customer.email, createdAt: new Date(order.createdAt) }
}

async function planOf(sql: Sql, filter: ListFilter, want: PageRequest): Promise<string> {
  const plans: string[] = []
  const explaining: Sql = {
    async rows<Row>(text: string, given?: unknown[]) {
      const rows = await sql.rows<Record<'QUERY PLAN', string>>(`explain (analyze, buffers) ${text}`, given)
      plans.push(...rows.map((row) => row['QUERY PLAN']))
      return sql.rows<Row>(text, given)
    },
  }
  await listOrders(explaining, shopId, filter, want)
  return plans.join('\n')
}

function median(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
