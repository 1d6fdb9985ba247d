// What each role may do, by route. docs/spec/operators-and-roles.md#operators
import type { Route } from '#contracts/back-office/route'
import type { Role } from '#contracts/objects/operator'
import { refuse } from '#contracts/errors'

/**
 * Who may use a route. `owner`: operators, new shops and the installation. `manage`: changes inside a shop. `send`: what support may do with
 * deliveries. `audit`: the trace of changes. `read`: every other GET,
 * and what belongs to the operator who calls.
 */
export type Right = 'owner' | 'manage' | 'send' | 'audit' | 'read'

const rolesOf: Record<Right, readonly Role[]> = {
  owner: ['owner'],
  manage: ['owner', 'manager'],
  send: ['owner', 'manager', 'support'],
  audit: ['owner', 'manager', 'viewer'],
  read: ['owner', 'manager', 'viewer', 'support'],
}

// Actions whose right does not follow from the kind of their route.
const rightOfAction: { [action: string]: Right } = {
  'shops.create': 'owner',
  'shops.delete': 'owner',
  'deliveries.retry': 'send',
  'replays.create': 'send',
  'replays.cancel': 'send',
  'endpoints.test': 'send',
  'agent.authorization': 'manage', // Only who may decide about it.
  'views.save': 'read', // What is the caller's own.
  'views.delete': 'read',
  'audit.list': 'audit',
  'audit.list_all': 'owner',
  'secret_key.get': 'owner',
}

/** The right that a route needs; a new route needs a role that may change things unless it only reads. */
export function rightOf({ path, action, kind }: Pick<Route, 'path' | 'action' | 'kind'>): Right {
  if (path.startsWith('/operators') || path.startsWith('/outbox')) return 'owner' // Of all shops.
  return rightOfAction[action] ?? (kind === 'read' ? 'read' : 'manage')
}

/** The right that a call needs: every operator may end the sessions of its own. */
export function rightOfCall({ action }: Pick<Route, 'action'>, right: Right, callerId: string, id?: string): Right {
  return action === 'operators.end_sessions' && id?.toLowerCase() === callerId ? 'read' : right
}

export function mayUse(role: Role, right: Right): boolean {
  return rolesOf[right].includes(role)
}

/** Refuses forbidden naming the roles that may. */
export function checkRole(role: Role, right: Right): void {
  if (mayUse(role, right)) return
  const may = rolesOf[right].join(' or ')
  throw refuse('forbidden', `This needs the role ${may}; yours is ${role}.`)
}
