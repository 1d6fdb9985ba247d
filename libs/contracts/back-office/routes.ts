// The table of the back office's routes, in the order of the OpenAPI document (docs/spec/back-office.md#conventions). The gateway's
// routing, the document, the calls that the gateway may make and the commands of the command line follow from it.
import { agentRoutes } from './agents.ts'
import { activityRoutes, installationRoutes, operatorRoutes, outboxRoutes, ownRoutes } from './operations.ts'
import { exportRoutes } from './exports.ts'
import { orderRoutes } from './orders.ts'
import type { Route } from './route.ts'
import { contactRoutes, keyRoutes, productRoutes, shopRoutes } from './shops.ts'
import { subscriptionRoutes } from './subscriptions.ts'
import { webhookRoutes } from './webhooks.ts'

/** The prefix of every path. */
export const BASE_PATH = '/admin/v1'
/** The live stream, which no action answers. docs/spec/request-log.md#live-stream */
export const LIVE_PATH = '/shops/{shop}/live'
/** A CSV file, so that it is no row of the table. */
export const PROBLEMS_PATH = '/shops/{shop}/imports/{id}/errors'

const table = [
  ...shopRoutes,
  ...keyRoutes,
  ...agentRoutes,
  ...productRoutes,
  ...contactRoutes,
  ...orderRoutes,
  ...subscriptionRoutes,
  ...exportRoutes,
  ...webhookRoutes,
  ...activityRoutes,
  ...operatorRoutes,
  ...ownRoutes,
  ...outboxRoutes,
  ...installationRoutes,
]

/** The actions that a route calls. */
export type RoutedAction = (typeof table)[number]['action']
export const routes: readonly Route<RoutedAction>[] = table

/** Descriptions by tag, in the order of the document. A tag is the noun of a path. */
export const tags: Readonly<Record<string, string>> = {
  Shops: 'The shops of the platform and their subscription settings.',
  Keys: 'API keys of a shop.',
  Authorizations: 'Agents that ask for access.',
  Agents: 'Agents that have access to a shop.',
  Products: 'The catalogue of a shop.',
  Contacts: 'The people of a shop.',
  Orders: 'Orders, their moves and their history.',
  Subscriptions: 'Memberships, their moves and their history.',
  Exports: 'Whole lists, with all that an import needs to make equal objects.',
  Events: 'The event log of a shop.',
  Webhooks: 'Webhook endpoints, deliveries and replays.',
  Imports: 'Files from other systems.',
  Archive: 'Everything of a shop, part by part.',
  Restores: 'Shops that are made of archives.',
  Usage: 'Calls by key and minute.',
  Requests: 'What was not answered 2xx to the keys of a shop.',
  Audit: 'What operators did and tried, kept for 400 days.',
  Operators: 'Who may use the back office, tokens, sessions and views.',
  Outbox: 'Messages between services that were refused too often.',
  Installation: 'The installation itself.',
}
