// Owns shops, plans, API keys and budgets: who is calling, may they, have they budget left. Also keeps what belongs to a
// shop as a whole: the use of its keys and the records of its imports.
// Answers: auth.*, shop.get, shops.*, keys.*, usage.*, imports.*. Hints: key.changed. Asks: the holders of leases.
// Spec: Authentication; Limits; GET /shop. Back office: shops, keys, usage, imports.
import type { ActionHandlers, ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { type KeyObject, randomUUID } from 'node:crypto'
import { deriveKeys } from '#config/derive-key'
import type { Worker } from '#runtime/worker-loop'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isUuid } from '#contracts/actions/params'
import { keyInput, shopChange, shopInput } from '#contracts/input/shop'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import { breaks, type Database } from '#postgres/connect'
import { once } from '#postgres/idempotency'
import { openParams } from '#schema/open'
import { openBudget } from './budget/budget.ts'
import { importDocument, reportOf } from './imports/record.ts'
import { digestsOf, mintKey, shownParts } from './keys/key.ts'
import { CreateShops1763600000001 } from './migrations/0001-create-shops.ts'
import { CreateIdentityVersions1763600000054 } from './migrations/0002-create-identity-versions.ts'
import { findImport, insertImport, listImports, saveImport } from './imports/queries.ts'
import * as queries from './queries.ts'
import { toApiKey, toUsage } from './shape.ts'
import { changedShop, isHandle, newShop } from './shops/shop.ts'
import { startSweep } from './sweep.ts'
import { ImportTable, type KeyRow, KeyTable, type ShopRow, ShopTable } from './tables.ts'
import { addUsage, insertUsageBatch, listUsage } from './budget/usage-queries.ts'

export const auth: ServiceDefinition = {
  name: 'auth',
  storage: {
    schema: 'auth',
    entities: [ShopTable, KeyTable, ImportTable],
    migrations: [CreateShops1763600000001, CreateIdentityVersions1763600000054],
  },
  needsAdminToken: false,
  dependencies: [],
  schema: authSchema,
}

// Where the list or the Idempotency-Key belongs to no shop: that of shops themselves.
const NO_SHOP = '00000000-0000-0000-0000-000000000000'

function authSchema(context: ServiceContext): ServiceParts {
  const db = context.database()
  let sweeping: Worker | null = null
  return {
    actions: {
      ...admissionHandlers(context, db),
      ...shopHandlers(context, db),
      ...keyHandlers(context, db),
      ...usageHandlers(db),
      ...importHandlers(context, db),
    },
    async started() {
      const { requestsPerMinute } = context.settings
      if (requestsPerMinute !== limits.requestsPerMinute) {
        const usual = limits.requestsPerMinute
        context.log.warn(
          { requests_per_minute: requestsPerMinute, usual },
          'REQUESTS_PER_MINUTE is not the published one',
        )
      }
      sweeping = startSweep(db, context.log)
    },
    async stopped() {
      await sweeping?.stop()
    },
  }
}

function admissionHandlers(context: ServiceContext, db: Database): ActionHandlers {
  const budget = openBudget(context, db)
  return {
    'auth.admit': ({ params: call }) => budget.admit(call),
    'auth.recognise': ({ params: { key_ids } }) => budget.recognise(key_ids),
    async 'auth.give_back'({ params: { key_id, window_id, units } }) {
      await budget.giveBack(key_id, window_id, units)
      return { units }
    },
  }
}

function shopHandlers(context: ServiceContext, db: Database): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  return {
    async 'shop.get'({ locals: { caller } }) {
      const shop = await queries.findShop(db, caller.shopId)
      if (shop === null) throw noShop()
      return toSingle(shop.document)
    },
    'shops.create': ({ params: { shop }, locals: { idempotency, now } }) => {
      const row = newShop(openParams(shopInput, shop), randomUUID(), now)
      const work = db.transaction((tx) =>
        once(tx, NO_SHOP, idempotency, now, async () => {
          await queries.insertShop(tx, row)
          return toSingle(row.record)
        }),
      )
      return work.catch((error: unknown) => {
        if (!breaks(error, 'shops_handle')) throw error
        throw refuse('conflict', `The handle ${row.handle} is taken.`, { field: 'handle' })
      })
    },
    async 'shops.list'({ params: { handle, limit, cursor } }) {
      const scope = { keys: cursorKeys, resource: 'shops', shopId: NO_SHOP, filter: filterText({ handle }) }
      const want = openPage({ limit, cursor }, scope)
      return toPage(await queries.listShops(db, handle, want), want)
    },
    'shops.get': async ({ params: { shop } }) => toSingle((await shopNamed(db, shop)).record),
    async 'shops.find'({ params: { shop } }) {
      const { id, handle, currency, time_zone, country } = await shopNamed(db, shop)
      return { shopId: id, handle, currency, timeZone: time_zone, country }
    },
    async 'shops.change'({ params: { shop, change: body }, locals: { now } }) {
      const change = openParams(shopChange, body)
      const { id } = await shopNamed(db, shop)
      const { before, after } = await db.transaction(async (tx) => {
        const before = await queries.lockShop(tx, id)
        if (before === null) throw noShop()
        const after = changedShop(before, change, now)
        if (after !== before) await queries.saveShop(tx, after)
        return { before, after }
      })
      if (after !== before) context.broadcast('key.changed', { shop_id: id })
      return toSingle(after.record)
    },
  }
}

