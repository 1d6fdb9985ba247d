// Handlers of `deliveries.*`: the delivery log and Retry now (docs/spec/webhooks.md#delivery-log). Deliveries of an endpoint stay
// readable when it is deleted.
import type { KeyObject } from 'node:crypto'
import type { ActionParams } from '#contracts/actions'
import { isUuid } from '#contracts/actions/params'
import type { deliveryStatuses } from '#contracts/objects/webhook'
import { filterText, openPage, type PageRequest, toPage } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { answeredBefore, once } from '#postgres/idempotency'
import type { ActionHandlers, RequestInfo } from '#runtime/service'
import { type Made, noDelivery, type OnDemand, retryNow } from './on-demand.ts'
import { type ListedDelivery, listDeliveries, listShopDeliveries } from './list-queries.ts'
import { findDelivery, hasDeliveries, listAttempts } from './queries.ts'
import { listDeletedWithQueue } from './sweep-queries.ts'
import { noEndpoint } from '../endpoints/endpoints.ts'
import { findEndpoint, listEndpointStates } from '../endpoints/queries.ts'
import { happenedAtOf } from '#contracts/delivery-id'
import { type EndpointState, endpointState, singleObject, toAttempt, toDelivery } from '../shape.ts'
import type { DeliveryRow } from '../tables.ts'

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
  async function pageOf(
    shopId: string,
    rows: ListedDelivery[],
    page: PageRequest,
    stateOfRow: (endpointId: string) => EndpointState,
  ): Promise<Buffer> {
    const attempts = Map.groupBy(await listAttempts(db, shopId, rows, ATTEMPTS_SHOWN), ({ delivery_id }) => delivery_id)
    const documentOf = (row: ListedDelivery) =>
      JSON.stringify(toDelivery(row, attempts.get(row.id) ?? [], stateOfRow(row.endpoint_id)))
    return toPage(
      rows.map((row) => ({ id: row.id, created_at: row.happened_at, document: documentOf(row) })),
      page,
    )
  }
  return {
    async 'deliveries.list'({ params: { id, status, limit, cursor, ...filter }, locals: { caller } }) {
      const { shopId } = caller
      const endpoint = await stateOf(db, shopId, id)
      const scope = { endpoint: id.toLowerCase(), status, ...filter }
      const page = openPage(
        { limit, cursor },
        { keys: cursorKeys, resource: 'deliveries', shopId, filter: filterText(scope) },
      )
      const states = status?.flatMap((one) => statesOf(one, endpoint))
      if (states?.length === 0) return toPage([], page)
      const rows = await listDeliveries(db, shopId, [id], { states, ...filter }, page)
      return pageOf(shopId, rows, page, () => endpoint)
    },
    async 'deliveries.list_all'({ params: { limit, cursor, ...filter }, locals: { caller } }) {
      const { shopId } = caller
      const scope = { keys: cursorKeys, resource: 'shop deliveries', shopId, filter: filterText(filter) }
      const page = openPage({ limit, cursor }, scope)
      const endpoints = await listEndpointStates(db, shopId)
      const stateOfRow = (endpointId: string) => endpointState(endpoints.get(endpointId) ?? null)
      const rows = await listAll(db, shopId, filter, endpoints, page)
      return pageOf(shopId, rows, page, stateOfRow)
    },
    async 'deliveries.get'({ params: { id }, locals: { caller } }) {
      const { shopId } = caller
      const row = isUuid(id) ? await findDelivery(db, shopId, id, happenedAtOf(id)) : null
      if (row === null) throw noDelivery()
      const attempts = await listAttempts(db, shopId, [row], ATTEMPTS_SHOWN)
      return singleObject(toDelivery(row, attempts, endpointState(await findEndpoint(db, shopId, row.endpoint_id))))
    },
    async 'deliveries.retry'({ params: { id }, locals }) {
      const answer = await answerOnce(db, locals, () => retryNow(onDemand, locals, id))
      wakeWorkers()
      return answer
    },
  }
}

type Endpoints = Awaited<ReturnType<typeof listEndpointStates>>
type AllFilter = Omit<ActionParams<'deliveries.list_all'>, 'limit' | 'cursor'>

// Where an endpoint or its state decides, the deliveries of these endpoints are read by their own indexes; all other states by those of
// the shop. Of each no more than a page is read.
async function listAll(
  db: Sql,
  shopId: string,
  { endpoint, status, ...filter }: AllFilter,
  endpoints: Endpoints,
  page: PageRequest,
): Promise<ListedDelivery[]> {
  if (endpoint !== undefined) {
    const states = status?.flatMap((one) => statesOf(one, endpointState(endpoints.get(endpoint) ?? null)))
    return states?.length === 0 ? [] : listDeliveries(db, shopId, [endpoint], { states, ...filter }, page)
  }
  if (status === undefined) return listShopDeliveries(db, shopId, { states: undefined, ...filter }, page)
  const done = status.filter((one) => one !== 'pending' && one !== 'held')
  const open = [...endpoints].filter(([, row]) => status.includes(row.disabled_at === null ? 'pending' : 'held'))
  const openIds = open.map(([id]) => id)
  if (status.includes('skipped')) openIds.push(...(await listDeletedWithQueue(db, shopId)))
  const found = await Promise.all([
    done.length === 0 ? [] : listShopDeliveries(db, shopId, { states: done, ...filter }, page),
    openIds.length === 0 ? [] : listDeliveries(db, shopId, openIds, { states: ['pending'], ...filter }, page),
  ])
  return found
    .flat()
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, page.rowsMax)
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
  send: () => Promise<Made>,
): Promise<Buffer> {
  const before = await answeredBefore(db, shopId, idempotency, now)
  if (before !== null) return before
  const { attempt, eventId, body } = await send()
  const answer = singleObject(toAttempt(attempt, eventId, body))
  return db.transaction((tx) => once(tx, shopId, idempotency, now, async () => answer))
}
