// The database roles of production: each migrates and reads its own schema, and no other.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { migrate } from '#postgres/migrate'
import { createEmptyDatabase, holdRoles, type TestDatabase } from '#testing/database'
import { auth } from '../services/auth/service.ts'
import { orders } from '../services/orders/service.ts'

const text = readFileSync(join(import.meta.dirname, 'roles.sql'), 'utf8')
const password = 'only-for-this-test'
const logins = ['storefront_owner', 'storefront_auth', 'storefront_orders']
const HELD_MS = 300_000 // By other test files.
let database: TestDatabase
let letGo: () => Promise<void>

beforeAll(async () => {
  letGo = await holdRoles()
  database = await createEmptyDatabase()
  await asRole(null, async (client) => {
    await client.query(text)
    await client.query(text)
    for (const role of logins) await client.query(`alter role ${role} password '${password}'`)
  })
}, HELD_MS)
afterAll(async () => {
  // Roles belong to the whole server: other tests expect these without login.
  await asRole(null, async (client) => {
    for (const role of logins) await client.query(`alter role ${role} nologin password null`)
  })
  await database.drop()
  await letGo()
})

test('the owner migrates as the service that owns the schema, and the service then finds nothing to do', async () => {
  const { storage } = orders
  if (storage === null) throw new Error('The orders service has no schema.')
  const first = await migrate(storage, urlOf('storefront_owner'))
  expect(first.role).toBe('storefront_orders')
  expect(first.applied.length).toBeGreaterThan(0)
  expect(await migrate(storage, urlOf('storefront_orders'))).toEqual({ role: null, applied: [] })
  expect(await migrate(storage, urlOf('storefront_owner'))).toEqual({ role: 'storefront_orders', applied: [] })
  const owners = await asRole('storefront_orders', (client) =>
    client.query("select distinct tableowner from pg_tables where schemaname = 'orders'"),
  )
  expect(owners.rows).toEqual([{ tableowner: 'storefront_orders' }])
})

test('a service migrates its own schema by its own login, and sees no other', async () => {
  const { storage } = auth
  if (storage === null) throw new Error('The auth service has no schema.')
  expect((await migrate(storage, urlOf('storefront_auth'))).role).toBeNull()
  await asRole('storefront_auth', async (client) => {
    expect((await client.query('select count(*)::int as count from shops')).rows).toEqual([{ count: 0 }])
    await expect(client.query('select 1 from orders.orders')).rejects.toThrow(/permission denied for schema orders/)
    await expect(client.query('create schema own')).rejects.toThrow(/permission denied for database/)
  })
})

function urlOf(role: string): string {
  const url = new URL(database.url)
  url.username = role
  url.password = password
  return url.href
}

async function asRole<Result>(role: string | null, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: role === null ? database.url : urlOf(role) })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
