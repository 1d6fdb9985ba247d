// The health of an endpoint in the last day (docs/spec/webhooks.md#health-of-the-last-day). Attempts are counted by endpoint and hour in
// the transaction that records them, one statement for a batch: none is counted twice, and a read adds at most 25 rows.
import { bucketOf, percentileOf } from '#contracts/duration-buckets'
import type { EndpointHealth } from '#contracts/objects/webhook'
import type { Sql } from '#postgres/connect'
import { addHours, deleteHours, type HourRow, listHours, oldestUndelivered } from './hour-queries.ts'

const HOUR_MS = 3_600_000
const HOURS_SHOWN = 24
const HOURS_KEPT = 48

export type CountedAttempt = { endpointId: string; startedAt: Date; durationMs: number; isSuccess: boolean }

/** Adds attempts of one shop, whose schedule is locked, to the hours in which they began. */
export async function countAttempts(tx: Sql, shopId: string, attempts: readonly CountedAttempt[]): Promise<void> {
  const rows = new Map<string, HourRow>()
  for (const { endpointId, startedAt, durationMs, isSuccess } of attempts) {
    const hour = hourOf(startedAt.getTime()).toISOString()
    const name = `${endpointId} ${hour}`
    const row = rows.get(name) ?? { endpoint_id: endpointId, hour, attempts: 0, succeeded: 0, durations: [] }
    rows.set(name, row)
    row.attempts += 1
    if (isSuccess) row.succeeded += 1
    const bucket = bucketOf(durationMs)
    while (row.durations.length <= bucket) row.durations.push(0)
    row.durations[bucket] = (row.durations[bucket] ?? 0) + 1
  }
  if (rows.size > 0) await addHours(tx, shopId, [...rows.values()])
}

/** The health since the hour in which the instant of 24 hours ago lies. */
export async function healthOf(db: Sql, shopId: string, endpointId: string, now: Date): Promise<EndpointHealth> {
  const since = hourOf(now.getTime() - HOURS_SHOWN * HOUR_MS)
  const [hours, oldest] = await Promise.all([
    listHours(db, shopId, endpointId, since),
    oldestUndelivered(db, shopId, endpointId),
  ])
  const sum = (of: (row: (typeof hours)[number]) => number) => hours.reduce((all, row) => all + of(row), 0)
  const buckets = Math.max(0, ...hours.map(({ durations }) => durations.length))
  const durations = Array.from({ length: buckets }, (_, at) => sum((row) => row.durations[at] ?? 0))
  return {
    object: 'endpoint_health',
    endpointId,
    since: since.toISOString(),
    attempts: sum((row) => row.attempts),
    succeeded: sum((row) => row.succeeded),
    p95Ms: percentileOf(durations, 0.95),
    oldestUndeliveredAt: oldest?.toISOString() ?? null,
  }
}

/** Deletes hours that are not shown any more. */
export async function deleteOldHours(db: Sql, now: Date): Promise<void> {
  await deleteHours(db, new Date(now.getTime() - HOURS_KEPT * HOUR_MS))
}

function hourOf(atMs: number): Date {
  return new Date(Math.floor(atMs / HOUR_MS) * HOUR_MS)
}
