// The actions of archives and restores in auth: who took an archive, and restores from their begin to the shop that they make.
// docs/spec/archives.md#restore
// Protocol. `restores.begin` checks and notes what is to come. The gateway has the rows written by their services, batch by batch, and
// `restores.advance` notes how far each part is: a batch that is sent again finds its rows there. The shop itself is written by
// `restores.finish`, so until then no key, no list and no other call reaches anything of it. A restore that was stopped is begun again with
// the same archive and handle, and goes on where it was.
import { randomUUID } from 'node:crypto'
import { readPart } from '#archive/read-part'
import type { RestoreFacts } from '#contracts/actions/archive'
import { isUuid } from '#contracts/actions/params'
import { type PartName, partOf, SECRETS } from '#contracts/archive/parts'
import { refuse } from '#contracts/errors'
import type { ArchivedShop, RestoreInput, RowCounts } from '#contracts/input/restore'
import { toSingle } from '#paging/page'
import { breaks, type Database, type Sql } from '#postgres/connect'
import type { ActionHandlers, ServiceContext } from '#runtime/service'
import { recordDone } from '../audit/queries.ts'
import { toRestore, toShopOfCall } from '../shape.ts'
import { findShop, findShopByHandle, insertShop } from '../shops/queries.ts'
import { handleIsTaken } from '../shops/actions.ts'
import type { RestoreRow } from '../tables.ts'
import {
  advanceRestore,
  completeRestore,
  endDeletion,
  findRestore,
  insertRestore,
  listRestoresTo,
  lockDeletion,
  lockHandle,
  lockRestore,
} from './queries.ts'
import { checkRoom, checkVersion, isSame, measureRoom, restoredShop, type RestoreWish } from './restored-shop.ts'

// Retention drops events meanwhile, and secrets are no rows of their own.
const uncounted: readonly string[] = ['shop', 'events', SECRETS]

export function restoreActions({ settings }: ServiceContext, db: Database): ActionHandlers {
  return {
    'auth.archive_part': ({ params: { part, after }, locals }) =>
      readPart(db, locals.caller.shopId, partOf(part).rows, after),
    async 'archives.open'({ params: { part }, locals }) {
      const after = { object: 'archive', part }
      await db.transaction((tx) => recordDone(tx, locals, { before: null, after }))
      return {}
    },
    async 'restores.begin'({ params: { restore: input, dry_run }, locals }) {
      checkVersion(input.version)
      const room = await measureRoom(settings, input.bytes)
      restoredShop(input.shop, input.handle, input.shop.id)
      return db.transaction(async (tx) => {
        await lockHandle(tx, input.handle)
        const wish = { ...input, newIds: input.newIds ?? (await needsNewIds(tx, input)) }
        const shopId = wish.newIds ? randomUUID() : input.shop.id
        const known = await findSame(tx, wish, shopId)
        if (known === null) checkRoom(room)
        if (dry_run) {
          const preview = { object: 'restore_preview', handle: input.handle, newIds: wish.newIds, ...room }
          return { created: false, body: toSingle(JSON.stringify(preview)) }
        }
        if (known !== null) return { created: false, body: documentOf(known) }
        const row = newRestore(wish, shopId, locals.now)
        await endDeletion(tx, shopId)
        await insertRestore(tx, row)
        await recordDone(tx, locals, { before: null, after: toRestore(row) }, { shopId })
        return { created: true, body: documentOf(row) }
      })
    },
    async 'restores.get'({ params: { id } }) {
      return documentOf(await requireRestore(db, id))
    },
    async 'restores.find'({ params: { id } }): Promise<RestoreFacts> {
      const row = await requireRestore(db, id)
      const shop = await shopOf(db, row)
      const { status, new_ids, events, counts, positions } = row
      const epoch = Math.floor(row.created_at.getTime() / 1_000)
      return { id: row.id, shop, status, new_ids, events, rows: counts, positions, epoch }
    },
    async 'restores.advance'({ params: { id, part, position, rows }, locals: { now } }) {
      const to = position + rows
      if (await advanceRestore(db, id, part, { from: position, to }, now)) return {}
      const row = await requireRestore(db, id)
      if ((row.positions[part] ?? 0) < to) throw refuse('conflict', `Rows of ${part} before these are missing.`)
      return {}
    },
    async 'restores.finish'({ params: { id, stored }, locals }) {
      const { now } = locals
      return db.transaction(async (tx) => {
        const row = isUuid(id) ? await lockRestore(tx, id) : null
        if (row === null) throw noRestore()
        if (row.status === 'completed') return documentOf(row)
        checkCounts(row, stored)
        const shop = restoredShop(shopIn(row), row.handle, row.shop_id)
        await insertShop(tx, shop).catch((error: unknown) => {
          throw breaks(error, 'shops_handle') ? handleIsTaken(row.handle) : error
        })
        await completeRestore(tx, row.id, now)
        const done = { ...row, status: 'completed' as const, shop: null, updated_at: now, finished_at: now }
        await recordDone(tx, locals, { before: toRestore(row), after: toRestore(done) }, { shopId: row.shop_id })
        return documentOf(done)
      })
    },
  }
}

