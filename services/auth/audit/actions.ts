// The audit: stores the entries of all services and of the gateway, and lists them. Nothing changes or deletes an entry but its age.
// docs/spec/audit.md
import type { ActionHandlers, ServiceContext } from '#runtime/service'
import { NO_SHOP } from '#audit/command'
import { auditMessage } from '#contracts/actions/audit'
import { receivedMessages } from '#outbox/received'
import { deriveKeys } from '#config/derive-key'
import type { ActionParams } from '#contracts/actions'
import { filterText, openPage, toPage } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { countMissing, daysFrom, dropPartitions, makePartitions } from '#postgres/partitions'
import { toAuditEntry } from '../shape.ts'
import { insertEntries, listEntries } from './queries.ts'

const KEPT_DAYS = 400
const MONTHS_AHEAD = 3
const entriesTable = { table: 'audit_entries', unit: 'month' } as const

export function auditActions(context: ServiceContext, db: Database): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')

  async function list(shopId: string | null, { limit, cursor, ...filter }: ActionParams<'audit.list'>) {
    const scope = { keys: cursorKeys, resource: 'audit', shopId: shopId ?? NO_SHOP, filter: filterText(filter) }
    const page = openPage({ limit, cursor }, scope)
    const rows = await listEntries(db, shopId, filter, page)
    return toPage(
      rows.map((row) => ({ id: row.id, created_at: row.at, document: JSON.stringify(toAuditEntry(row)) })),
      page,
    )
  }

  return {
    'audit.list': ({ params, locals }) => list(locals.caller.shopId, params),
    'audit.list_all': ({ params }) => list(null, params),
    async 'audit.record'({ params }) {
      await insertEntries(
        db,
        receivedMessages(auditMessage, params).map(({ body }) => body),
      )
      return {}
    },
    async 'audit.note'({ params: { entries }, locals: { now } }) {
      await insertEntries(
        db,
        entries.map((entry) => ({ ...entry, at: notedAt(entry.at, now) })),
      )
      return {}
    },
  }
}

/** Creates the partitions of the coming months and drops those that ended more than 400 days ago; returns how many. */
export async function keepAuditMonths(db: Sql, now: Date): Promise<number> {
  const made = await makePartitions(db, entriesTable, daysFrom(now, -1), MONTHS_AHEAD)
  return made + (await dropPartitions(db, entriesTable, daysFrom(now, -KEPT_DAYS)))
}

/** How many of this month and the next are missing. */
export function countMissingAuditMonths(db: Sql, now: Date): Promise<number> {
  return countMissing(db, entriesTable, now, 2)
}

// A gateway sends what it notes within seconds, so what is older than a day comes from a wrong clock. What is ahead: `insertEntries`.
function notedAt(at: string, now: Date): string {
  return new Date(Math.max(Date.parse(at), daysFrom(now, -1).getTime())).toISOString()
}
