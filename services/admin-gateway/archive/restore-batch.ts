// Batches of a restore: each is written by the service of its part, then noted by auth. docs/spec/archives.md#restore
// A batch that was written and not noted, because a process ended in between, is sent again and finds its rows there.
import type { Calls } from '#calls/calls'
import { type RestoreFacts, restoringServices } from '#contracts/actions/archive'
import { type PartName, partOf } from '#contracts/archive/parts'
import type { CallMeta } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import { type RestoreBatch, restoreBatch, type RowCounts } from '#contracts/input/restore'
import { parseObject } from '#http/body'
import { asBuffer } from '#runtime/middlewares/large-response'
import { openParams } from '#schema/open'

type Sent = { id: string; part: PartName; batch: RestoreBatch }

export function restoreBatchOf(body: Buffer): RestoreBatch {
  return openParams(restoreBatch, parseObject(body))
}

/** Writes the rows; returns how many of the part are stored then. Refuses conflict where rows before them are missing. */
export async function storeBatch(calls: Calls, { id, part, batch }: Sent, meta: CallMeta): Promise<number> {
  const { audit: _ofCall, ...own } = meta
  const facts = (await calls.read('restores.find', { id }, own)) as RestoreFacts
  if (facts.status === 'completed') throw refuse('conflict', 'This restore is completed and takes no more rows.')
  const count = facts.rows[part]
  const { service } = partOf(part)
  if (count === undefined || service === 'auth') throw refuse('not_found', `This restore takes no rows of ${part}.`)
  const { position, rows } = batch
  const to = position + rows.length
  if (to > count) {
    throw refuse('invalid_request', `position and rows go beyond the ${count} rows of ${part}.`, { field: 'position' })
  }
  const stored = facts.positions[part] ?? 0
  if (position > stored) throw refuse('conflict', `Of ${part}, ${stored} rows are stored; send those behind them.`)
  if (to <= stored) return stored
  const params = { part, rows, new_ids: facts.new_ids, send_events: facts.events }
  await calls.batch(`${service}.restore_rows`, params, withShop(facts, own))
  await calls.batch('restores.advance', { id: facts.id, part, position: stored, rows: to - stored }, own)
  return to
}

/** Counts what is stored, makes the shop, and begins what time does with it. Repeatable. Returns the body of the answer. */
export async function finishRestore(calls: Calls, id: string, meta: CallMeta): Promise<Buffer> {
  const { audit: _ofCall, ...own } = meta
  const facts = (await calls.read('restores.find', { id }, own)) as RestoreFacts
  const ofShop = withShop(facts, own)
  let stored: RowCounts = {}
  if (facts.status === 'running') {
    for (const service of restoringServices) {
      const counted = (await calls.batch(
        `${service}.finish_restore`,
        { is_there: false, epoch: facts.epoch },
        ofShop,
      )) as Counted
      stored = { ...stored, ...counted.rows }
    }
  }
  const done = asBuffer(await calls.batch('restores.finish', { id, finish: {}, stored }, meta))
  for (const service of restoringServices) await calls.batch(`${service}.finish_restore`, { is_there: true }, ofShop)
  return done
}

type Counted = { rows: RowCounts }

function withShop({ shop }: RestoreFacts, meta: CallMeta): CallMeta {
  return { ...meta, caller: { ...shop, keyId: null, canWrite: true } }
}
