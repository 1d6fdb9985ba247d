// Owns the actions of the orders service: names and params.
// Spec: GET /orders, GET /orders/{id}. Back office: POST /shops/{shop}/orders, imports. events.ts: product.deleted.
import { z } from 'zod'
import { batchParams } from './import-result.ts'
import { limits } from '../limits.ts'
import { orderStatuses, paymentStatuses } from '../objects/order.ts'
import { idParam, pageParams, timeParams, versionsParams, wordParam } from './params.ts'
import { storableText } from '../input/text.ts'

const key = storableText(limits.importCellBytesMax) // Too long for an index fails its object alone.

export const orderActions = {
  'orders.list': z.object({
    status: z.enum(orderStatuses).optional().meta({ description: 'Only orders at this stage of fulfilment.' }),
    payment_status: z
      .enum(paymentStatuses)
      .optional()
      .meta({ description: 'Only orders with this state of payment; combines with `status`.' }),
    email: wordParam(limits.emailLengthMax)
      .optional()
      .meta({ description: "The order's customer email as typed at checkout, case-insensitive." }),
    ...timeParams,
    ...pageParams,
  }),
  'orders.versions': versionsParams,
  'orders.get': idParam,
  // The body is opened by order-input.ts in the service: a refusal then names `items[2].sku`, not `order.items[2].sku`.
  'orders.place': z.object({ order: z.unknown() }),
  // Answers `{ known }`: those of the ids that are orders. For catalog's sweep over the reservations of all shops.
  'orders.known': z.object({ ids: z.array(z.guid()).max(1_000) }),
  // Receives the message product.deleted; answers `{}` when no line of the shop has the product any more.
  'orders.forget_product': z.object({
    id: z.guid(),
    kind: z.literal('product.deleted'),
    shop_id: z.guid(),
    body: z.object({ product_id: z.guid() }),
  }),
  // Receives the message contact.erased; answers `{}` when no order of the shop says any more who the person was.
  'orders.forget_person': z.object({
    id: z.guid(),
    kind: z.literal('contact.erased'),
    shop_id: z.guid(),
    body: z.object({ contact_id: z.guid(), email_key: z.string().nullable(), phone: z.string().nullable() }),
  }),
  // Both answer import-result.ts. `fingerprint` says what the file said, before ids took the place of its keys.
  // Each object is opened on its own, so that a bad one does not fail the others.
  'orders.import': z.object({
    ...batchParams,
    orders: z
      .array(z.object({ key, fingerprint: z.string().max(64).optional(), order: z.unknown() }))
      .max(limits.importBatchObjects),
  }),
  'orders.import_refunds': z.object({
    ...batchParams,
    // `candidates_max`: of how many orders a dry run tells that they could give the money back.
    refunds: z
      .array(z.looseObject({ key, candidates_max: z.int().min(1).max(limits.refundCandidatesMax).default(1) }))
      .max(limits.importBatchObjects),
  }),
}
