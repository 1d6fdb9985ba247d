// Handlers of `deliveries.*`: the delivery log and Retry now (docs/spec/webhooks.md#delivery-log).
import type { KeyObject } from 'node:crypto'
import { emptyInput } from '#contracts/input/fields'
import { filterText, openPage, toPage } from '#paging/page'
import type { Database } from '#postgres/connect'
import { answeredBefore, once } from '#postgres/idempotency'
import type { ActionHandlers, RequestInfo } from '#runtime/service'
import { openParams } from '#schema/open'
import { type OnDemand, retryNow } from './on-demand.ts'
import { listAttempts, listDeliveries } from './queries.ts'
import { requireEndpoint } from '../endpoints/endpoints.ts'
import { singleObject, toAttempt, toDelivery } from '../shape.ts'
import type { AttemptRow } from '../tables.ts'

const ATTEMPTS_SHOWN = 20

export type DeliveryActions = { db: Database; cursorKeys: KeyObject[]; onDemand: OnDemand; wakeWorkers(): void }

export function deliveryHandlers({ db, cursorKeys, onDemand, wakeWorkers }: DeliveryActions): ActionHandlers {
  return {
    async 'deliveries.list'({ params: { id, status, event, limit, cursor }, locals: { caller } }) {
      const { shopId } = caller
      const endpoint = await requireEndpoint(db, shopId, id)
      const filter = filterText({ endpoint: endpoint.id, status, event })
      const page = openPage({ limit, cursor }, { keys: cursorKeys, resource: 'deliveries', shopId, filter })
      const isEnabled = endpoint.disabled_at === null
      // Rows that are not done are all shown as held where the endpoint is disabled, and as pending where it is enabled.
      if (status === (isEnabled ? 'held' : 'pending')) return toPage([], page)
      const state = status === 'held' ? 'pending' : status
      const rows = await listDeliveries(db, shopId, endpoint.id, { state, event }, page)
      const attempts = Map.groupBy(
        await listAttempts(db, shopId, rows, ATTEMPTS_SHOWN),
        ({ delivery_id }) => delivery_id,
      )
      return toPage(
        rows.map((row) => ({
          id: row.id,
          created_at: row.happened_at,
          document: JSON.stringify(toDelivery(row, attempts.get(row.id) ?? [], isEnabled)),
        })),
        page,
      )
    },
    async 'deliveries.retry'({ params: { id, retry }, locals }) {
      openParams(emptyInput, retry)
      const answer = await answerOnce(db, locals, () => retryNow(onDemand, locals.caller.shopId, id))
      wakeWorkers()
      return answer
    },
  }
}

/**
 * Makes an attempt and answers with it, once per Idempotency-Key. The answer is stored after the attempt: two calls under one
 * key at the same moment may both send.
 */
export async function answerOnce(
  db: Database,
  { caller: { shopId }, idempotency, now }: RequestInfo,
  send: () => Promise<AttemptRow>,
): Promise<Buffer> {
  const before = await answeredBefore(db, shopId, idempotency, now)
  if (before !== null) return before
  const answer = singleObject(toAttempt(await send()))
  return db.transaction((tx) => once(tx, shopId, idempotency, now, async () => answer))
}
