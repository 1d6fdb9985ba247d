// The actions of archives and restores: docs/spec/archives.md. The admin gateway calls them; each service reads and writes its own rows.
import { z } from 'zod'
import { type ArchivingService, partNames } from '../archive/parts.ts'
import { emptyInput } from '../input/fields.ts'
import { restoreBatch, restoreInput, type RowCounts } from '../input/restore.ts'
import { limits } from '../limits.ts'
import type { Shop } from '../caller.ts'
import { bodyParam, idParam } from './params.ts'

const part = z.enum(partNames)
// `after`: the key of the last row that the caller has.
const archivePart = z.object({ part, after: z.string().max(limits.wordLengthMax).nullable() })
const restoreRows = z.object({
  part,
  rows: restoreBatch.shape.rows,
  new_ids: z.boolean(),
  send_events: z.boolean(),
})
// `is_there`: the shop was made. Before that the rows are counted, and the epoch of its events begins.
const finishRestore = z.object({ is_there: z.boolean(), epoch: z.int().min(1).optional() })

type Restoring = Exclude<ArchivingService, 'auth'>

function partActions<Service extends Restoring>(service: Service) {
  return {
    [`${service}.archive_part`]: archivePart,
    [`${service}.restore_rows`]: restoreRows,
    [`${service}.finish_restore`]: finishRestore,
  } as Record<`${Service}.archive_part`, typeof archivePart> &
    Record<`${Service}.restore_rows`, typeof restoreRows> &
    Record<`${Service}.finish_restore`, typeof finishRestore>
}

/** Params by action. */
export const archiveActions = {
  // Answers `ArchivePage`; `restore_rows` answers `{}`, `finish_restore` answers `{ rows }`: how many rows the shop has of each
  // part, or `{}`.
  ...partActions('webhooks'),
  ...partActions('orders'),
  ...partActions('subscriptions'),
  ...partActions('contacts'),
  ...partActions('catalog'),
  'auth.archive_part': archivePart,
  // Writes the audit entry of who took the part.
  'archives.open': z.object({ part }),
  // Answers `{ created, body }`: the restore of this archive to this handle, also where it runs or is completed already.
  'restores.begin': z.object({
    restore: bodyParam(restoreInput),
    dry_run: z.boolean().default(false).meta({ description: 'Only checks: nothing is written.' }),
  }),
  'restores.get': idParam,
  // Answers `RestoreFacts`.
  'restores.find': idParam,
  'restores.advance': z.object({ id: z.guid(), part, position: z.int().min(0), rows: z.int().min(1) }),
  'restores.finish': idParam.extend({
    finish: bodyParam(emptyInput),
    stored: z.partialRecord(part, z.int().min(0)),
  }),
}

/** A restore as the gateway needs it: the shop that it makes, and how many rows of each part are stored. */
export type RestoreFacts = {
  id: string
  shop: Shop
  status: 'running' | 'completed'
  new_ids: boolean
  events: boolean
  rows: RowCounts
  positions: RowCounts
  /** Of the events that the restored shop fires: docs/spec/events.md#epoch */
  epoch: number
}

/** The services whose rows a restore writes. */
export const restoringServices = [
  'webhooks',
  'orders',
  'subscriptions',
  'contacts',
  'catalog',
] as const satisfies Restoring[]
