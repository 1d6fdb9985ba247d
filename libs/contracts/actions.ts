// Every action that crosses a process border, with the schema of its params.
import type { z } from 'zod'
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

/** Schemas of params by action name. */
export const actions = {
  ...authActions,
  ...agentActions,
  ...auditActions,
  ...productActions,
  ...orderActions,
  ...contactActions,
  ...subscriptionActions,
  ...webhookActions,
  ...outboxActions,
  ...shopDeletionActions,
  ...archiveActions,
}

export type ActionName = keyof typeof actions
/** Params as a handler gets them. */
export type ActionParams<Name extends ActionName> = z.output<(typeof actions)[Name]>
/** Params as a caller sends them. */
export type ActionInput<Name extends ActionName> = z.input<(typeof actions)[Name]>
