// SQL of the request log: docs/spec/request-log.md#request-log.
import { limits } from '#contracts/limits'
import type { ReportedRequest } from '#contracts/actions/usage'
import { afterCursor, conditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import { countMissing, daysFrom, dropPartitions, makePartitions } from '#postgres/partitions'
import type { Sql } from '#postgres/connect'
import type { LoggedRequestRow } from '../tables.ts'

const DAYS_AHEAD = 3
const partitioned = ['requests', 'request_seconds']

/** Requests of one shop and second (its beginning): `asked` of them shall be kept, `skipped` further ones not. */
export type ShopSecond = { shop_id: string; second: Date; asked: number; skipped: number }

/**
 * Counts requests of shops and seconds; `seconds` names each once. Returns how many of those asked for may be kept, by shop and second;
 * the others are counted as skipped. Locks the seconds in their order, so that two reports at once cannot deadlock.
 */
export async function grantRoom(tx: Sql, seconds: ShopSecond[]): Promise<Map<string, number>> {
  const rows = await tx.rows<{ shop_id: string; second: Date; granted: number }>(
    `insert into request_seconds as s (shop_id, second, kept, granted, skipped)
     select shop_id, second, least(asked, $5), least(asked, $5), skipped + greatest(asked - $5, 0)
     from unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::bigint[]) as report (shop_id, second, asked, skipped)
     order by shop_id, second
     on conflict (shop_id, second) do update
       set kept = least(s.kept + excluded.kept, $5), granted = least(excluded.kept, $5 - s.kept),
         skipped = s.skipped + excluded.skipped + greatest(s.kept + excluded.kept - $5, 0)
     returning shop_id, second, granted`,
    [
      seconds.map((one) => one.shop_id),
      seconds.map((one) => one.second),
      seconds.map((one) => one.asked),
      seconds.map((one) => one.skipped),
      limits.requestsKeptPerSecond,
    ],
  )
  return new Map(rows.map((row) => [secondKey(row.shop_id, row.second), row.granted]))
}

/** Names a second of a shop. */
export function secondKey(shopId: string, second: Date): string {
  return `${shopId} ${second.getTime()}`
}

export async function insertRequests(tx: Sql, rows: (Omit<ReportedRequest, 'at'> & { at: Date })[]): Promise<void> {
  await tx.write(
    `insert into requests (shop_id, at, id, key_id, is_agent, method, route, tool, status, code, message, duration_ms, source)
     select * from jsonb_to_recordset($1::jsonb) as report (shop_id uuid, at timestamptz, id text, key_id uuid, is_agent boolean, method text,
       route text, tool text, status integer, code text, message text, duration_ms integer, source text)`,
    [JSON.stringify(rows)],
  )
}

export type RequestFilter = {
  key?: string | undefined
  status?: number | undefined
  id?: string | undefined
  created_after: Date
  created_before?: Date | undefined
}

/** A page of the shop's requests, newest first. Uses one of the indexes requests_newest, _key, _status, _id. */
export function listRequests(
  db: Sql,
  shopId: string,
  { key, status, id, created_after, created_before }: RequestFilter,
  page: PageRequest,
): Promise<LoggedRequestRow[]> {
  const list = conditions([
    ['shop_id = ?', shopId],
    ['key_id = ?', key],
    ['status = ?', status],
    ['id = ?', id],
    ['at >= ?', created_after],
    ['at < ?', created_before],
    afterCursor('at, row_id', page),
  ])
  return db.rows(
    `select * from requests where ${list.where} order by at desc, row_id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

/** How many requests of the shop in the range of instants were not kept, by whole seconds. Uses request_seconds_skipped. */
export async function countSkipped(
  db: Sql,
  shopId: string,
  { created_after, created_before }: Pick<RequestFilter, 'created_after' | 'created_before'>,
): Promise<number> {
  const range = conditions([
    ['shop_id = ?', shopId],
    ["second >= date_trunc('second', ?::timestamptz)", created_after],
    ['second < ?', created_before],
    ['skipped > 0'],
  ])
  const [row] = await db.rows<{ skipped: number }>(
    `select coalesce(sum(skipped), 0)::bigint as skipped from request_seconds where ${range.where}`,
    range.values,
  )
  return row?.skipped ?? 0
}

/** How many partitions of today and tomorrow each table lacks. */
export async function countMissingRequestDays(db: Sql, now: Date): Promise<[table: string, count: number][]> {
  const missing = async (table: string): Promise<[string, number]> => [
    table,
    await countMissing(db, { table, unit: 'day' }, now, 2),
  ]
  return Promise.all(partitioned.map(missing))
}

/** Creates the partitions of the coming days, and drops those in which nothing is shown any more. All shops: housekeeping. */
export async function keepRequestDays(db: Sql, now: Date): Promise<void> {
  for (const table of partitioned) {
    await makePartitions(db, { table, unit: 'day' }, daysFrom(now, -1), DAYS_AHEAD + 2)
    await dropPartitions(db, { table, unit: 'day' }, daysFrom(now, -limits.requestsKeptDays))
  }
}
