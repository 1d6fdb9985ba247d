// The published audit entry: docs/spec/audit.md
import { z } from 'zod'
import { instant, openEnumeration, uuid } from './scalar.ts'

export const auditOutcomes = ['done', 'refused', 'failed'] as const
export const auditMeans = ['token', 'session', 'admin_token'] as const

// Of any type that JSON has.
const value = z
  .union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
  .meta({ description: 'The value of the field, as the object shows it.' })

/** One call of the back office that changed something or tried to, or one sign-in. */
export const auditEntry = z
  .object({
    id: uuid,
    object: z.literal('audit_entry'),
    at: instant,
    operator: z
      .object({
        id: uuid,
        name: z.string(),
        via: openEnumeration(auditMeans, 'How the operator was recognised.'),
      })
      .nullable()
      .meta({ description: 'Null where a sign-in failed.' }),
    source: z.string().meta({ description: 'Address of the client.' }),
    requestId: z.string().nullable(),
    action: z.string(),
    method: z.string(),
    route: z.string().meta({ description: 'Path below `/admin/v1`, with names for its variable parts.' }),
    shopId: uuid.nullable(),
    objectType: z.string().meta({ description: '`object` of what was changed, such as `order`.' }),
    objectId: uuid.nullable(),
    outcome: openEnumeration(auditOutcomes, 'What became of the call.'),
    code: z.string().optional().meta({ description: 'Code of the refusal; only where it was refused.' }),
    changes: z
      .record(z.string(), z.array(value).length(2)) // No tuple: generators of clients cannot read prefixItems.
      .meta({ description: 'Before and after, by field. `"…"` is a value that is not shown.' }),
  })
  .meta({ id: 'AuditEntry' })

export type AuditEntry = z.infer<typeof auditEntry>

const typesByService: Record<string, string> = {
  agent: 'agent_grant',
  archives: 'archive',
  contacts: 'contact',
  deliveries: 'webhook_delivery',
  endpoints: 'webhook_endpoint',
  imports: 'import',
  keys: 'api_key',
  operator_tokens: 'operator_token',
  operators: 'operator',
  orders: 'order',
  products: 'product',
  replays: 'webhook_replay',
  restores: 'restore',
  sessions: 'session',
  shops: 'shop',
  subscriptions: 'subscription',
  views: 'view',
}

/** The `object` of what an action changes. */
export function objectTypeOf(action: string): string {
  const [service = '', name = ''] = action.split('.')
  if (name.endsWith('_parked')) return 'outbox_message'
  if (name === 'change_settings') return 'subscription_settings'
  return typesByService[service] ?? service
}
