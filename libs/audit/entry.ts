// The part of an audit entry that says who called what, when and from where. docs/spec/audit.md
import { randomUUID } from 'node:crypto'
import type { AuditedCall, OperatorCaller } from '#contracts/caller'
import { objectTypeOf } from '#contracts/objects/audit-entry'

/** `operator` is null where a sign-in failed. The entry gets an id where the call has none. */
export function auditHead(call: AuditedCall, operator: Pick<OperatorCaller, 'id' | 'name' | 'via'> | null, now: Date) {
  const { id = randomUUID(), action, method, route, source } = call
  return {
    id,
    at: now.toISOString(),
    action,
    method,
    route,
    source,
    object_type: objectTypeOf(action),
    operator_id: operator?.id ?? null,
    operator_name: operator?.name ?? null,
    via: operator?.via ?? null,
  }
}
