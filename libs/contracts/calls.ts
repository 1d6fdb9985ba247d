// Which service calls which actions and receives which events: docs/spec/internals.md#bus-logins. A service is refused any other call, and the
// permissions of its login on NATS follow from this table (`npm run generate`).
import type { ActionName } from './actions.ts'
import { agentActions } from './actions/agents.ts'
import { archiveActions } from './actions/archive.ts'
import { auditActions } from './actions/audit.ts'
import { authActions } from './actions/auth.ts'
import { contactActions } from './actions/contacts.ts'
import { orderActions } from './actions/orders.ts'
import { outboxActions } from './actions/outbox.ts'
import { productActions } from './actions/products.ts'
import { shopDeletionActions } from './actions/shop-deletion.ts'
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
/** What both public gateways call for a key of a shop. */
export const publicApi = [
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

const agentSignIn = [
  'agent.close_authorization',
  'agent.end',
  'agent.find_authorization',
  'agent.find_client',
  'agent.find_grant',
  'agent.find_token',
  'agent.open_authorization',
  'agent.store_client',
  'agent.store_token',
  'agent.take_decision',
  'agent.use_token',
] as const

/** The actions that each service calls; those of the outbox too (outbox-messages.ts). */
export const calls = {
  auth: [
    'auth.note_key_uses',
    'catalog.delete_shop',
    'contacts.delete_shop',
    'orders.delete_shop',
    'subscriptions.delete_shop',
    'webhooks.delete_shop',
  ],
  catalog: ['audit.record', 'auth.note_key_uses', 'orders.forget_product', 'orders.known'],
  contacts: ['audit.record', 'auth.note_key_uses', 'orders.forget_person', 'shop.get'],
  orders: [
    'contacts.match',
    'products.release',
    'products.reserve',
    'products.settle',
    'audit.record',
    'auth.note_key_uses',
    'webhooks.forget',
    'webhooks.ingest',
  ],
  subscriptions: ['audit.record', 'auth.note_key_uses', 'contacts.get', 'products.get', 'webhooks.ingest'],
  webhooks: ['audit.record', 'auth.note_key_uses', 'shops.get'],
  'rest-gateway': [
    ...admission,
    ...publicApi,
    'orders.stamps',
    'products.stamps',
    'contacts.stamps',
    'events.feed',
    'events.versions',
    'contacts.opt_in_confirm',
    'contacts.opt_in_find',
    'contacts.opt_in_sender',
    'contacts.opt_in_suppress',
    'contacts.signup',
    'shops.find',
  ],
  'mcp-gateway': [...admission, ...publicApi, ...agentSignIn],
  'admin-gateway': [
    ...routes.map(({ action }) => action),
    'auth.note_failures',
    'auth.note_key_uses',
    'operators.confirm',
    'operators.identify',
    'sessions.create',
    'sessions.end',
    'shops.find',
    'audit.note',
    'imports.open_file',
    'imports.store_chunk',
    'imports.drop_file',
    'imports.queue',
    'imports.claim',
    'imports.read_chunk',
    'imports.release',
    'imports.store_problems',
    'imports.progress',
    'imports.finish',
    'imports.problems',
    'products.find_for_lines',
    'products.import',
    'products.known',
    'contacts.import',
    'contacts.import_unchanged',
    'contacts.known',
    'contacts.match_all',
    'orders.import',
    'orders.import_unchanged',
    'orders.import_refunds',
    'orders.import_objects',
    'products.import_objects',
    'products.resolve',
    'contacts.import_objects',
    'contacts.resolve',
    'subscriptions.import_objects',
    'orders.of_person',
    'subscriptions.of_person',
    'events.of_objects',
    ...(Object.keys(archiveActions) as (keyof typeof archiveActions)[]),
  ],
} as const satisfies Record<string, readonly ActionName[]>

export type ServiceName = keyof typeof calls

/** The actions that each service answers. */
export const answers: Record<ServiceName, readonly string[]> = {
  auth: [
    ...Object.keys(authActions),
    ...Object.keys(agentActions),
    ...Object.keys(auditActions),
    ...archivesOf('auth', 'archives', 'restores'),
  ],
  catalog: [...Object.keys(productActions), ...ofEachSchema('catalog')],
  contacts: [...Object.keys(contactActions), ...ofEachSchema('contacts')],
  orders: [...Object.keys(orderActions), ...ofEachSchema('orders')],
  subscriptions: [...Object.keys(subscriptionActions), ...ofEachSchema('subscriptions')],
  webhooks: [...Object.keys(webhookActions), ...ofEachSchema('webhooks')],
  'rest-gateway': [],
  'mcp-gateway': [],
  'admin-gateway': [],
}

function ofEachSchema(schema: string): string[] {
  const common = { ...outboxActions, ...shopDeletionActions, ...archiveActions }
  return Object.keys(common).filter((action) => action.startsWith(`${schema}.`))
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
  ...agentSignIn,
  'auth.note_key_uses',
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
  'catalog.delete_shop',
  'contacts.delete_shop',
  'orders.delete_shop',
  'subscriptions.delete_shop',
  'webhooks.delete_shop',
  'audit.note',
  'audit.record',
  'imports.claim',
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
