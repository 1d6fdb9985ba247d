// Handlers of `endpoints.*` (docs/spec/webhooks.md#endpoint-operations), and of the deletion of a shop
// (docs/spec/back-office.md#deleting-a-shop).
import type { KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { command, recordDone } from '#audit/command'
import { filterText, openPage, toPage } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { deleteShopRows } from '#postgres/shop-rows'
import type { ActionHandlers } from '#runtime/service'
import {
  changeEndpoint,
  createEndpoint,
  removeEndpoint,
  replaceSecret,
  requireEndpoint,
  validateUrl,
} from './endpoints.ts'
import { healthOf } from './health.ts'
import { deleteEndpoints, listEndpoints } from './queries.ts'
import { answerOnce } from '../delivery/actions.ts'
import type { DeliveryConfig } from '../delivery/delivery-config.ts'
import { type OnDemand, sendTest } from '../delivery/on-demand.ts'
import { scheduleNow } from '../delivery/queue-queries.ts'
import { countWaiting, hasLeases } from '../delivery/sweep-queries.ts'
import { skipAbandonedQueues } from '../delivery/sweeps.ts'
import { singleObject, toEndpoint } from '../shape.ts'
import type { EndpointRow } from '../tables.ts'

const SKIP_MS = 2_000 // The periodic sweep skips the rest.
const LEASE_POLL_MS = 20

export type EndpointActions = {
  db: Database
  secretKeys: KeyObject[]
  cursorKeys: KeyObject[]
  onDemand: OnDemand
  wakeWorkers(): void
  /** Makes every process abort its attempts to the endpoint. */
  abortAttempts(endpointId: string): void
}

export function endpointHandlers(options: EndpointActions): ActionHandlers {
  const { db, secretKeys, cursorKeys, onDemand, wakeWorkers, abortAttempts } = options
  const { http } = onDemand.sender
  const withWaiting = async (sql: Sql, row: EndpointRow, now: Date) =>
    toEndpoint(row, await countWaiting(sql, row.shop_id, row.queue_id), now)
  return {
    async 'endpoints.create'({ params: { endpoint }, locals }) {
      const { caller, now } = locals
      const url = await validateUrl(endpoint.url, http)
      return db.transaction((tx) =>
        command(tx, locals, async () => {
          const { row, secret } = await createEndpoint(tx, caller.shopId, endpoint, url, secretKeys, now)
          const after = toEndpoint(row, 0, now)
          return { before: null, after, answer: singleObject({ ...after, secret }) }
        }),
      )
    },
    async 'endpoints.list'({ params, locals: { caller, now } }) {
      const { shopId } = caller
      const page = openPage(params, { keys: cursorKeys, resource: 'endpoints', shopId, filter: filterText({}) })
      const rows = await listEndpoints(db, shopId, page)
      const objects = await Promise.all(rows.map((row) => withWaiting(db, row, now)))
      return toPage(
        rows.map(({ created_at, id }, index) => ({ created_at, id, document: JSON.stringify(objects[index]) })),
        page,
      )
    },
    async 'endpoints.get'({ params: { id }, locals: { caller, now } }) {
      return singleObject(await withWaiting(db, await requireEndpoint(db, caller.shopId, id), now))
    },
    async 'endpoints.health'({ params: { id }, locals: { caller, now } }) {
      const endpoint = await requireEndpoint(db, caller.shopId, id)
      return singleObject(await healthOf(db, caller.shopId, endpoint.id, now))
    },
    async 'endpoints.change'({ params: { id, change }, locals }) {
      const { caller, now } = locals
      const url = change.url === undefined ? undefined : await validateUrl(change.url, http)
      const row = await db.transaction(async (tx) => {
        const { before, after } = await changeEndpoint(tx, caller.shopId, id, change, url, now)
        await recordDone(tx, locals, { before: toEndpoint(before, 0, now), after: toEndpoint(after, 0, now) })
        return after
      })
      if (change.held === 'skip') await skipAbandonedQueues(db, SKIP_MS)
      wakeWorkers()
      return singleObject(await withWaiting(db, row, now))
    },
    async 'endpoints.delete'({ params: { id }, locals }) {
      const row = await db.transaction(async (tx) => {
        const before = await removeEndpoint(tx, locals.caller.shopId, id)
        await recordDone(tx, locals, { before: toEndpoint(before, 0, locals.now), after: null })
        return before
      })
      abortAttempts(row.id)
      await untilNoLease(db, row, onDemand.config)
      await skipAbandonedQueues(db, SKIP_MS)
      return singleObject({ id: row.id, object: 'webhook_endpoint', deleted: true })
    },
    // Without endpoints nothing of the shop is sent any more; then its rows go.
    async 'webhooks.delete_shop'({ params: { shop_id, for_ms } }) {
      const endpoints = await db.transaction(async (tx) => {
        await scheduleNow(tx, [shop_id])
        return deleteEndpoints(tx, shop_id)
      })
      for (const { id } of endpoints) abortAttempts(id)
      for (const endpoint of endpoints) await untilNoLease(db, endpoint, onDemand.config)
      return deleteShopRows(db, shop_id, for_ms)
    },
    async 'endpoints.rotate_secret'({ params: { id, rotation }, locals }) {
      const { caller, now } = locals
      const { overlapSeconds } = rotation
      return db.transaction((tx) =>
        command(tx, locals, async () => {
          const { before, row, secret } = await replaceSecret(tx, caller.shopId, id, overlapSeconds, secretKeys)
          const answer = singleObject({ ...(await withWaiting(tx, row, now)), secret })
          return { before: toEndpoint(before, 0, now), after: toEndpoint(row, 0, now), answer }
        }),
      )
    },
    async 'endpoints.test'({ params: { id, test }, locals }) {
      const { event } = test
      const answer = await answerOnce(db, locals, () => sendTest(onDemand, locals, id, event))
      wakeWorkers()
      return answer
    },
  }
}

// Nothing is sent to the endpoint once this resolves, even where a process missed the event that aborts its attempts: a claimed
// delivery that has not begun within `beginMs` is released, and one that has begun is connected within `connectMs`.
async function untilNoLease(
  db: Database,
  { shop_id, id }: Pick<EndpointRow, 'shop_id' | 'id'>,
  config: DeliveryConfig,
): Promise<void> {
  const until = performance.now() + config.beginMs + config.connectMs
  while (performance.now() < until && (await hasLeases(db, shop_id, id))) await sleep(LEASE_POLL_MS)
}
