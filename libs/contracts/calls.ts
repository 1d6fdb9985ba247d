// Who calls which actions, and who hears which events: docs/spec/internals.md#bus-logins. A service is refused any other call, and the
// permissions of its login on NATS follow from this table (`npm run generate`).
import type { ActionName } from './actions.ts'
import { auditActions } from './actions/audit.ts'
import { authActions } from './actions/auth.ts'
import { contactActions } from './actions/contacts.ts'
import { orderActions } from './actions/orders.ts'
import { outboxActions } from './actions/outbox.ts'
import { productActions } from './actions/products.ts'
import { subscriptionActions } from './actions/subscriptions.ts'
import { webhookActions } from './actions/webhooks.ts'

const admission = [
  ...(['auth.admit', 'auth.find_keys', 'auth.give_back', 'auth.note_failures', 'auth.recognise'] as const),
  'usage.record',
] as const
const publicApi = [
  ...(['orders.get', 'orders.list', 'orders.versions', 'products.get', 'products.list', 'products.versions'] as const),
  ...(['contacts.get', 'contacts.list', 'contacts.versions', 'contacts.tag', 'contacts.upsert', 'shop.get'] as const),
] as const

/** The actions that each service calls; those of the outbox too (outbox-messages.ts). */
export const calls = {
  auth: [],
  catalog: ['audit.record', 'orders.forget_product', 'orders.known'],
  contacts: ['audit.record', 'orders.forget_person', 'shop.get'],
  orders: [
    ...(['contacts.match', 'products.release', 'products.reserve', 'products.settle'] as const),
    ...(['audit.record', 'webhooks.forget', 'webhooks.ingest'] as const),
  ],
  subscriptions: ['audit.record', 'contacts.get', 'products.get', 'webhooks.ingest'],
  webhooks: ['audit.record', 'shops.get'],
  'rest-gateway': [
    ...admission,
    ...publicApi,
    ...(['events.feed', 'events.versions'] as const),
    ...(['contacts.opt_in_confirm', 'contacts.opt_in_find', 'contacts.opt_in_sender'] as const),
    ...(['contacts.opt_in_suppress', 'contacts.signup', 'shops.find'] as const),
  ],
  'mcp-gateway': [...admission, ...publicApi],
  'admin-gateway': [
    ...(['auth.note_failures', 'shops.change', 'shops.create', 'shops.find', 'shops.get', 'shops.list'] as const),
    ...(['keys.create', 'keys.list', 'keys.revoke', 'keys.roll', 'requests.list', 'usage.list'] as const),
    ...(['operators.change', 'operators.create', 'operators.disable', 'operators.get', 'operators.list'] as const),
    ...(['operators.create_link', 'operators.confirm', 'operators.end_sessions', 'operators.identify'] as const),
    ...(['operator_tokens.create', 'operator_tokens.list', 'operator_tokens.revoke'] as const),
    ...(['sessions.create', 'sessions.end', 'audit.list', 'audit.list_all', 'audit.note'] as const),
    ...(['imports.begin', 'imports.finish', 'imports.get', 'imports.list', 'imports.progress'] as const),
    ...(['products.change', 'products.create', 'products.delete', 'products.get', 'products.list'] as const),
    ...(['products.find_for_lines', 'products.import'] as const),
    ...(['contacts.erase', 'contacts.get', 'contacts.list', 'contacts.save'] as const),
    ...(['contacts.import', 'contacts.known', 'contacts.match_all'] as const),
    ...(['orders.change', 'orders.get', 'orders.history', 'orders.list', 'orders.place'] as const),
    ...(['orders.cancel', 'orders.complete', 'orders.confirm', 'orders.dispute', 'orders.mark_paid'] as const),
    ...(['orders.payment_failed', 'orders.payment_pending', 'orders.refund', 'orders.reschedule'] as const),
    ...(['orders.resolve_dispute', 'orders.ship', 'orders.import', 'orders.import_refunds'] as const),
    ...(Object.keys(subscriptionActions) as (keyof typeof subscriptionActions)[]),
    ...(Object.keys(outboxActions) as (keyof typeof outboxActions)[]),
    ...(['events.get', 'events.list', 'endpoints.change', 'endpoints.create', 'endpoints.delete'] as const),
    ...(['endpoints.get', 'endpoints.list', 'endpoints.rotate_secret', 'endpoints.test'] as const),
    ...(['deliveries.get', 'deliveries.list', 'deliveries.retry'] as const),
    ...(['replays.cancel', 'replays.create', 'replays.get', 'replays.list'] as const),
  ],
} as const satisfies Record<string, readonly ActionName[]>

