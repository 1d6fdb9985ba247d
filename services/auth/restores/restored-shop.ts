// The shop that a restore makes, and what is checked before it begins. docs/spec/archives.md#checks
import { statfs } from 'node:fs/promises'
import { ARCHIVE_VERSION } from '#contracts/archive/parts'
import { refuse } from '#contracts/errors'
import { shopInput } from '#contracts/input/shop'
import type { ArchivedShop, RestoreInput } from '#contracts/input/restore'
import type { RestorePreview } from '#contracts/archive/restore'
import type { Settings } from '#runtime/service'
import { openParams } from '#schema/open'
import { renderShop } from '../shape.ts'
import { newShop } from '../shops/shop.ts'
import type { RestoreRow, ShopRow } from '../tables.ts'

// A row needs its columns, its rendered JSON, and several indexes.
const BYTES_PER_ARCHIVED_BYTE = 3

/** The row of the shop. Refuses invalid_request naming the field. */
export function restoredShop(shop: ArchivedShop, handle: string, id: string): ShopRow {
  const input = openParams(shopInput, {
    handle,
    name: shop.name,
    currency: shop.currency,
    timeZone: shop.time_zone,
    country: shop.country,
    ownerEmail: shop.owner_email,
    plan: shop.plan,
    mode: shop.mode,
  })
  const [createdAt, updatedAt] = [instantOf('created_at', shop.created_at), instantOf('updated_at', shop.updated_at)]
  return renderShop({ ...newShop(input, id, createdAt), created_at: createdAt, updated_at: updatedAt })
}

/** Refuses invalid_request for an archive in another format. */
export function checkVersion(version: number): void {
  if (version === ARCHIVE_VERSION) return
  const words = `version must be ${ARCHIVE_VERSION}: an archive of version ${version} needs another version of this product.`
  throw refuse('invalid_request', words, { field: 'version' })
}

/** The room that the rows need, and that the disk of the database has; null where it is not known. */
export async function measureRoom({ databaseFolder }: Pick<Settings, 'databaseFolder'>, bytes: number): Promise<Room> {
  const neededBytes = bytes * BYTES_PER_ARCHIVED_BYTE
  if (databaseFolder === undefined) return { neededBytes, freeBytes: null }
  const { bavail, bsize } = await statfs(databaseFolder)
  return { neededBytes, freeBytes: bavail * bsize }
}

/** Refuses conflict where the disk is known to have no room for the rows. */
export function checkRoom({ neededBytes, freeBytes }: Room): void {
  if (freeBytes === null || freeBytes >= neededBytes) return
  throw refuse(
    'conflict',
    `The disk of the database has ${freeBytes} bytes left; the archive needs about ${neededBytes}.`,
  )
}

type Room = Pick<RestorePreview, 'neededBytes' | 'freeBytes'>

/** What is asked for, with the choice of ids made. */
export type RestoreWish = RestoreInput & { newIds: boolean }

/** Whether the restore is the one that the input asks for. */
export function isSame(row: RestoreRow, input: RestoreWish): boolean {
  return (
    row.handle === input.handle &&
    row.archive === input.archive &&
    row.new_ids === input.newIds &&
    row.events === input.events
  )
}

function instantOf(field: string, text: string): Date {
  const instant = new Date(text)
  if (!Number.isNaN(instant.getTime())) return instant
  throw refuse('invalid_request', `shop.${field} must be an instant.`, { field: `shop.${field}` })
}
