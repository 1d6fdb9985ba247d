// Which calls may be sent again while their answer is late: docs/spec/internals.md#late-answers
import type { ActionName } from './actions.ts'
import { routes } from './back-office/routes.ts'
import { publicApi } from './calls.ts'

// Calls that change nothing, or what a repeated one finds as it left it: units under a grant id, a reservation under the id of its order.
const repeatable: ReadonlySet<ActionName> = new Set<ActionName>([
  ...routes.filter(({ kind }) => kind === 'read').map(({ action }) => action),
  ...publicApi.filter((action) => !['contacts.tag', 'contacts.upsert'].includes(action)),
  'agent.find_authorization',
  'agent.find_client',
  'agent.find_grant',
  'agent.find_token',
  'auth.admit',
  'auth.find_keys',
  'auth.recognise',
  'contacts.match',
  'contacts.opt_in_find',
  'contacts.opt_in_sender',
  'contacts.stamps',
  'events.feed',
  'events.versions',
  'operators.confirm',
  'operators.identify',
  'orders.known',
  'orders.stamps',
  'products.reserve',
  'products.stamps',
  'shops.find',
])

/** Whether a call may be sent again. */
export function isRepeatable(action: ActionName): boolean {
  return repeatable.has(action)
}

// What a receiver is sent is done before the answer is kept, so that of two calls at once under one key both send.
const sending: ReadonlySet<ActionName> = new Set<ActionName>(
  routes.filter(({ kind }) => kind === 'send').map(({ action }) => action),
)

/** Whether a command under an Idempotency-Key may be: it is done once, and a second call waits for the first. */
export function isRepeatableUnderKey(action: ActionName): boolean {
  return !sending.has(action)
}
