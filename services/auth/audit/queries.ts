// SQL of the audit, and the commands of auth, which write their entries here in their own transaction. docs/spec/audit.md
import { openCommands } from '#audit/command'
import type { AuditFacts } from '#contracts/actions/audit'
import { afterCursor, conditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { AuditRow } from '../tables.ts'

export const { command, recordDone } = openCommands((tx, entry) => insertEntries(tx, [entry]))

/**
 * Stores entries of the shops that they name, or of none. What is known by id and outcome is skipped. Where a clock is so wrong that
 * there is no month for an entry, or it lies more than a day ahead, `at` is set: a change must not fail for its entry, nor an outbox wait.
 */
export async function insertEntries(tx: Sql, entries: AuditFacts[]): Promise<void> {
  // All shops: an entry names its own. The conflict: a call that the gateway saw fail in the very instant in which it was done.
  await tx.write(
    `insert into audit_entries as known (id, at, operator_id, operator_name, via, source, request_id, action, method, route, shop_id,
       object_type, object_id, outcome, code, changes)
     select id, case when at < now() + interval '1 day' and to_regclass('audit_entries_' || to_char(at at time zone 'UTC', 'YYYYMM'))
         is not null then at else now() end,
       operator_id, operator_name, via, source, request_id, action, method, route, shop_id, object_type, object_id, outcome, code, changes
     from (select distinct on (id, outcome) * from json_populate_recordset(null::audit_entries, $1)) e
     where (select true from audit_entries d where d.id = e.id and d.outcome = e.outcome limit 1) is null
     on conflict (id, at) do update set shop_id = excluded.shop_id, object_id = excluded.object_id, outcome = excluded.outcome,
       code = excluded.code, changes = excluded.changes
       where known.outcome = 'failed' and excluded.outcome = 'done'`,
    [JSON.stringify(entries)],
  )
}

export type AuditFilter = {
  operator?: string | undefined
  action?: string | undefined
  object_id?: string | undefined
  created_after?: Date | undefined
  created_before?: Date | undefined
}

/**
 * A page of the entries of a shop, newest first; of all shops where `shopId` is null. Uses the index audit_entries_newest, or that of a
 * filter: audit_entries_shop, _shop_operator, _shop_action, _operator, _action, _object.
 */
export function listEntries(
  db: Sql,
  shopId: string | null,
  { operator, action, object_id, created_after, created_before }: AuditFilter,
  page: PageRequest,
): Promise<AuditRow[]> {
  const list = conditions([
    // A call that the gateway saw fail may be done: then the entry of its service is the one, whichever of the two came first.
    [
      `(outcome <> 'failed'
       or (select true from audit_entries d where d.id = e.id and d.outcome = 'done' limit 1) is null)`,
    ],
    ['shop_id = ?', shopId ?? undefined],
    ['operator_id = ?', operator],
    ['action = ?', action],
    ['object_id = ?', object_id],
    ['at >= ?', created_after],
    ['at < ?', created_before],
    afterCursor('at, id', page),
  ])
  return db.rows(
    `select * from audit_entries e where ${list.where} order by at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}
