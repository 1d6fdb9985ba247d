// Owns the list of every action that crosses a process border, each with the schema of its params.
import type { z } from 'zod'
import { authActions } from './auth-actions.ts'
import { contactActions } from './contact-actions.ts'
import { orderActions } from './order-actions.ts'
import { orderMoveActions } from './order-move-actions.ts'
import { productActions } from './product-actions.ts'
import { subscriptionActions } from './subscription-actions.ts'
import { webhookActions } from './webhook-actions.ts'

export const actions = {
  ...authActions,
  ...productActions,
  ...orderActions,
  ...orderMoveActions,
  ...contactActions,
  ...subscriptionActions,
  ...webhookActions,
}

export type ActionName = keyof typeof actions
/** Params as a handler gets them. */
export type ActionParams<Name extends ActionName> = z.output<(typeof actions)[Name]>
/** Params as a caller sends them. */
export type ActionInput<Name extends ActionName> = z.input<(typeof actions)[Name]>
