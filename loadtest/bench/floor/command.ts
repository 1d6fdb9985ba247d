// What the floor writes beside the object of a command of the back office, as parts of the command's one statement: events, messages,
// the kept answer and the audit entry. docs/spec/audit.md, docs/spec/outboxes.md
import { createHash, randomUUID } from 'node:crypto'
import { changesOf } from '#audit/changes'
import type { AuditFacts } from '#contracts/actions/audit'
import type { EventKind } from '#contracts/objects/webhook-event'
import { eventBody, eventId } from '#outbox/record-event'
import { stamped, UNSTAMPED } from './database.ts'

export const ACTOR = 'admin token'
const OPERATOR = '00000000-0000-0000-0000-000000000000'

/** `object` before and after the command, as it is published; `sequence` is the number of its last event. */
export type Done = {
  shopId: string
  key: string | undefined
  action: string
  route: string
  objectType: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> & { id: string }
  document: string
  events: readonly EventKind[]
  sequence: number
  messages?: { kind: string; body: object }[]
}

/** SQL: the parts, for a statement whose part `written` returns `at` and `document`. They use the parameters of `commandValues`. */
export function commandParts(schema: 'orders' | 'subscriptions'): string {
  return `
  , happened as (
    insert into ${schema}.events (id, shop_id, object_id, sequence, type, body, happened_at)
    select e.id, $1, $2, e.sequence, e.type, ${stamped('e.body')}, at
    from written, json_to_recordset($4) e (id uuid, sequence bigint, type text, body text)
  ), owed as (
    insert into ${schema}.outbox (id, shop_id, object_id, kind, body, created_at)
    select m.id, $1, m.object_id, m.kind, m.body, at
    from written, json_to_recordset($5) m (id uuid, object_id uuid, kind text, body text)
  ), kept as (
    insert into ${schema}.idempotent_answers (shop_id, key_digest, fingerprint, answer, created_at)
    select $1, $3, '', convert_to('{"data":' || document || '}', 'UTF8'), at from written where $3::bytea is not null
  ), audited as (
    insert into auth.audit_entries select a.* from written, json_populate_record(null::auth.audit_entries, $6) a
  )
  select document from written`
}

/** $1 shop, $2 object, $3 digest of the key or null, $4 events, $5 messages, $6 audit entry. */
export function commandValues(done: Done): unknown[] {
  const { shopId, key, after, document, events, sequence, messages = [] } = done
  const entry = entryOf(done)
  const owed = [
    ...messages.map(({ kind, body }) => ({ id: randomUUID(), object_id: after.id, kind, body: JSON.stringify(body) })),
    { id: randomUUID(), object_id: null, kind: 'audit.entry', body: JSON.stringify(entry) },
  ]
  const happened = events.map((type, index) => {
    const own = sequence - events.length + 1 + index
    const id = eventId(new Date(), own)
    const event = { shopId, objectId: after.id, sequence: own, type, document, now: UNSTAMPED }
    return { id, sequence: own, type, body: eventBody(id, event) }
  })
  return [
    shopId,
    after.id,
    key === undefined ? null : createHash('sha256').update(key).digest(),
    JSON.stringify(happened),
    JSON.stringify(owed),
    JSON.stringify(entry),
  ]
}

function entryOf({ shopId, action, route, objectType, before, after }: Done): AuditFacts {
  return {
    id: randomUUID(),
    at: new Date().toISOString(),
    operator_id: OPERATOR,
    operator_name: ACTOR,
    via: 'admin_token',
    source: '127.0.0.1',
    request_id: randomUUID(),
    action,
    method: 'POST',
    route,
    shop_id: shopId,
    object_type: objectType,
    object_id: after.id,
    outcome: 'done',
    code: null,
    changes: JSON.stringify(changesOf(before, after)),
  }
}
