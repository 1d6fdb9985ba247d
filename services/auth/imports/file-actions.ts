// The files of background imports and the claims of the workers that import them (docs/spec/internals.md#background-imports):
// the protocol stands in services/admin-gateway/import/background.ts.
import { randomUUID } from 'node:crypto'
import type { ActionHandlers } from '#runtime/service'
import type { ClaimedImport } from '#contracts/actions/imports'
import type { OperatorCaller } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { toSingle } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { recordDone } from '../audit/queries.ts'
import {
  type Candidate,
  claimImport,
  countQueued,
  deleteOldChunks,
  dropFile,
  findChunk,
  findClaimable,
  insertChunk,
  insertFile,
  keepFile,
} from './file-queries.ts'
import { findImport, insertImport, releaseImport } from './queries.ts'
import { begunAs, documentOf, endWith, notRunning } from './record.ts'

const BUSY_S = 60

export function fileActions(db: Database): ActionHandlers {
  return {
    async 'imports.open_file'({ locals: { caller } }) {
      const id = randomUUID()
      await db.transaction(async (tx) => {
        const queued = await countQueued(tx, caller.shopId)
        if (queued >= limits.importsQueuedPerShop) throw queueFull()
        await insertFile(tx, caller.shopId, id)
      })
      return { id }
    },
    async 'imports.store_chunk'({ params, locals: { caller } }) {
      if (!(await insertChunk(db, caller.shopId, params))) throw noFile()
      return { id: params.id }
    },
    async 'imports.drop_file'({ params: { id }, locals: { caller } }) {
      // A queued import keeps its file, also where the answer to its caller was lost.
      if ((await findImport(db, caller.shopId, id)) === null) await dropFile(db, caller.shopId, id)
      await deleteOldChunks(db, limits.importChunksAtOnce)
      return { id }
    },
    async 'imports.queue'({ params, locals }) {
      const { caller, now, operator, requestId } = locals
      const { id, chunks, options, ...begun } = params
      if (operator === null) throw new Error('An import needs an operator.')
      const row = await db.transaction(async (tx) => {
        // Not kept where it was queued by a call whose answer was lost; it may have ended since.
        if (await keepFile(tx, caller.shopId, id, chunks)) {
          const file = {
            chunks,
            options: JSON.stringify(options),
            operator: JSON.stringify(operator),
            request_id: requestId,
          }
          await insertImport(tx, caller.shopId, { id, ...begun, created_at: now, file })
          await recordDone(tx, locals, begunAs({ id, ...begun }))
        }
        return findImport(tx, caller.shopId, id) // Before another process can claim it.
      })
      if (row === null) throw noFile()
      return toSingle(documentOf(row, now))
    },
    async 'imports.claim'() {
      return { claimed: await db.transaction(claimNext) }
    },
    async 'imports.read_chunk'({ params, locals: { caller } }) {
      const bytes = await findChunk(db, caller.shopId, params, params.number)
      if (bytes === null) throw await notRunning(db, caller.shopId, params.id)
      return bytes
    },
    async 'imports.release'({ params, locals: { caller } }) {
      await releaseImport(db, caller.shopId, params)
      return { id: params.id }
    },
  }
}

/** Claims the next import; ends those on the way that nobody shall run again. */
async function claimNext(tx: Sql): Promise<ClaimedImport | null> {
  for (;;) {
    const row = await findClaimable(tx)
    if (row === null) return null
    if (row.cancel_asked_at !== null) {
      await endWith(tx, row, 'cancelled', 'cancelled', 'The import was cancelled. What was written stays.')
    } else if (row.fence >= limits.importRunsMax) {
      const words = `The import was begun ${limits.importRunsMax} times and no process has ended it. What was written stays.`
      await endWith(tx, row, 'failed', 'interrupted', words)
    } else return toClaimed(row, await claimImport(tx, row, limits.importLeaseMs))
  }
}

function toClaimed(row: Candidate, fence: number): ClaimedImport {
  return {
    id: row.id,
    fence,
    format: row.format,
    bytes: row.bytes ?? 0,
    chunks: row.chunks ?? 0,
    dry_run: row.dry_run,
    options: JSON.parse(row.options ?? '{}') as ClaimedImport['options'],
    caller: {
      shopId: row.shop_id,
      handle: row.handle,
      currency: row.currency,
      timeZone: row.time_zone,
      country: row.country,
    },
    operator: JSON.parse(row.operator ?? 'null') as OperatorCaller,
    request_id: row.request_id,
  }
}

function queueFull() {
  const words = `${limits.importsQueuedPerShop} imports of this shop wait or run. Try again when one of them has finished.`
  return refuse('rate_limited', words, { retry_after_s: BUSY_S })
}

function noFile() {
  return refuse('conflict', 'The file of this import is not there any more. Send it again.')
}