// A restore that was begun goes on as it began; else the shop of the archive keeps its ids where it is not here.
async function needsNewIds(tx: Sql, input: RestoreInput): Promise<boolean> {
  const begun = await listRestoresTo(tx, input.handle, input.shop.id)
  const same = begun.find((row) => isSame(row, { ...input, newIds: row.new_ids }))
  return same?.new_ids ?? (await findShop(tx, input.shop.id)) !== null
}

// The restore that was begun for the same archive and handle, also where its shop is there. Refuses conflict for what is in the way.
async function findSame(tx: Sql, input: RestoreWish, shopId: string): Promise<RestoreRow | null> {
  const { handle, newIds } = input
  const [newest, ...older] = await listRestoresTo(tx, handle, shopId)
  const holder = await findShopByHandle(tx, handle)
  const same = [newest, ...older].find((row) => row !== undefined && isSame(row, input))
  if (same?.status === 'running' || (same !== undefined && holder?.id === same.shop_id)) return same
  if (holder !== null) throw handleIsTaken(handle)
  if (newest?.status === 'running') {
    throw refuse('conflict', `Another restore to the handle ${newest.handle} is under way.`, { field: 'handle' })
  }
  const own = newIds ? null : await findShop(tx, shopId)
  const deletion = newIds ? null : await lockDeletion(tx, shopId)
  if (deletion?.is_over === false) {
    const words = 'The shop of this archive is being deleted here. Restore it when that is over, or with new ids.'
    throw refuse('conflict', words, { field: 'shop' })
  }
  if (own === null) return null
  const words = `The shop of this archive is here, under the handle ${own.handle}. Restore it with new ids to have both.`
  throw refuse('conflict', words, { field: 'shop' })
}

function newRestore(input: RestoreWish, shopId: string, now: Date): RestoreRow {
  return {
    id: randomUUID(),
    shop_id: shopId,
    handle: input.handle,
    archive: input.archive,
    status: 'running',
    new_ids: input.newIds,
    events: input.events,
    counts: input.rows,
    positions: {},
    shop: JSON.stringify(input.shop),
    created_at: now,
    updated_at: now,
    finished_at: null,
  }
}

// Refuses conflict where a part is not there whole.
function checkCounts(row: RestoreRow, stored: RowCounts): void {
  for (const [name, count] of Object.entries(row.counts)) {
    const part = name as PartName
    const position = part === 'shop' ? count : (row.positions[part] ?? 0)
    const found = uncounted.includes(part) ? count : (stored[part] ?? 0)
    if (position === count && found === count) continue
    throw refuse(
      'conflict',
      `Of ${part}, ${Math.min(position, found)} of ${count} rows are stored. Restore the archive again.`,
    )
  }
}

async function shopOf(db: Sql, row: RestoreRow) {
  const shop = row.shop === null ? await findShop(db, row.shop_id) : restoredShop(shopIn(row), row.handle, row.shop_id)
  if (shop === null) throw noRestore() // The shop was deleted since.
  return toShopOfCall(shop)
}

function shopIn({ shop }: RestoreRow): ArchivedShop {
  return JSON.parse(shop ?? 'null') as ArchivedShop
}

async function requireRestore(db: Sql, id: string): Promise<RestoreRow> {
  const row = isUuid(id) ? await findRestore(db, id) : null
  if (row === null) throw noRestore()
  return row
}

function documentOf(row: RestoreRow): Buffer {
  return toSingle(JSON.stringify(toRestore(row)))
}

function noRestore() {
  return refuse('not_found', 'No restore with that id.')
}
