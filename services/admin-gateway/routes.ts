// The endpoints of the back office, one line each (docs/spec/back-office.md#conventions). The app and the tests read this table.
import type { ActionName } from '#contracts/actions'
import type { OutboxSchema } from '#contracts/outbox-messages'

export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/shops/{shop}/` the service gets the shop as its caller. */
  path: string
  action: ActionName
  /** The param that takes the JSON body, which the action validates; `file`: the body is a file of an import. */
  body: string | null
  /**
   * `create` and `renew` answer 201, unless the action of a `create` gives `{ created, body }`, which decides between 201 and 200;
   * `queue` answers 202, all others 200. `send` waits for a shop's own receiver. A body is optional but for `create` and `change`.
   */
  kind: 'read' | 'create' | 'renew' | 'move' | 'send' | 'queue' | 'change' | 'delete'
}

/** The prefix of every path. */
export const BASE_PATH = '/admin/v1'
/** The live stream, which no action answers (live/live.ts). */
export const LIVE_PATH = '/shops/{shop}/live'

export const routes: readonly Route[] = [
  post('/shops', 'shops.create', 'shop'),
  get('/shops', 'shops.list'),
  get('/shops/{shop}', 'shops.get'),
  patch('/shops/{shop}', 'shops.change', 'change'),
  post('/shops/{shop}/keys', 'keys.create', 'key'),
  get('/shops/{shop}/keys', 'keys.list'),
  remove('/shops/{shop}/keys/{id}', 'keys.revoke'),
  renew('/shops/{shop}/keys/{id}/roll', 'keys.roll', 'roll'),
  post('/shops/{shop}/products', 'products.create', 'product'),
  get('/shops/{shop}/products', 'products.list'),
  get('/shops/{shop}/products/{id}', 'products.get'),
  patch('/shops/{shop}/products/{id}', 'products.change', 'product'),
  remove('/shops/{shop}/products/{id}', 'products.delete'),
  post('/shops/{shop}/contacts', 'contacts.save', 'contact'),
  get('/shops/{shop}/contacts', 'contacts.list'),
  get('/shops/{shop}/contacts/{id}', 'contacts.get'),
  move('/shops/{shop}/contacts/{id}/erase', 'contacts.erase', 'erasure'),
  post('/shops/{shop}/orders', 'orders.place', 'order'),
  get('/shops/{shop}/orders', 'orders.list'),
  get('/shops/{shop}/orders/{id}', 'orders.get'),
  patch('/shops/{shop}/orders/{id}', 'orders.change', 'change'),
  get('/shops/{shop}/orders/{id}/history', 'orders.history'),
  move('/shops/{shop}/orders/{id}/confirm', 'orders.confirm', 'move'),
  move('/shops/{shop}/orders/{id}/mark-paid', 'orders.mark_paid', 'move'),
  move('/shops/{shop}/orders/{id}/payment-pending', 'orders.payment_pending', 'move'),
  move('/shops/{shop}/orders/{id}/payment-failed', 'orders.payment_failed', 'move'),
  move('/shops/{shop}/orders/{id}/ship', 'orders.ship', 'move'),
  move('/shops/{shop}/orders/{id}/complete', 'orders.complete', 'move'),
  move('/shops/{shop}/orders/{id}/cancel', 'orders.cancel', 'move'),
  move('/shops/{shop}/orders/{id}/refund', 'orders.refund', 'move'),
  move('/shops/{shop}/orders/{id}/dispute', 'orders.dispute', 'move'),
  move('/shops/{shop}/orders/{id}/resolve-dispute', 'orders.resolve_dispute', 'move'),
  move('/shops/{shop}/orders/{id}/reschedule', 'orders.reschedule', 'move'),
  post('/shops/{shop}/subscriptions', 'subscriptions.create', 'subscription'),
  get('/shops/{shop}/subscriptions', 'subscriptions.list'),
  get('/shops/{shop}/subscriptions/{id}', 'subscriptions.get'),
  get('/shops/{shop}/subscriptions/{id}/history', 'subscriptions.history'),
  move('/shops/{shop}/subscriptions/{id}/renew', 'subscriptions.renew', 'move'),
  move('/shops/{shop}/subscriptions/{id}/payment-failed', 'subscriptions.payment_failed', 'failure'),
  move('/shops/{shop}/subscriptions/{id}/cancel', 'subscriptions.cancel', 'move'),
  move('/shops/{shop}/subscriptions/{id}/resume', 'subscriptions.resume', 'move'),
  move('/shops/{shop}/subscriptions/{id}/end', 'subscriptions.end', 'move'),
  get('/shops/{shop}/subscription-settings', 'subscriptions.settings'),
  patch('/shops/{shop}/subscription-settings', 'subscriptions.change_settings', 'settings'),
  get('/shops/{shop}/events', 'events.list'),
  get('/shops/{shop}/events/{id}', 'events.get'),
  post('/shops/{shop}/webhook-endpoints', 'endpoints.create', 'endpoint'),
  get('/shops/{shop}/webhook-endpoints', 'endpoints.list'),
  get('/shops/{shop}/webhook-endpoints/{id}', 'endpoints.get'),
  patch('/shops/{shop}/webhook-endpoints/{id}', 'endpoints.change', 'change'),
  remove('/shops/{shop}/webhook-endpoints/{id}', 'endpoints.delete'),
  move('/shops/{shop}/webhook-endpoints/{id}/rotate-secret', 'endpoints.rotate_secret', 'rotation'),
  send('/shops/{shop}/webhook-endpoints/{id}/test', 'endpoints.test', 'test'),
  get('/shops/{shop}/webhook-endpoints/{id}/deliveries', 'deliveries.list'),
  get('/shops/{shop}/deliveries/{id}', 'deliveries.get'),
  send('/shops/{shop}/deliveries/{id}/retry', 'deliveries.retry', 'retry'),
  queue('/shops/{shop}/webhook-endpoints/{id}/replay', 'replays.create', 'replay'),
  get('/shops/{shop}/webhook-endpoints/{id}/replays', 'replays.list'),
  get('/shops/{shop}/webhook-endpoints/{id}/replays/{replay}', 'replays.get'),
  remove('/shops/{shop}/webhook-endpoints/{id}/replays/{replay}', 'replays.cancel'),
  post('/shops/{shop}/imports', 'imports.begin', 'file'),
  get('/shops/{shop}/imports', 'imports.list'),
  get('/shops/{shop}/imports/{id}', 'imports.get'),
  get('/shops/{shop}/usage', 'usage.list'),
  get('/shops/{shop}/requests', 'requests.list'),
  get('/shops/{shop}/audit', 'audit.list'),
  get('/audit', 'audit.list_all'),
  post('/operators', 'operators.create', 'operator'),
  get('/operators', 'operators.list'),
  get('/operators/{id}', 'operators.get'),
  patch('/operators/{id}', 'operators.change', 'change'),
  move('/operators/{id}/disable', 'operators.disable', 'disable'),
  move('/operators/{id}/sign-in-links', 'operators.create_link', 'link'),
  remove('/operators/{id}/sessions', 'operators.end_sessions'),
  post('/operators/{id}/tokens', 'operator_tokens.create', 'operator_token'),
  get('/operators/{id}/tokens', 'operator_tokens.list'),
  remove('/operators/{id}/tokens/{token}', 'operator_tokens.revoke'),
  ...outboxRoutes('catalog'),
  ...outboxRoutes('contacts'),
  ...outboxRoutes('orders'),
  ...outboxRoutes('subscriptions'),
  ...outboxRoutes('webhooks'),
]

/** The status of a request that is carried out. */
export function statusOf({ kind }: Pick<Route, 'kind'>): number {
  if (kind === 'create' || kind === 'renew') return 201
  return kind === 'queue' ? 202 : 200
}

const withSecret = new Set<ActionName>([
  ...(['keys.create', 'keys.roll', 'endpoints.create', 'endpoints.rotate_secret'] as const),
  ...(['operator_tokens.create', 'operators.create_link'] as const),
])

/** Whether the answer shows a secret, which it does once only. */
export function showsSecret({ action }: Pick<Route, 'action'>): boolean {
  return withSecret.has(action)
}

/** Whether a request of this kind may come without a body, which then means `{}`. */
export function isBodyOptional({ kind }: Pick<Route, 'kind'>): boolean {
  return kind === 'renew' || kind === 'move' || kind === 'send' || kind === 'queue'
}

// Of all shops: docs/spec/outboxes.md#parked-messages.
function outboxRoutes(schema: OutboxSchema): Route[] {
  return [
    get(`/outbox/${schema}`, `${schema}.list_parked`),
    move(`/outbox/${schema}/{id}/retry`, `${schema}.retry_parked`, 'retry'),
    remove(`/outbox/${schema}/{id}`, `${schema}.drop_parked`),
  ]
}

function get(path: string, action: ActionName): Route {
  return { method: 'GET', path, action, body: null, kind: 'read' }
}

function post(path: string, action: ActionName, body: string): Route {
  return { method: 'POST', path, action, body, kind: 'create' }
}

function renew(path: string, action: ActionName, body: string): Route {
  return { method: 'POST', path, action, body, kind: 'renew' }
}

function move(path: string, action: ActionName, body: string): Route {
  return { method: 'POST', path, action, body, kind: 'move' }
}

function send(path: string, action: ActionName, body: string): Route {
  return { method: 'POST', path, action, body, kind: 'send' }
}

function queue(path: string, action: ActionName, body: string): Route {
  return { method: 'POST', path, action, body, kind: 'queue' }
}

function patch(path: string, action: ActionName, body: string): Route {
  return { method: 'PATCH', path, action, body, kind: 'change' }
}

function remove(path: string, action: ActionName): Route {
  return { method: 'DELETE', path, action, body: null, kind: 'delete' }
}
