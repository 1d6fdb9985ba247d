// The actions of usage and of the request log: the gateways report the calls of keys in batches, the back office lists them.
// docs/spec/request-log.md#usage, docs/spec/request-log.md
import { deriveKeys } from '#config/derive-key'
import type { ActionParams } from '#contracts/actions'
import { limits } from '#contracts/limits'
import { toRequest } from '#contracts/objects/request'
import { filterText, openPage, toPage } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { daysFrom } from '#postgres/partitions'
import type { ActionHandlers, ServiceContext } from '#runtime/service'
import { toUsage } from '../shape.ts'
import { addUsage, insertUsageBatch, listUsage } from './queries.ts'
import { countSkipped, grantRoom, insertRequests, listRequests, secondKey, type ShopSecond } from './request-queries.ts'

type Report = Pick<ActionParams<'usage.record'>, 'requests' | 'skipped'>

export function usageActions({ settings }: ServiceContext, db: Database): ActionHandlers {
  const cursorKeys = deriveKeys(settings, 'cursor')
  return {
    async 'usage.record'({ params: { batch_id, rows, ...report }, locals: { now } }) {
      await db.transaction(async (tx) => {
        if (!(await insertUsageBatch(tx, batch_id, now))) return
        if (rows.length > 0) await addUsage(tx, rows)
        await logRequests(tx, report, now)
      })
      return { batch_id }
    },
    async 'usage.list'({ params: { minutes }, locals: { caller, now } }) {
      const since = new Date(now.getTime() - minutes * 60_000)
      const rows = await listUsage(db, caller.shopId, since)
      return Buffer.from(JSON.stringify({ data: rows.map(toUsage), has_more: false, next_cursor: null }))
    },
    async 'requests.list'({ params: { limit, cursor, ...filters }, locals: { caller, now } }) {
      const { shopId } = caller
      const scope = { keys: cursorKeys, resource: 'requests', shopId, filter: filterText(filters) }
      const page = openPage({ limit, cursor }, scope)
      const oldest = daysFrom(now, -limits.requestsKeptDays)
      const after = filters.created_after ?? oldest
      const filter = { ...filters, created_after: after > oldest ? after : oldest }
      const [rows, skipped] = await Promise.all([
        listRequests(db, shopId, filter, page),
        countSkipped(db, shopId, filter),
      ])
      const documents = rows.map((row) => ({
        document: JSON.stringify(toRequest(row)),
        created_at: row.at,
        id: row.row_id,
      }))
      const body = toPage(documents, page)
      return Buffer.concat([body.subarray(0, -1), Buffer.from(`,"skipped":${skipped}}`)])
    },
  }
}

// Keeps ten requests of a shop and second, over all gateways, and counts the others.
async function logRequests(tx: Sql, { requests, skipped }: Report, now: Date): Promise<void> {
  const seconds = new Map<string, ShopSecond>()
  const secondOf = (shop_id: string, at: Date) => {
    const second = new Date(Math.floor(at.getTime() / 1_000) * 1_000)
    const key = secondKey(shop_id, second)
    const found = seconds.get(key) ?? { shop_id, second, asked: 0, skipped: 0 }
    seconds.set(key, found)
    return { key, found }
  }
  const timed = requests.map((row) => ({ ...row, at: within(row.at, now) }))
  for (const { shop_id, at } of timed) secondOf(shop_id, at).found.asked += 1
  for (const { shop_id, second, count } of skipped) secondOf(shop_id, within(second, now)).found.skipped += count
  if (seconds.size === 0) return
  const room = await grantRoom(tx, [...seconds.values()])
  const kept = timed.filter(({ shop_id, at }) => {
    const { key } = secondOf(shop_id, at)
    const left = room.get(key) ?? 0
    room.set(key, left - 1)
    return left > 0
  })
  if (kept.length > 0) await insertRequests(tx, kept)
}

// There are partitions for the days around now only: the clock of a gateway may be wrong, and a report may be very late.
function within(at: Date, now: Date): Date {
  return new Date(Math.min(Math.max(at.getTime(), daysFrom(now, -1).getTime()), now.getTime()))
}