export type ServiceName = keyof typeof calls

/** The actions that each service answers. */
export const answers: Record<ServiceName, readonly string[]> = {
  auth: [...Object.keys(authActions), ...Object.keys(auditActions)],
  catalog: [...Object.keys(productActions), ...outboxOf('catalog')],
  contacts: [...Object.keys(contactActions), ...outboxOf('contacts')],
  orders: [...Object.keys(orderActions), ...outboxOf('orders')],
  subscriptions: [...Object.keys(subscriptionActions), ...outboxOf('subscriptions')],
  webhooks: [...Object.keys(webhookActions), ...outboxOf('webhooks')],
  'rest-gateway': [],
  'mcp-gateway': [],
  'admin-gateway': [],
}

function outboxOf(schema: string): string[] {
  return Object.keys(outboxActions).filter((action) => action.startsWith(`${schema}.`))
}

/** Who sends an event, and who hears it; an event is a hint that may be lost. */
export const events: Record<string, { from: readonly ServiceName[]; to: readonly ServiceName[] }> = {
  'key.changed': { from: ['auth'], to: ['rest-gateway', 'mcp-gateway'] },
  'events.stored': { from: ['webhooks'], to: ['rest-gateway'] },
  'webhooks.due': { from: ['webhooks'], to: ['webhooks'] },
  'webhooks.deleted': { from: ['webhooks'], to: ['webhooks'] },
  'shops.watched': { from: ['admin-gateway'], to: ['rest-gateway', 'mcp-gateway', 'webhooks'] },
  'shops.seen': { from: ['rest-gateway', 'mcp-gateway', 'webhooks'], to: ['admin-gateway'] },
}

/** Gateways that hold leases, which auth calls by the name of their node (actions/auth.ts). */
export const leaseHolders: readonly ServiceName[] = ['rest-gateway', 'mcp-gateway']

export function isServiceName(name: string): name is ServiceName {
  return Object.hasOwn(calls, name)
}

// Called before anybody knows who calls, or by a service for its own work: they name the shop in their params, or none.
const unclaimed: readonly ActionName[] = [
  ...admission,
  ...([
    'operators.confirm',
    'operators.identify',
    'sessions.create',
    'sessions.end',
    'shops.find',
    'shops.get',
  ] as const),
  ...(['contacts.versions', 'events.versions', 'orders.versions', 'products.versions'] as const),
  ...(['contacts.opt_in_confirm', 'contacts.opt_in_find', 'contacts.opt_in_sender'] as const),
  ...(['contacts.opt_in_suppress', 'orders.known', 'orders.forget_person', 'orders.forget_product'] as const),
  ...(['products.settle', 'webhooks.forget', 'webhooks.ingest'] as const),
  ...(['audit.note', 'audit.record'] as const),
]

/**
 * Whose claim a call of the action must carry (docs/spec/internals.md#signed-claims): an operator's where the back office alone calls it;
 * null where it needs none.
 */
export function claimantOf(action: ActionName): 'operator' | 'anybody' | null {
  if (unclaimed.includes(action)) return null
  const callers = Object.entries(calls).filter(([, called]) => (called as readonly string[]).includes(action))
  return callers.every(([name]) => name === 'admin-gateway') ? 'operator' : 'anybody'
}

/** The actions that a service may call; null for a service that the contract does not name, such as a test's. */
export function callsOf(service: string): ReadonlySet<ActionName> | null {
  return isServiceName(service) ? new Set<ActionName>(calls[service]) : null
}
