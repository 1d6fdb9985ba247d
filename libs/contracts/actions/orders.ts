// The actions of the orders service: docs/spec/rest-api.md#list-orders, docs/spec/rest-api.md#get-an-order,
// docs/spec/back-office.md#orders, docs/spec/imports.md.
import { z } from 'zod'
import { emptyInput } from '../input/fields.ts'
import {
  cancelInput,
  disputeInput,
  orderChange,
  orderInput,
  refundInput,
  rescheduleInput,
  resolveDisputeInput,
  shipInput,
} from '../input/order.ts'
import { limits } from '../limits.ts'
import { orderStatuses, paymentStatuses } from '../objects/order.ts'
import { batchKey, batchParams, fingerprint, objectBatch, unchangedItem, unchangedParams } from './import-result.ts'
import { behindParam, personParam } from './person-data.ts'
import {
  bodyParam,
  emailParam,
  idFilter,
  idParam,
  oneOrSeveral,
  pageParams,
  stampsParams,
  timeParams,
  valuesParam,
  versionsParams,
} from './params.ts'

// A move whose body has no fields.
const move = idParam.extend({ move: bodyParam(emptyInput) })

const listParams = z.object({
  status: valuesParam(orderStatuses)
    .optional()
    .meta({ description: `Only orders at this stage of fulfilment: ${oneOrSeveral(orderStatuses)}` }),
  payment_status: valuesParam(paymentStatuses)
    .optional()
    .meta({
      description: `Only orders with this state of payment; combines with \`status\`: ${oneOrSeveral(paymentStatuses)}`,
    }),
  email: emailParam
    .optional()
    .meta({ description: "The order's customer email as typed at checkout, case-insensitive." }),
  client_id: idFilter.optional().meta({ description: 'Only orders of this contact: `customer.clientId`.' }),
  ...timeParams,
  ...pageParams,
})

/** Params by action. */
export const orderActions = {
  'orders.list': listParams,
  // The same orders, each with what only the seller knows: docs/spec/imports.md#export.
  'orders.export': listParams,
  'orders.versions': versionsParams,
  // Answers `PersonPage` (person-data.ts): the orders of one person, each with everything that is held about it.
  'orders.of_person': z.object({ person: personParam, after: behindParam }),
  'orders.stamps': stampsParams,
  'orders.get': idParam,
  'orders.place': z.object({ order: bodyParam(orderInput) }),
  'orders.confirm': move,
  'orders.mark_paid': move,
  'orders.payment_pending': move,
  'orders.payment_failed': move,
  'orders.ship': idParam.extend({ move: bodyParam(shipInput) }),
  'orders.complete': move,
  'orders.cancel': idParam.extend({ move: bodyParam(cancelInput) }),
  'orders.refund': idParam.extend({ move: bodyParam(refundInput) }),
  'orders.dispute': idParam.extend({ move: bodyParam(disputeInput) }),
  'orders.resolve_dispute': idParam.extend({ move: bodyParam(resolveDisputeInput) }),
  'orders.reschedule': idParam.extend({ move: bodyParam(rescheduleInput) }),
  'orders.change': idParam.extend({ change: bodyParam(orderChange) }),
  // The moves of one order, newest first.
  'orders.history': idParam.extend(pageParams),
  // Answers `{ known }`: those that exist, with shop and id. Called by catalog's release of old reservations.
  'orders.known': z.object({ orders: z.array(z.object({ shop_id: z.guid(), id: z.guid() })).max(1_000) }),
  // Receives the message product.deleted; answers `{}` when no order line of the shop refers to the product.
  'orders.forget_product': z.object({
    id: z.guid(),
    kind: z.literal('product.deleted'),
    shop_id: z.guid(),
    body: z.object({ product_id: z.guid() }),
  }),
  // Receives the message contact.erased; answers `{}` when no order of the shop names the person.
  'orders.forget_person': z.object({
    id: z.guid(),
    kind: z.literal('contact.erased'),
    shop_id: z.guid(),
    body: personParam,
  }),
  // These answer `importResults`. Each object is checked alone, so that a wrong one fails no other. `fingerprint` is
  // that of the order as the file has it, before ids replace keys.
  'orders.import': z.object({
    ...batchParams,
    orders: z
      .array(z.object({ key: batchKey, fingerprint: fingerprint.optional(), order: z.unknown() }))
      .max(limits.importBatchObjects),
  }),
  'orders.import_objects': z.object(objectBatch),
  'orders.import_unchanged': z.object({
    ...unchangedParams,
    orders: z.array(unchangedItem).max(limits.importBatchObjects),
  }),
  'orders.import_refunds': z.object({
    ...batchParams,
    // `candidates_max`: how many refundable orders a dry run answers.
    refunds: z
      .array(
        z.looseObject({ key: batchKey, candidates_max: z.int().min(1).max(limits.refundCandidatesMax).default(1) }),
      )
      .max(limits.importRefundsAtOnce),
  }),
}
