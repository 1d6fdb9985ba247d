// Owns the replay: events of a time range are queued again for one endpoint, in the order in which they happened, ten a
// second. states-and-events.md 6.2.
//
// It is a row. Each step queues the next events and moves the row behind them in one transaction, so a worker that dies
// loses no event and queues none twice; any other worker goes on. It waits while the endpoint is off, paused or failing, and
// while what it has queued is not done: a replay must not pile up.
import { randomUUID } from 'node:crypto'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isUuid } from '#contracts/actions/params'
import type { ReplayInput } from '#contracts/input/webhook'
import type { Database, Sql } from '#postgres/connect'
import { daysFrom } from '#postgres/day-partitions'
import { isClearing } from '../delivery/queries.ts'
import { findEndpoint } from '../endpoints/queries.ts'
import { queue } from '../events/fan-out.ts'
import type { Pace } from '../delivery/delivery-config.ts'
import { callTurns } from '../delivery/queue-queries.ts'
import {
  countMatching,
  findReplay,
  insertReplay,
  isReplaying,
  listDueReplays,
  listMatching,
  lockDueReplay,
  moveReplay,
  type Range,
  type RunningReplay,
} from './queries.ts'
import type { ReplayRow } from '../tables.ts'

/** What a replay of this endpoint would be. Refuses not_found; invalid_request naming `from`. */
export async function planReplay(
  db: Database,
  shopId: string,
  endpointId: string,
  input: ReplayInput,
  now: Date,
): Promise<ReplayRow> {
  const endpoint = isUuid(endpointId) ? await findEndpoint(db, shopId, endpointId) : null
  if (endpoint === null) throw noEndpoint()
  const range = { ...rangeOf(input, now), shopId, endpointId: endpoint.id, events: input.events ?? endpoint.events }
  return {
    ...{ id: randomUUID(), shop_id: shopId, endpoint_id: endpoint.id, status: 'running' },
    ...{ from_at: range.from, to_at: range.to, events: range.events, which: range.which },
    ...{ count: await countMatching(db, range), queued: 0, after_at: null, after_id: null },
    ...{ created_at: now, finished_at: null },
  }
}

/** Begins it. Refuses conflict where the endpoint is off, is skipping what it held, or has another replay that runs. */
export async function beginReplay(tx: Sql, row: ReplayRow): Promise<void> {
  await callTurns(tx, [row.shop_id])
  const endpoint = await findEndpoint(tx, row.shop_id, row.endpoint_id)
  if (endpoint === null) throw noEndpoint()
  if (endpoint.disabled_at !== null) throw refuse('conflict', 'The endpoint is disabled; enable it before a replay.')
  if (await isClearing(tx, row.shop_id, row.endpoint_id)) {
    throw refuse('conflict', 'Held deliveries of the endpoint are being skipped; try again in a moment.')
  }
  if (await isReplaying(tx, row.shop_id, row.endpoint_id)) {
    throw refuse('conflict', 'A replay of this endpoint is running; wait for it or cancel it.')
  }
  await insertReplay(tx, row.shop_id, row)
}

function noEndpoint() {
  return refuse('not_found', 'No webhook endpoint with that id in this shop.')
}

/** The replay, or a refusal. */
export async function findReplayOf(db: Sql, shopId: string, endpointId: string, id: string): Promise<ReplayRow> {
  const row = isUuid(id) && isUuid(endpointId) ? await findReplay(db, shopId, endpointId, id) : null
  if (row === null) throw refuse('not_found', 'No replay with that id at this endpoint.')
  return row
}

/** Moves every replay that is due one step on; gives how many there were. */
export async function stepReplays(db: Database, pace: Pace): Promise<number> {
  const due = await listDueReplays(db)
  for (const { shop_id, id } of due) {
    await db.transaction(async (tx) => {
      await callTurns(tx, [shop_id])
      const replay = await lockDueReplay(tx, shop_id, id, pace)
      if (replay !== null) await step(tx, replay, pace)
    })
  }
  return due.length
}

async function step(tx: Sql, replay: RunningReplay, pace: Pace): Promise<void> {
  const { shop_id, id } = replay
  const most = pace.perSecond - replay.open
  if (!replay.is_ready || most <= 0) {
    await moveReplay(tx, shop_id, id, { queued: 0, last: null, isOver: false, waitS: 1 })
    return
  }
  const after =
    replay.after_at === null || replay.after_id === null ? null : { at: replay.after_at, id: replay.after_id }
  const events = await listMatching(tx, rangeOfRow(replay), after, most)
  await queue(
    tx,
    events.map((event) => ({ event, receiver: { id: replay.endpoint_id, line_id: replay.line_id } })),
    'replay',
  )
  const last = events.at(-1) ?? null
  await moveReplay(tx, shop_id, id, {
    queued: events.length,
    last,
    isOver: events.length < most,
    waitS: events.length / pace.perSecond,
  })
}

function rangeOfRow({ shop_id, endpoint_id, from_at, to_at, events, which }: ReplayRow): Range {
  return { shopId: shop_id, endpointId: endpoint_id, from: from_at, to: to_at, events, which }
}

function rangeOf({ from, to, which }: ReplayInput, now: Date): Pick<Range, 'from' | 'to' | 'which'> {
  const until = to === undefined || to === null || to > now ? now : to
  if (from >= until) throw refuse('invalid_request', 'from must lie before to and in the past.', { field: 'from' })
  if (until > daysFrom(from, limits.webhookReplayDaysMax)) {
    const words = `from and to must lie at most ${limits.webhookReplayDaysMax} days apart.`
    throw refuse('invalid_request', words, { field: 'from' })
  }
  return { from, to: until, which }
}
