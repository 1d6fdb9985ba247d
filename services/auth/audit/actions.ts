// The audit: stores the entries of all services and of the gateway, and lists them. Nothing changes or deletes an entry but its age.
// docs/spec/access.md#audit
import type { ActionHandlers, ServiceContext } from '#runtime/service'
import { NO_SHOP } from '#audit/command'
import { deriveKeys } from '#config/derive-key'
import type { ActionParams } from '#contracts/actions'
import { filterText, openPage, toPage } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { dropMonths, makeMonths } from '#postgres/month-partitions'
import { toAuditEntry } from '../shape.ts'
import { insertEntries, listEntries } from './queries.ts'

const KEPT_DAYS = 400
const MONTHS_AHEAD = 3
const DAY_MS = 86_400_000

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
    async 'audit.record'({ params: { body } }) {
      await insertEntries(db, [body])
      return {}
    },
    async 'audit.note'({ params: { entries }, locals: { now } }) {
      await insertEntries(
        db,
        entries.map((entry) => ({ ...entry, at: storableAt(entry.at, now) })),
      )
      return {}
    },
  }
}

/** Makes the coming months and drops those that ended more than 400 days ago; gives how many. */
export async function keepAuditMonths(db: Sql, now: Date): Promise<number> {
  const made = await makeMonths(db, 'audit_entries', new Date(now.getTime() - DAY_MS), MONTHS_AHEAD)
  return made + (await dropMonths(db, 'audit_entries', new Date(now.getTime() - KEPT_DAYS * DAY_MS)))
}

// Months exist around the present only, and the clock of a gateway may be wrong. An instant less than a day off stays as it is, so that
// an entry that is sent again is known by it.
function storableAt(at: string, now: Date): string {
  const ms = Date.parse(at) > now.getTime() + DAY_MS ? now.getTime() : Math.max(Date.parse(at), now.getTime() - DAY_MS)
  return new Date(ms).toISOString()
}
