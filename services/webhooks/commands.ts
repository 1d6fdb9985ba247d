// Owns the actions of the back office about webhooks, each in its transaction and once for each Idempotency-Key.
// Back office: webhook-endpoints, deliveries, replays. Retry and test send inside: their answer is kept after the fact, so
// two calls at the same moment under one key may both send; calls one after the other do not.
import { setTimeout as pause } from 'node:timers/promises'
import type { KeyObject } from 'node:crypto'
import type { ActionHandlers, RequestInfo } from '#runtime/service'
import { emptyInput } from '#contracts/input/fields'
import { endpointChange, endpointInput, replayInput, rotationInput, testInput } from '#contracts/input/webhook'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { answeredBefore, once } from '#postgres/idempotency'
import { openParams } from '#schema/open'
import { listAttempts, listDeliveries, type ListedDelivery } from './delivery/queries.ts'
import { clearLines } from './notices/failing-endpoints.ts'
import { listEndpoints } from './endpoints/queries.ts'
import {
  acceptUrl,
  changeEndpoint,
  createEndpoint,
  endpointOf,
  newSecret,
  removeEndpoint,
} from './endpoints/endpoints.ts'
import { countWaiting, isFlying } from './delivery/queue-queries.ts'
import { beginReplay, findReplayOf, planReplay } from './replay/replay.ts'
import { cancelReplay } from './replay/queries.ts'
import { retryNow, sendTest, type Singles } from './delivery/send-single.ts'
import { toAttempt, toDelivery, toEndpoint, toReplay } from './shape.ts'
import type { AttemptRow, EndpointRow } from './tables.ts'

export type Office = {
  db: Database
  keys: KeyObject[]
  cursorKeys: KeyObject[]
  singles: Singles
  /** Something may be due now. */
  onDue(): void
  /** Every process breaks off what is under way to this endpoint. */
  onDeleted(endpointId: string): void
}

const ATTEMPTS_SHOWN = 20
const CLEARING_MS = 2_000 // A sweep goes on with what is left then.

/** ActionHandlers of `endpoints.*`. */
export function endpointHandlers(office: Office): ActionHandlers {
  const { db, keys, cursorKeys, singles, onDue, onDeleted } = office
  const { wire } = singles.sender
  const shown = async (sql: Sql, row: EndpointRow, now: Date) =>
    toEndpoint(row, await countWaiting(sql, row.shop_id, row.line_id), now)
  return {
    async 'endpoints.create'({
      params: { endpoint },
      locals: {
        caller: { shopId },
        idempotency,
        now,
      },
    }) {
      const input = openParams(endpointInput, endpoint)
      const url = await acceptUrl(input.url, wire)
      return db.transaction((tx) =>
        once(tx, shopId, idempotency, now, async () => {
          const { row, secret } = await createEndpoint(tx, shopId, input, url, keys, now)
          return single({ ...toEndpoint(row, 0, now), secret })
        }),
      )
    },
    async 'endpoints.list'({
      params: page,
      locals: {
        caller: { shopId },
        now,
      },
    }) {
      const want = openPage(page, { keys: cursorKeys, resource: 'endpoints', shopId, filter: filterText({}) })
      const rows = await listEndpoints(db, shopId, want)
      const objects = await Promise.all(rows.map((row) => shown(db, row, now)))
      return toPage(
        rows.map(({ created_at, id }, index) => ({ created_at, id, document: JSON.stringify(objects[index]) })),
        want,
      )
    },
    async 'endpoints.get'({
      params: { id },
      locals: {
        caller: { shopId },
        now,
      },
    }) {
      return single(await shown(db, await endpointOf(db, shopId, id), now))
    },
    async 'endpoints.change'({
      params: { id, change: body },
      locals: {
        caller: { shopId },
        now,
      },
    }) {
      const change = openParams(endpointChange, body)
      const url = change.url === undefined ? undefined : await acceptUrl(change.url, wire)
      const row = await db.transaction((tx) => changeEndpoint(tx, shopId, id, change, url, now))
      if (change.held === 'skip') await clearLines(db, CLEARING_MS)
      onDue()
      return single(await shown(db, row, now))
    },
    async 'endpoints.delete'({
      params: { id },
      locals: {
        caller: { shopId },
      },
    }) {
      const row = await db.transaction((tx) => removeEndpoint(tx, shopId, id))
      onDeleted(row.id)
      await landed(db, row, singles)
      return single({ id: row.id, object: 'webhook_endpoint', deleted: true })
    },
    async 'endpoints.rotate_secret'({
      params: { id, rotation },
      locals: {
        caller: { shopId },
        idempotency,
        now,
      },
    }) {
      const { overlapSeconds } = openParams(rotationInput, rotation)
      return db.transaction((tx) =>
        once(tx, shopId, idempotency, now, async () => {
          const { row, secret } = await newSecret(tx, shopId, id, overlapSeconds, keys)
          return single({ ...(await shown(tx, row, now)), secret })
        }),
      )
    },
    async 'endpoints.test'({ params: { id, test }, locals: request }) {
      const { event } = openParams(testInput, test)
      const answer = await sentOnce(db, request, () => sendTest(singles, request.caller, id, event))
      onDue()
      return answer
    },
  }
}

