// The actions of the catalog service and what they answer: docs/spec/rest-api.md#list-products,
// docs/spec/rest-api.md#get-a-product, docs/spec/back-office.md#products, docs/spec/order-states.md#stock.
import { z } from 'zod'
import { cents } from '../input/fields.ts'
import { productChange, productInput } from '../input/product.ts'
import { limits } from '../limits.ts'
import { productKinds } from '../objects/order.ts'
import { batchKey, batchParams, objectBatch, resolveParams } from './import-result.ts'
import {
  bodyParam,
  idParam,
  messageParams,
  oneOrSeveral,
  oneOrSeveralMessages,
  pageParams,
  stampsParams,
  timeParams,
  valuesParam,
  versionsParams,
} from './params.ts'

const listParams = z.object({
  kind: valuesParam(productKinds)
    .optional()
    .meta({ description: `Only products of this kind: ${oneOrSeveral(productKinds)}` }),
  published: z
    .boolean()
    .optional()
    .meta({ description: '`true`: what buyers can see; `false`: drafts; absent: both.' }),
  ...timeParams,
  ...pageParams,
})

/** The message order.placed. */
export const placedMessage = messageParams('order.placed', z.object({ order_id: z.guid() }))

/** Params by action. */
export const productActions = {
  'products.versions': versionsParams,
  'products.stamps': stampsParams,
  'products.list': listParams,
  // The same products, each with its variants and what only the seller knows: docs/spec/imports.md#export.
  'products.export': listParams,
  'products.get': idParam,
  'products.create': z.object({ product: bodyParam(productInput) }),
  'products.change': idParam.extend({ product: bodyParam(productChange) }),
  'products.delete': idParam,
  // Answers `reserved`. Takes stock for an order that is written next; the id is the order's. `amounts`: what the order has
  // besides these items; where the sums of the order are not allowed, the call is refused and takes nothing.
  'products.reserve': z.object({
    reservation_id: z.guid(),
    items: z
      .array(
        z.object({
          product_id: z.string(),
          variant_id: z.string().nullable(),
          quantity: z.int().min(1).max(limits.quantityMax),
        }),
      )
      .min(1)
      .max(limits.orderLinesMax),
    amounts: z
      .object({ free_cents: cents, discount_cents: cents, delivery_fee_cents: cents, tax_cents: cents })
      .optional(),
  }),
  // Returns the stock of a reservation whose order was refused; one that is settled or returned stays as it is.
  'products.release': z.object({ reservation_id: z.guid() }),
  // Receives messages order.placed: the reserved stock of each belongs to its order now.
  'products.settle': oneOrSeveralMessages(placedMessage),
  // Answers `foundForLines`: the products of imported order lines, by SKU, then by the longest title the text begins with.
  'products.find_for_lines': z.object({
    lines: z.array(z.object({ sku: z.string().nullable(), text: z.string() })).max(1_000),
  }),
  // Answers `{ ids }`: product ids by the keys of earlier imports; unknown keys are left out.
  'products.known': z.object({ source: batchParams.source, keys: z.array(batchKey).max(1_000) }),
  // Answers `importResults`. Each product is checked alone, so that a wrong one fails no other.
  'products.import': z.object({
    ...batchParams,
    products: z
      .array(z.object({ key: z.string(), only_create: z.boolean(), product: z.unknown() }))
      .max(limits.importBatchObjects),
  }),
  'products.import_objects': z.object(objectBatch), // Answers `importResults`.
  'products.resolve': resolveParams, // Products and variants.
}

/** The answer of products.find_for_lines, in the order of the lines. `kind` is that of the product, null without one. */
export const foundForLines = z.object({
  lines: z.array(
    z.object({
      product_id: z.string().nullable(),
      variant_id: z.string().nullable(),
      kind: z.enum(productKinds).nullable(),
      title: z.string(),
      variant_label: z.string().nullable(),
    }),
  ),
})

export type FoundForLines = z.infer<typeof foundForLines>

/** The answer of products.reserve, in the order of the items: what the order lines copy. */
export const reserved = z.object({
  items: z.array(
    z.object({
      product_id: z.string(),
      variant_id: z.string().nullable(),
      title: z.string(),
      variant_label: z.string().nullable(),
      sku: z.string().nullable(),
      kind: z.enum(productKinds),
      unit_price_cents: z.int(),
    }),
  ),
})

export type Reserved = z.infer<typeof reserved>
