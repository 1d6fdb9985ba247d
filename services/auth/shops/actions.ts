// The actions of shops. docs/spec/back-office.md#shops, docs/spec/rest-api.md#get-the-shop
import { randomUUID } from 'node:crypto'
import { NO_SHOP } from '#audit/command'
import type { ActionHandlers, ServiceContext } from '#runtime/service'
import { deriveKeys } from '#config/derive-key'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import { breaks, type Database, type Sql } from '#postgres/connect'
import { command, recordDone } from '../audit/queries.ts'
import { toShopOfCall } from '../shape.ts'
import { isHandleOfRestore, lockHandle } from '../restores/queries.ts'
import type { ShopRow } from '../tables.ts'
import { markDeleted } from './deletion-queries.ts'
import { findShop, findShopByHandle, insertShop, listShops, lockShop, saveShop } from './queries.ts'
import { changedShop, isHandle, newShop } from './shop.ts'

const STOP_MS = 5_000

/** `onDeleted` is called when there is a shop to delete in the background. */
export function shopActions(context: ServiceContext, db: Database, onDeleted: () => void): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  return {
    async 'shop.get'({ locals: { caller } }) {
      const shop = await findShop(db, caller.shopId)
      if (shop === null) throw noShop()
      return toSingle(shop.document)
    },
    async 'shops.create'({ params, locals }) {
      const shop = newShop(params.shop, randomUUID(), locals.now)
      const scope = { keysOf: NO_SHOP, shopId: shop.id }
      const work = async (tx: Sql) => {
        await lockHandle(tx, shop.handle)
        if (await isHandleOfRestore(tx, shop.handle)) throw handleIsTaken(shop.handle)
        await insertShop(tx, shop)
        return { before: null, after: shop.record }
      }
      try {
        return await db.transaction((tx) => command(tx, locals, () => work(tx), scope))
      } catch (error) {
        if (!breaks(error, 'shops_handle')) throw error
        throw handleIsTaken(shop.handle)
      }
    },
    async 'shops.list'({ params: { handle, limit, cursor }, locals: { operator } }) {
      const shopIds = operator?.shops ?? undefined
      const scope = { keys: cursorKeys, resource: 'shops', shopId: NO_SHOP, filter: filterText({ handle, shopIds }) }
      const page = openPage({ limit, cursor }, scope)
      return toPage(await listShops(db, { handle, shopIds }, page), page)
    },
    async 'shops.get'({ params }) {
      return toSingle((await requireShop(db, params.shop)).record)
    },
    async 'shops.find'({ params }) {
      return toShopOfCall(await requireShop(db, params.shop))
    },
    async 'shops.delete'({ params: { shop, deletion }, locals }) {
      const { id, handle } = await requireShop(db, shop)
      if (deletion.handle !== handle) throw notRepeated()
      await db.transaction(async (tx) => {
        const before = await lockShop(tx, id)
        if (before === null) throw noShop()
        await markDeleted(tx, before, locals.now)
        await recordDone(tx, locals, { before: before.record, after: null }, { shopId: id })
      })
      context.broadcast('key.changed', { shop_id: id })
      // So that no delivery follows the answer. Where webhooks cannot be reached, the deletion in the background begins with it.
      await context
        .call('webhooks.delete_shop', { shop_id: id, for_ms: 0 }, { timeoutMs: STOP_MS })
        .catch((error: unknown) => {
          context.log.warn({ error, shop_id: id }, 'the deliveries of a deleted shop could not be stopped at once')
        })
      onDeleted()
      return toSingle(JSON.stringify({ id, object: 'shop', deleted: true }))
    },
    async 'shops.change'({ params, locals }) {
      const { operator, now } = locals
      const { id } = await requireShop(db, params.shop)
      const { before, after } = await db.transaction(async (tx) => {
        const before = await lockShop(tx, id)
        if (before === null) throw noShop()
        const after = changedShop(before, params.change, now)
        if (after.plan !== before.plan && operator?.role !== 'owner') throw planIsOwners()
        if (after !== before) await saveShop(tx, after)
        await recordDone(tx, locals, { before: before.record, after: after.record }, { shopId: id })
        return { before, after }
      })
      if (after !== before) context.broadcast('key.changed', { shop_id: id })
      return toSingle(after.record)
    },
  }
}

export function handleIsTaken(handle: string) {
  return refuse('conflict', `The handle ${handle} is taken.`, { field: 'handle' })
}

export function noShop() {
  return refuse('not_found', 'No such shop.')
}

function notRepeated() {
  const words = 'handle must be the handle of the shop that is to be deleted.'
  return refuse('invalid_request', words, { field: 'handle' })
}

function planIsOwners() {
  return refuse('forbidden', 'plan: only an owner may change the plan of a shop.', { field: 'plan' })
}

/** The shop with this id or handle, or null. */
export async function findNamedShop(db: Database, name: string): Promise<ShopRow | null> {
  if (isUuid(name)) return findShop(db, name)
  return isHandle(name) ? findShopByHandle(db, name) : null
}

async function requireShop(db: Database, name: string): Promise<ShopRow> {
  const shop = await findNamedShop(db, name)
  if (shop === null) throw noShop()
  return shop
}