/** ActionHandlers of `deliveries.*`. */
export function deliveryHandlers({ db, cursorKeys, singles, onDue }: Office): ActionHandlers {
  return {
    async 'deliveries.list'({
      params: { id, status, event, limit, cursor },
      locals: {
        caller: { shopId },
      },
    }) {
      const endpoint = await endpointOf(db, shopId, id)
      const filter = filterText({ endpoint: endpoint.id, status, event })
      const want = openPage({ limit, cursor }, { keys: cursorKeys, resource: 'deliveries', shopId, filter })
      const isEnabled = endpoint.disabled_at === null
      // What is open is held while the endpoint is off, and pending while it is on: one of the two lists is empty.
      if (status === (isEnabled ? 'held' : 'pending')) return toPage([], want)
      const state = status === 'held' ? 'pending' : status
      const rows = await listDeliveries(db, shopId, endpoint.id, { state, event }, want)
      const attempts = groupAttempts(await listAttempts(db, shopId, rows, ATTEMPTS_SHOWN))
      return toPage(
        rows.map((row) => pageRow(row, attempts.get(row.id) ?? [], isEnabled)),
        want,
      )
    },
    async 'deliveries.retry'({ params: { id, retry }, locals: request }) {
      openParams(emptyInput, retry)
      const answer = await sentOnce(db, request, () => retryNow(singles, request.caller.shopId, id))
      onDue()
      return answer
    },
  }
}

/** ActionHandlers of `replays.*`. */
export function replayHandlers({ db, onDue }: Office): ActionHandlers {
  return {
    async 'replays.create'({
      params: { id, replay },
      locals: {
        caller: { shopId },
        idempotency,
        now,
      },
    }) {
      const before = await answeredBefore(db, shopId, idempotency, now)
      if (before !== null) return before
      const row = await planReplay(db, shopId, id, openParams(replayInput, replay), now)
      const answer = await db.transaction((tx) =>
        once(tx, shopId, idempotency, now, async () => {
          await beginReplay(tx, row)
          return single(toReplay(row))
        }),
      )
      onDue()
      return answer
    },
    async 'replays.get'({
      params: { id, replay },
      locals: {
        caller: { shopId },
      },
    }) {
      return single(toReplay(await findReplayOf(db, shopId, id, replay)))
    },
    async 'replays.cancel'({
      params: { id, replay },
      locals: {
        caller: { shopId },
      },
    }) {
      const { id: replayId, endpoint_id } = await findReplayOf(db, shopId, id, replay)
      await cancelReplay(db, shopId, endpoint_id, replayId)
      return single(toReplay(await findReplayOf(db, shopId, id, replay)))
    },
  }
}

// After this nothing is sent to the endpoint. Processes break off what they hear of; where one does not hear it, its claims
// have left by now or are given back unsent.
async function landed(db: Database, { shop_id, id }: EndpointRow, { pace }: Singles): Promise<void> {
  const until = performance.now() + pace.beginMs + pace.connectMs
  while (performance.now() < until && (await isFlying(db, shop_id, id))) await pause(20)
}

async function sentOnce(db: Database, request: RequestInfo, send: () => Promise<AttemptRow>): Promise<Buffer> {
  const { caller, idempotency, now } = request
  const before = await answeredBefore(db, caller.shopId, idempotency, now)
  if (before !== null) return before
  const answer = single(toAttempt(await send()))
  return db.transaction((tx) => once(tx, caller.shopId, idempotency, now, async () => answer))
}

function groupAttempts(rows: AttemptRow[]): Map<string, AttemptRow[]> {
  return Map.groupBy(rows, ({ delivery_id }) => delivery_id)
}

function pageRow(row: ListedDelivery, attempts: AttemptRow[], isEnabled: boolean) {
  return { id: row.id, created_at: row.happened_at, document: JSON.stringify(toDelivery(row, attempts, isEnabled)) }
}

function single(object: object): Buffer {
  return toSingle(JSON.stringify(object))
}