function keyHandlers(context: ServiceContext, db: Database): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  const peppers = deriveKeys(context.settings, 'api-key')
  return {
    'keys.create': ({
      params: { key: body },
      locals: {
        caller: { shopId },
        idempotency,
        now,
      },
    }) => {
      const key = openParams(keyInput, body)
      return db.transaction((tx) =>
        once(tx, shopId, idempotency, now, async () => {
          if ((await queries.lockShop(tx, shopId)) === null) throw noShop()
          if ((await queries.countLiveKeys(tx, shopId)) >= limits.liveKeysPerShop) {
            const most = limits.liveKeysPerShop
            throw refuse('limit_reached', `A shop may hold at most ${most} live keys. Revoke one first.`)
          }
          const secret = mintKey()
          const row = newKey(shopId, key, secret, peppers, now)
          await queries.insertKey(tx, shopId, row)
          return toSingle(JSON.stringify({ ...toApiKey(row), secret }))
        }),
      )
    },
    async 'keys.list'({
      params: page,
      locals: {
        caller: { shopId },
      },
    }) {
      const want = openPage(page, { keys: cursorKeys, resource: 'keys', shopId, filter: filterText({}) })
      const rows = await queries.listKeys(db, shopId, want)
      return toPage(
        rows.map((row) => ({ ...row, document: JSON.stringify(toApiKey(row)) })),
        want,
      )
    },
    async 'keys.revoke'({
      params: { id },
      locals: {
        caller: { shopId },
        now,
      },
    }) {
      const row = isUuid(id) ? await queries.revokeKey(db, shopId, id, now) : null
      if (row === null) throw refuse('not_found', 'No key with that id in this shop.')
      context.broadcast('key.changed', { key_id: row.id })
      return toSingle(JSON.stringify(toApiKey(row)))
    },
  }
}

function usageHandlers(db: Database): ActionHandlers {
  return {
    async 'usage.record'({ params: { batch_id, rows }, locals: { now } }) {
      await db.transaction(async (tx) => {
        if (await insertUsageBatch(tx, batch_id, now)) await addUsage(tx, rows)
      })
      return { batch_id }
    },
    async 'usage.list'({ params: { minutes }, locals: { caller, now } }) {
      const since = new Date(now.getTime() - minutes * 60_000)
      const rows = await listUsage(db, caller.shopId, since)
      return Buffer.from(JSON.stringify({ data: rows.map(toUsage), has_more: false, next_cursor: null }))
    },
  }
}

function importHandlers(context: ServiceContext, db: Database): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  return {
    async 'imports.begin'({ params: { format, bytes, dry_run }, locals: { caller, now } }) {
      const id = randomUUID()
      await insertImport(db, caller.shopId, { id, format, bytes, dry_run, created_at: now })
      return { id }
    },
    async 'imports.progress'({ params: { id, ...report }, locals: { caller, now } }) {
      const row = await saveImport(db, caller.shopId, id, reportOf({ id, ...report }, 'running'), now)
      if (row === null) throw await notRunning(db, caller.shopId, id)
      return { id }
    },
    async 'imports.finish'({ params: { id, status, ...report }, locals: { caller, now } }) {
      const saved = await saveImport(db, caller.shopId, id, reportOf({ id, ...report }, status), now)
      // A question that comes again, because its first answer was lost, gets what was written then.
      const row = saved ?? (await findImport(db, caller.shopId, id))
      if (row === null || row.status !== status) throw await notRunning(db, caller.shopId, id)
      return toSingle(importDocument(row, now))
    },
    async 'imports.get'({ params: { id }, locals: { caller, now } }) {
      const row = isUuid(id) ? await findImport(db, caller.shopId, id) : null
      if (row === null) throw noImport()
      return toSingle(importDocument(row, now))
    },
    async 'imports.list'({
      params: page,
      locals: {
        caller: { shopId },
        now,
      },
    }) {
      const want = openPage(page, { keys: cursorKeys, resource: 'imports', shopId, filter: filterText({}) })
      const rows = await listImports(db, shopId, want)
      return toPage(
        rows.map((row) => ({ ...row, document: importDocument(row, now) })),
        want,
      )
    },
  }
}

function newKey(
  shopId: string,
  { name, access }: Pick<KeyRow, 'name' | 'access'>,
  secret: string,
  peppers: KeyObject[],
  now: Date,
): KeyRow {
  const [digest] = digestsOf(secret, peppers)
  if (digest === undefined) throw new Error('A key needs a pepper.')
  const { prefix, lastFour } = shownParts(secret)
  return {
    ...{ id: randomUUID(), shop_id: shopId, name, access, digest, prefix, last_four: lastFour },
    ...{ last_used_at: null, created_at: now, revoked_at: null },
  }
}

async function shopNamed(db: Database, shop: string): Promise<ShopRow> {
  if (isUuid(shop)) return (await queries.findShop(db, shop)) ?? refuseShop()
  return (isHandle(shop) ? await queries.findShopByHandle(db, shop) : null) ?? refuseShop()
}

function refuseShop(): never {
  throw noShop()
}

function noShop() {
  return refuse('not_found', 'No such shop.')
}

function noImport() {
  return refuse('not_found', 'No import with that id in this shop.')
}

async function notRunning(db: Database, shopId: string, id: string) {
  const row = await findImport(db, shopId, id)
  return row === null ? noImport() : refuse('conflict', `This import is ${row.status} and takes no more reports.`)
}
