// Owns the actions of the catalog service: names and params.
// Spec: GET /products, GET /products/{id}.
import { z } from 'zod'
import { productKinds } from './order.ts'
import { idParam, pageParams, timeParams } from './params.ts'

export const productActions = {
  'products.list': z.object({
    kind: z.enum(productKinds).optional(),
    published: z
      .boolean()
      .optional()
      .meta({ description: '`true`: what buyers can see; `false`: drafts; absent: both.' }),
    ...timeParams,
    ...pageParams,
  }),
  'products.get': idParam,
}
