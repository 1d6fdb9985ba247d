// Which service calls which actions and receives which events: docs/spec/internals.md#bus-logins. A service is refused any other call, and the
// permissions of its login on NATS follow from this table (`npm run generate`).
import type { ActionName } from './actions.ts'
import { archiveActions } from './actions/archive.ts'
import { auditActions } from './actions/audit.ts'
import { authActions } from './actions/auth.ts'
import { contactActions } from './actions/contacts.ts'
import { orderActions } from './actions/orders.ts'
import { outboxActions } from './actions/outbox.ts'
import { productActions } from './actions/products.ts'
import { subscriptionActions } from './actions/subscriptions.ts'
import { webhookActions } from './actions/webhooks.ts'
import { routes } from './back-office/routes.ts'

const admission = [
  'auth.admit',
  'auth.find_keys',
  'auth.give_back',
  'auth.note_failures',
  'auth.recognise',
  'usage.record',
] as const
const publicApi = [
  'orders.get',
  'orders.list',
  'orders.versions',
  'products.get',
  'products.list',
  'products.versions',
  'contacts.get',
  'contacts.list',
  'contacts.versions',
  'contacts.tag',
  'contacts.upsert',
  'shop.get',
] as const

/** The actions that each service calls; those of the outbox too (outbox-messages.ts). */
export const calls = {
  auth: [],
  catalog: ['audit.record', 'orders.forget_product', 'orders.known'],
  contacts: ['audit.record', 'orders.forget_person', 'shop.get'],
  orders: [
    'contacts.match',
    'products.release',
    'products.reserve',
    'products.settle',
    'audit.record',
    'webhooks.forget',
    'webhooks.ingest',
  ],
  subscriptions: ['audit.record', 'contacts.get', 'products.get', 'webhooks.ingest'],
  webhooks: ['audit.record', 'shops.get'],
  'rest-gateway': [
    ...admission,
    ...publicApi,
    'events.feed',
    'events.versions',
    'contacts.opt_in_confirm',
    'contacts.opt_in_find',
    'contacts.opt_in_sender',
    'contacts.opt_in_suppress',
    'contacts.signup',
    'shops.find',
  ],
  'mcp-gateway': [...admission, ...publicApi],
  'admin-gateway': [
    ...routes.map(({ action }) => action),
    'auth.note_failures',
    'operators.confirm',
    'operators.identify',
    'sessions.create',
    'sessions.end',
    'shops.find',
    'audit.note',
    'imports.progress',
    'imports.finish',
    'products.find_for_lines',
    'products.import',
    'contacts.import',
    'contacts.known',
    'contacts.match_all',
    'orders.import',
    'orders.import_refunds',
    ...(Object.keys(archiveActions) as (keyof typeof archiveActions)[]),
  ],
} as const satisfies Record<string, readonly ActionName[]>

export type ServiceName = keyof typeof calls

/** The actions that each service answers. */
export const answers: Record<ServiceName, readonly string[]> = {
  auth: [...Object.keys(authActions), ...Object.keys(auditActions), ...archivesOf('auth', 'archives', 'restores')],
  catalog: [...Object.keys(productActions), ...outboxOf('catalog'), ...archivesOf('catalog')],
  contacts: [...Object.keys(contactActions), ...outboxOf('contacts'), ...archivesOf('contacts')],
  orders: [...Object.keys(orderActions), ...outboxOf('orders'), ...archivesOf('orders')],
  subscriptions: [...Object.keys(subscriptionActions), ...outboxOf('subscriptions'), ...archivesOf('subscriptions')],
  webhooks: [...Object.keys(webhookActions), ...outboxOf('webhooks'), ...archivesOf('webhooks')],
  'rest-gateway': [],
  'mcp-gateway': [],
  'admin-gateway': [],
}

function outboxOf(schema: string): string[] {
  return Object.keys(outboxActions).filter((action) => action.startsWith(`${schema}.`))
}

function archivesOf(...nouns: string[]): string[] {
  return Object.keys(archiveActions).filter((action) => nouns.includes(action.split('.')[0] ?? ''))
}

/** Which services send and receive an event; an event is a hint that may be lost. */
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
  'operators.confirm',
  'operators.identify',
  'sessions.create',
  'sessions.end',
  'shops.find',
  'shops.get',
  'contacts.versions',
  'events.versions',
  'orders.versions',
  'products.versions',
  'contacts.opt_in_confirm',
  'contacts.opt_in_find',
  'contacts.opt_in_sender',
  'contacts.opt_in_suppress',
  'orders.known',
  'orders.forget_person',
  'orders.forget_product',
  'products.settle',
  'webhooks.forget',
  'webhooks.ingest',
  'audit.note',
  'audit.record',
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
