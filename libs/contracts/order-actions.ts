// Owns the actions of the orders service: names and params.
// Spec: GET /orders, GET /orders/{id}.
import { z } from 'zod'
import { limits } from './limits.ts'
import { orderStatuses, paymentStatuses } from './order.ts'
import { idParam, pageParams, timeParams, wordParam } from './params.ts'

export const orderActions = {
  'orders.list': z.object({
    status: z.enum(orderStatuses).optional(),
    payment_status: z.enum(paymentStatuses).optional(),
    email: wordParam(limits.emailLengthMax)
      .optional()
      .meta({ description: "The order's customer email as typed at checkout, case-insensitive." }),
    ...timeParams,
    ...pageParams,
  }),
  'orders.get': idParam,
}
