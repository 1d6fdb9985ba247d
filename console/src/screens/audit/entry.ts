// What the screen knows about audit entries. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Filter } from '../../parts/list/filters.ts'
import type { Tone } from '../../parts/status.tsx'
import type { Screen } from '../../screens.ts'

export type Entry = BackOfficeSchemas['AuditEntry']

export const auditFilters: readonly Filter[] = [
  { kind: 'word', name: 'action' },
  { kind: 'id', name: 'operator' },
  { kind: 'id', name: 'object_id' },
  { kind: 'time', name: 'created_after' },
  { kind: 'time', name: 'created_before' },
]

/** The screens that show the objects of entries. */
export const screenOfType: Readonly<Record<string, Screen['name']>> = {
  order: 'orders',
  product: 'products',
  contact: 'contacts',
  subscription: 'memberships',
  api_key: 'keys',
  webhook_endpoint: 'webhooks',
  webhook_delivery: 'deliveries',
  operator: 'operators',
}

export function toneOf({ outcome }: Entry): Tone {
  if (outcome === 'done') return 'ok'
  return outcome === 'failed' ? 'warn' : 'off'
}

/** `done`, or `refused: conflict`. */
export function outcomeOf({ outcome, code }: Entry): string {
  return code === undefined ? outcome : `${outcome}: ${code}`
}

/** A value of a change as one line; `null` for none. */
export function valueWords(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
}
