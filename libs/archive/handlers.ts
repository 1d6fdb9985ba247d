// The actions by which a service gives the rows of a shop to an archive and takes them back. docs/spec/archives.md
import { type ArchivingService, type PartName, partOf, partsOf } from '#contracts/archive/parts'
import { refuse } from '#contracts/errors'
import type { Database, Sql } from '#postgres/connect'
import type { ActionContext, ActionHandlers } from '#runtime/service'
import { type ArchivePage, countPart, readPart } from './read-part.ts'
import type { ArchivedRow, RestoreOptions } from './restore-part.ts'

/** What each batch of a restore is written with. */
export type Batch = Pick<RestoreOptions, 'shopId' | 'newIds'> & { sendEvents: boolean; now: Date }
type RestoreRows = (tx: Sql, rows: ArchivedRow[], batch: Batch) => Promise<void>
type ReadRows = (shopId: string, after: string | null) => Promise<ArchivePage>
export type ArchiveOptions = {
  /** How the rows of each part are written, in one transaction. */
  restore: { [Part in PartName]?: RestoreRows }
  /** What a batch needs before its transaction. */
  prepare?(part: PartName, rows: ArchivedRow[], now: Date): Promise<void>
  /** How a part is read that is no plain table. */
  read?: { [Part in PartName]?: ReadRows }
  /** Begins the epoch of the events that the service writes, before the shop is there. */
  beginEpoch?(tx: Sql, shopId: string, epoch: number): Promise<void>
  /** What begins when the shop is there whole. */
  finish?(tx: Sql, shopId: string): Promise<void>
}

/** `archive_part`, `restore_rows` and `finish_restore` of the service. */
export function archiveHandlers(
  service: Exclude<ArchivingService, 'auth'>,
  db: Database,
  { restore, prepare, read = {}, beginEpoch, finish }: ArchiveOptions,
): ActionHandlers {
  async function archivePart({ params, locals }: ActionContext<'orders.archive_part'>): Promise<ArchivePage> {
    const { part, after } = params
    const { shopId } = locals.caller
    if (partOf(part).service !== service) throw notHere(part)
    return (await read[part]?.(shopId, after)) ?? readPart(db, shopId, partOf(part).rows, after)
  }

  async function restoreRows({ params, locals }: ActionContext<'orders.restore_rows'>): Promise<object> {
    const write = restore[params.part]
    if (write === undefined) throw notHere(params.part)
    const { caller, now } = locals
    const batch = { shopId: caller.shopId, newIds: params.new_ids, sendEvents: params.send_events, now }
    await prepare?.(params.part, params.rows, now)
    await db.transaction((tx) => write(tx, params.rows, batch))
    return {}
  }

  async function finishRestore({ params, locals }: ActionContext<'orders.finish_restore'>): Promise<object> {
    const { shopId } = locals.caller
    if (params.is_there) {
      await db.transaction(async (tx) => finish?.(tx, shopId))
      return {}
    }
    const { epoch } = params
    if (epoch !== undefined && beginEpoch !== undefined) await db.transaction((tx) => beginEpoch(tx, shopId, epoch))
    const rows: [PartName, number][] = []
    for (const part of partsOf(service)) rows.push([part, await countPart(db, shopId, partOf(part).rows)])
    return { rows: Object.fromEntries(rows) }
  }

  return {
    [`${service}.archive_part`]: archivePart,
    [`${service}.restore_rows`]: restoreRows,
    [`${service}.finish_restore`]: finishRestore,
  }
}

function notHere(part: PartName) {
  return refuse('not_found', `This service has no part ${part}.`)
}
