// Handlers of `deliveries.*`: the delivery log and Retry now (docs/spec/webhooks.md#delivery-log). Deliveries of an endpoint stay
// readable when it is deleted.
import type { KeyObject } from 'node:crypto'
import { isUuid } from '#contracts/actions/params'
import type { deliveryStatuses } from '#contracts/objects/webhook'
import { emptyInput } from '#contracts/input/fields'
import { filterText, openPage, toPage } from '#paging/page'
import type { Database } from '#postgres/connect'
import { answeredBefore, once } from '#postgres/idempotency'
import type { ActionHandlers, RequestInfo } from '#runtime/service'
import { openParams } from '#schema/open'
import { noDelivery, type OnDemand, retryNow } from './on-demand.ts'
import { findDelivery, hasDeliveries, listAttempts, listDeliveries } from './queries.ts'
import { noEndpoint } from '../endpoints/endpoints.ts'
import { findEndpoint } from '../endpoints/queries.ts'
import { happenedAtOf } from '#contracts/delivery-id'
import { type EndpointState, endpointState, singleObject, toAttempt, toDelivery } from '../shape.ts'
import type { AttemptRow, DeliveryRow } from '../tables.ts'

const ATTEMPTS_SHOWN = 20

type DeliveryStatus = (typeof deliveryStatuses)[number]

// The state of the endpoint decides under which status its deliveries that are not done are shown.
function statesOf(status: DeliveryStatus, endpoint: EndpointState): DeliveryRow['state'][] {
  if (status === (endpoint === 'enabled' ? 'held' : 'pending')) return []
  if (status !== 'held') return [status]
  return endpoint === 'deleted' ? [] : ['pending']
}

export type DeliveryActions = { db: Database; cursorKeys: KeyObject[]; onDemand: OnDemand; wakeWorkers(): void }

export function deliveryHandlers({ db, cursorKeys, onDemand, wakeWorkers }: DeliveryActions): ActionHandlers {
  return {
    async 'deliveries.list'({ params: { id, status, limit, cursor, ...filter }, locals: { caller } }) {
      const { shopId } = caller
      const endpoint = await stateOf(db, shopId, id)
      const scope = { endpoint: id.toLowerCase(), status, ...filter }
      const page = openPage(
        { limit, cursor },
        { keys: cursorKeys, resource: 'deliveries', shopId, filter: filterText(scope) },
      )
      const states = status === undefined ? undefined : status.flatMap((one) => statesOf(one, endpoint))
      if (states?.length === 0) return toPage([], page)
      const rows = await listDeliveries(db, shopId, id, { states, ...filter }, page)
      const attempts = Map.groupBy(
        await listAttempts(db, shopId, rows, ATTEMPTS_SHOWN),
        ({ delivery_id }) => delivery_id,
      )
      return toPage(
        rows.map((row) => ({
          id: row.id,
          created_at: row.happened_at,
          document: JSON.stringify(toDelivery(row, attempts.get(row.id) ?? [], endpoint)),
        })),
        page,
      )
    },
    async 'deliveries.get'({ params: { id }, locals: { caller } }) {
      const { shopId } = caller
      const row = isUuid(id) ? await findDelivery(db, shopId, id, happenedAtOf(id)) : null
      if (row === null) throw noDelivery()
      const attempts = await listAttempts(db, shopId, [row], ATTEMPTS_SHOWN)
      return singleObject(toDelivery(row, attempts, endpointState(await findEndpoint(db, shopId, row.endpoint_id))))
    },
    async 'deliveries.retry'({ params: { id, retry }, locals }) {
      openParams(emptyInput, retry)
      const answer = await answerOnce(db, locals, () => retryNow(onDemand, locals, id))
      wakeWorkers()
      return answer
    },
  }
}

// Refuses not_found where the shop has neither the endpoint nor deliveries of one that was deleted.
async function stateOf(db: Database, shopId: string, endpointId: string): Promise<EndpointState> {
  const endpoint = isUuid(endpointId) ? await findEndpoint(db, shopId, endpointId) : null
  const isKnown = endpoint !== null || (isUuid(endpointId) && (await hasDeliveries(db, shopId, endpointId)))
  if (!isKnown) throw noEndpoint()
  return endpointState(endpoint)
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
