// The product behind PgBouncer, with the roles of deploy/roles.sql: docs/spec/running.md#behind-a-pooler
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { connect } from '#postgres/connect'
import { migrate } from '#postgres/migrate'
import { createEmptyDatabase, holdRoles, onServer, openClient, type TestDatabase } from '#testing/database'
import { openBackOffice } from '#testing/product/back-office'
import { forms, openBus } from '#testing/product/deployment-forms'
import { FLEET_TOKEN, startFleet } from '#testing/product/fleet'
import { exchange } from '#testing/product/http'
import { pgbouncer, type Pooler, poolModes, startPooler } from '#testing/servers/pgbouncer'
import { isSigned, openReceiver } from '#testing/servers/receiver'
import { until } from '#testing/until'
import { describeWhere } from '#testing/where-possible'
import { services } from './services.ts'

const roles = readFileSync(join(import.meta.dirname, 'roles.sql'), 'utf8')
const password = randomBytes(12).toString('hex')
const storages = services.flatMap(({ storage }) => (storage === null ? [] : [storage]))
const logins = storages.map(({ schema }) => `storefront_${schema}`)
const wrong: Record<string, string> = {
  search_path: 'public',
  statement_timeout: '1h',
  idle_in_transaction_session_timeout: '0',
  timezone: 'Europe/London',
  random_page_cost: '4',
  enable_seqscan: 'on',
  plan_cache_mode: 'auto',
}
const ofPool = { connectionsMax: 2, statementTimeoutMs: 15_000, onError: () => undefined }
const users = Object.fromEntries(logins.map((login) => [login, password]))
const HELD_MS = 300_000 // The roles, by other test files.
const isPossible = pgbouncer !== null && forms.includes('distributed')

const where = describeWhere(isPossible || process.env.CI === 'true', 'pgbouncer or nats-server is missing')
where('behind PgBouncer', () => {
  describe.each(poolModes())('in %s mode', (mode) => {
    let database: TestDatabase
    let pooler: Pooler
    let letGo: () => Promise<void>

    beforeAll(async () => {
      letGo = await holdRoles()
      database = await createEmptyDatabase()
      await onServer(database.url, roles)
      for (const login of logins) await onServer(database.url, `alter role ${login} password '${password}'`)
      pooler = await startPooler(database.url, mode, users)
    }, HELD_MS)
    afterAll(async () => {
      await pooler.stop()
      // Roles belong to the whole server: other tests expect these without login.
      for (const login of logins) await onServer(database.url, `alter role ${login} nologin password null`)
      await database.drop()
      await letGo()
    })

    const directUrl = (schema: string) => {
      const url = new URL(database.url)
      url.username = `storefront_${schema}`
      url.password = password
      return url.href
    }

    test('every service works as its own login: an order is placed, listed and reported, and commands are kept', async () => {
      const namespace = `test-${randomUUID()}`
      const bus = await openBus(namespace)
      const receiver = await openReceiver()
      const fleet = await startFleet(bus, namespace, (service) => {
        const schema = storages.find((storage) => storage.schema === service)?.schema
        const own = { SECRET_KEY: 'a secret of at least 32 characters.', WEBHOOK_ALLOW_PRIVATE: 'true' }
        if (schema === undefined) return own
        return { ...own, DATABASE_URL: pooler.urlOf(directUrl(schema)), DATABASE_DIRECT_URL: directUrl(schema) }
      })
      try {
        const office = openBackOffice(fleet.adminPort, FLEET_TOKEN)
        const { id } = await office.makeShop()
        const { secret: key } = await office.makeKey(id, 'write')
        const hook = { url: receiver.url, events: ['order.paid'] }
        const endpoint = (await office.admin('POST', `/shops/${id}/webhook-endpoints`, hook)).data as { secret: string }
        const items = [{ title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 1_250 } }]
        const order = { paymentMethod: 'card', customer: { email: 'ada@example.com' }, items }
        const placed = await Promise.all(Array.from({ length: 20 }, () => office.makeOrder(id, order)))
        for (const { id: one } of placed) await office.admin('POST', `/shops/${id}/orders/${one}/mark-paid`)
        await until(() => receiver.received.length >= placed.length)
        expect(receiver.received.every((one) => isSigned(one, endpoint.secret))).toBe(true)
        const headers = { authorization: `Bearer ${key}` }
        const reads = Array.from({ length: 50 }, () =>
          exchange(fleet.publicPort, '/api/v1/orders?limit=5', { headers }),
        )
        for (const { status, body } of await Promise.all(reads)) {
          expect(status).toBe(200)
          expect((body as { data: object[] }).data).toHaveLength(5)
        }
      } finally {
        await fleet.stop()
        await receiver.close()
        await bus.stop()
      }
    }, 120_000)

    test.each(storages.map((storage) => [storage.schema, storage] as const))(
      '%s does not start where a setting is not a property of its role, and names it',
      async (schema, storage) => {
        await migrate(storage, directUrl(schema))
        // A new one, since PgBouncer keeps connections and what it knows of them.
        const open = async () => {
          const fresh = await startPooler(database.url, mode, users)
          try {
            const db = await connect(storage, { ...ofPool, url: fresh.urlOf(directUrl(schema)), role: null })
            await db.close()
          } finally {
            await fresh.stop()
          }
        }
        await open()
        const inDatabase = `alter role storefront_${schema} in database ${new URL(database.url).pathname.slice(1)}`
        const client = await openClient(database.url)
        const { rows } = await client.query<{ setting: string }>(
          `select unnest(setconfig) as setting from pg_db_role_setting s join pg_roles r on r.oid = s.setrole
             join pg_database d on d.oid = s.setdatabase
           where r.rolname = $1 and d.datname = current_database()`,
          [`storefront_${schema}`],
        )
        expect(rows.length).toBe(storage.isByIndex === true ? 7 : 5)
        try {
          for (const { setting } of rows) {
            const [property = '', value = ''] = setting.split('=')
            await client.query(`${inDatabase} set ${property} = '${wrong[property.toLowerCase()]}'`)
            await expect(open()).rejects.toThrow(new RegExp(`^${property} is .*, but must be `, 'i'))
            await client.query(`${inDatabase} set ${property} = '${value}'`)
          }
        } finally {
          await client.close()
        }
      },
    )

    test('a service whose URL is that of the owner is refused, since it would act as the owner', async () => {
      const [storage] = storages
      if (storage === undefined) throw new Error('No service has a schema.')
      const opened = connect(storage, {
        ...ofPool,
        url: pooler.urlOf(directUrl('orders')),
        role: `storefront_${storage.schema}`,
      })
      await expect(opened).rejects.toThrow(`must act as storefront_${storage.schema}`)
    })
  })
})
