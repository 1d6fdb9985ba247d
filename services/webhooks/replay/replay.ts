// A replay queues the events of a time range again for one endpoint, in order, ten per second (docs/spec/webhooks.md#replay).
//
// A replay is a row. One transaction queues the next events and moves the position of the row behind them, so that a crash
// loses no event and queues none twice; every worker can continue. A replay waits while its endpoint is disabled, paused or
// failing, and while ten of its deliveries are not done.
import { randomUUID } from 'node:crypto'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isUuid } from '#contracts/actions/params'
import type { ReplayInput } from '#contracts/input/webhook'
import type { ReplayPreview } from '#contracts/objects/webhook'
import type { Database, Sql } from '#postgres/connect'
import { daysFrom } from '#postgres/partitions'
import {
  countMatching,
  findReplay,
  insertReplay,
  isReplaying,
  listDueReplays,
  listMatching,
  lockDueReplay,
  previewMatching,
  saveReplayProgress,
  type Range,
  type RunningReplay,
} from './queries.ts'
import type { DeliveryConfig } from '../delivery/delivery-config.ts'
import { scheduleNow } from '../delivery/queue-queries.ts'
import { isSkippingHeld } from '../delivery/sweep-queries.ts'
import { requireEndpoint } from '../endpoints/endpoints.ts'
import { enqueue } from '../events/fan-out.ts'
import type { ReplayRow } from '../tables.ts'

/** A replay that is not stored yet, with the number of its events. Refuses not_found; invalid_request naming `from`. */
export async function planReplay(
  db: Database,
  shopId: string,
  endpointId: string,
  input: ReplayInput,
  now: Date,
): Promise<ReplayRow> {
  const range = await rangeAt(db, shopId, endpointId, input, now)
  return {
    id: randomUUID(),
    shop_id: shopId,
    endpoint_id: range.endpointId,
    status: 'running',
    from_at: range.from,
    to_at: range.to,
    events: range.events,
    which: range.which,
    count: await countMatching(db, range),
    queued: 0,
    after_at: null,
    after_id: null,
    created_at: now,
    finished_at: null,
  }
}

/** Stores the replay. Refuses conflict as `checkReady` does. */
export async function startReplay(tx: Sql, row: ReplayRow): Promise<void> {
  await scheduleNow(tx, [row.shop_id])
  await checkReady(tx, row.shop_id, row.endpoint_id)
  await insertReplay(tx, row.shop_id, row)
}

/** Counts what a replay would cover and stores nothing. Refuses what the replay would be refused for. */
export async function previewReplay(
  db: Database,
  shopId: string,
  endpointId: string,
  input: ReplayInput,
  now: Date,
): Promise<ReplayPreview> {
  const range = await rangeAt(db, shopId, endpointId, input, now)
  await checkReady(db, shopId, range.endpointId)
  return { object: 'replay_preview', ...(await previewMatching(db, range)) }
}

async function rangeAt(db: Sql, shopId: string, endpointId: string, input: ReplayInput, now: Date): Promise<Range> {
  const endpoint = await requireEndpoint(db, shopId, endpointId)
  return { ...rangeOf(input, now), shopId, endpointId: endpoint.id, events: input.events ?? endpoint.events }
}

// Refuses conflict where the endpoint is disabled, is skipping held deliveries, or has a running replay.
async function checkReady(sql: Sql, shopId: string, endpointId: string): Promise<void> {
  const endpoint = await requireEndpoint(sql, shopId, endpointId)
  if (endpoint.disabled_at !== null) throw refuse('conflict', 'The endpoint is disabled; enable it before a replay.')
  if (await isSkippingHeld(sql, shopId, endpointId)) {
    throw refuse('conflict', 'Held deliveries of the endpoint are being skipped; try again in a moment.')
  }
  if (await isReplaying(sql, shopId, endpointId)) {
    throw refuse('conflict', 'A replay of this endpoint is running; wait for it or cancel it.')
  }
}

/** The replay. Refuses not_found. */
export async function requireReplay(db: Sql, shopId: string, endpointId: string, id: string): Promise<ReplayRow> {
  const row = isUuid(id) && isUuid(endpointId) ? await findReplay(db, shopId, endpointId, id) : null
  if (row === null) throw refuse('not_found', 'No replay with that id at this endpoint.')
  return row
}

/** Queues the next events of every replay that is due; returns the number of these replays. */
export async function advanceReplays(db: Database, config: DeliveryConfig): Promise<number> {
  const due = await listDueReplays(db)
  for (const { shop_id, id } of due) {
    await db.transaction(async (tx) => {
      await scheduleNow(tx, [shop_id])
      const replay = await lockDueReplay(tx, shop_id, id, config)
      if (replay !== null) await queueNext(tx, replay, config)
    })
  }
  return due.length
}

async function queueNext(tx: Sql, replay: RunningReplay, config: DeliveryConfig): Promise<void> {
  const { shop_id, id } = replay
  const most = config.perSecond - replay.open
  if (!replay.is_ready || most <= 0) {
    await saveReplayProgress(tx, shop_id, id, { queued: 0, last: null, isOver: false, waitS: 1 })
    return
  }
  const after =
    replay.after_at === null || replay.after_id === null ? null : { at: replay.after_at, id: replay.after_id }
  const events = await listMatching(tx, rangeOfRow(replay), after, most)
  await enqueue(
    tx,
    events.map((event) => ({ event, endpoint: { id: replay.endpoint_id, queue_id: replay.queue_id } })),
    'replay',
  )
  const last = events.at(-1) ?? null
  await saveReplayProgress(tx, shop_id, id, {
    queued: events.length,
    last,
    isOver: events.length < most,
    waitS: events.length / config.perSecond,
  })
}

function rangeOfRow({ shop_id, endpoint_id, from_at, to_at, events, which }: ReplayRow): Range {
  return { shopId: shop_id, endpointId: endpoint_id, from: from_at, to: to_at, events, which }
}

function rangeOf({ from, to, which }: ReplayInput, now: Date): Pick<Range, 'from' | 'to' | 'which'> {
  const until = to === undefined || to === null || to > now ? now : to
  if (from >= until) throw refuse('invalid_request', 'from must lie before to and in the past.', { field: 'from' })
  if (until > daysFrom(from, limits.webhookReplayDaysMax)) {
    const message = `from and to must lie at most ${limits.webhookReplayDaysMax} days apart.`
    throw refuse('invalid_request', message, { field: 'from' })
  }
  return { from, to: until, which }
}
