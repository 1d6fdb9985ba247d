// Deletes everything of a shop in all services, in the background. docs/spec/back-office.md#deleting-a-shop
//
// Protocol. `shops.delete` marks the shop in one transaction: from then on the shop, its keys and its handle are gone for everybody. A row of
// `shop_deletions` is the work that is left. A worker of any replica leases it, asks the service of its stage to delete rows for about a
// second, stores how far it is and goes on. When a service has no row left, the next one follows; auth is the last. Rows may still arrive
// (a call under way, a message of an outbox, a report of a gateway), so passes over all services are repeated until one that began
// `SETTLE_MS` after the deletion finds nothing. Then the row of the shop goes, and the audit says that everything is gone. The services
// are asked again after a minute, ten minutes, an hour, six hours and a day.
// A crash. A lease that is not given back ends after `LEASE_MS`, and another process continues. The services remember nothing: each call
// deletes what is there. A service that does not answer is asked again.
import { randomUUID } from 'node:crypto'
import type { DeletedPart } from '#contracts/actions/shop-deletion'
import type { ServiceContext } from '#runtime/service'
import { startWorker, type Worker } from '#runtime/worker-loop'
import type { Database } from '#postgres/connect'
import { deleteShopRows } from '#postgres/shop-rows'
import {
  type DeletionRow,
  deleteShopRow,
  endDeletion,
  leaseDeletion,
  recordGone,
  saveDeletion,
} from './deletion-queries.ts'

// Services whose rows cause rows of others come first. Null: auth itself.
const stages = [
  'webhooks.delete_shop', // First, so that nothing is delivered any more.
  'subscriptions.delete_shop',
  'orders.delete_shop',
  'catalog.delete_shop',
  'contacts.delete_shop',
  null,
] as const
// The audit stays for its 400 days; a deletion is not its own work.
const keptTables = ['audit_entries', 'shop_deletions']

const POLL_MS = 1_000
const SLICE_MS = 1_000
const CALL_MS = 30_000 // A slice, and a batch that waits for a lock or a slow disk.
const LEASE_MS = 60_000
const RETRY_MS = 2_000
const SETTLE_MS = 10_000 // The longest time of a call, and longer than gateways keep reports in memory.
const checksMs = [60_000, 600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000] // After everything was gone.

/** Starts the worker; `wake` begins with a new deletion at once. */
export function startDeletions({ call, log }: Pick<ServiceContext, 'call' | 'log'>, db: Database): Worker {
  return startWorker({
    pollMs: POLL_MS,
    round,
    onError: (error) => log.warn({ error }, 'a shop could not be deleted further; it is tried again'),
  })

  async function round(): Promise<boolean> {
    const lease = randomUUID()
    const row = await leaseDeletion(db, lease, LEASE_MS)
    if (row === null) return false
    try {
      const action = stages[row.stage] ?? null
      const part = action === null ? await deleteOwnRows(row.shop_id) : await ask(action, row.shop_id)
      await proceed(row, lease, part)
    } catch (error) {
      await saveDeletion(db, lease, row, RETRY_MS)
      throw error
    }
    return true
  }

  function deleteOwnRows(shopId: string): Promise<DeletedPart> {
    return deleteShopRows(db, shopId, SLICE_MS, keptTables)
  }

  async function ask(action: NonNullable<(typeof stages)[number]>, shop_id: string): Promise<DeletedPart> {
    return (await call(action, { shop_id, for_ms: SLICE_MS }, { timeoutMs: CALL_MS })) as DeletedPart
  }

  async function proceed(before: DeletionRow, lease: string, { rows, is_done }: DeletedPart): Promise<void> {
    const row = { ...before, pass_rows: before.pass_rows + rows, rows: before.rows + rows }
    if (!is_done) return saveDeletion(db, lease, row, 0)
    if (row.stage < stages.length - 1) return saveDeletion(db, lease, { ...row, stage: row.stage + 1 }, 0)
    const now = new Date()
    const next = { ...row, stage: 0, pass_began_at: now, pass_rows: 0 }
    if (row.gone_at !== null) return afterCheck(next, lease)
    const isSettled = row.pass_began_at.getTime() >= row.asked_at.getTime() + SETTLE_MS
    if (row.pass_rows > 0 || !isSettled) return saveDeletion(db, lease, next, row.pass_rows > 0 ? 0 : POLL_MS)
    await db.transaction(async (tx) => {
      await deleteShopRow(tx, row.shop_id)
      await recordGone(tx, row.shop_id, randomUUID(), JSON.stringify({ rows: [row.rows, 0] }), now)
      await saveDeletion(tx, lease, { ...next, gone_at: now }, checksMs[0] ?? 0)
    })
    const duration_ms = now.getTime() - row.asked_at.getTime()
    log.info({ shop_id: row.shop_id, count: row.rows, duration_ms }, 'everything of a deleted shop is gone')
  }

  async function afterCheck(row: DeletionRow, lease: string): Promise<void> {
    const checks = row.checks + 1
    const [done = 0, due] = [checksMs[row.checks], checksMs[checks]]
    if (due === undefined) return endDeletion(db, row.shop_id)
    await saveDeletion(db, lease, { ...row, checks }, due - done)
  }
}
