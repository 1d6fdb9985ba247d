// Owns the actions of the catalog service: names and params.
// Spec: GET /products, GET /products/{id}. Back office: products, placing orders, imports.
import { z } from 'zod'
import { batchParams } from './import-result.ts'
import { limits } from '../limits.ts'
import { productKinds } from '../objects/order.ts'
import { idParam, pageParams, timeParams, versionsParams } from './params.ts'

export const productActions = {
  'products.versions': versionsParams,
  'products.list': z.object({
    kind: z.enum(productKinds).optional().meta({ description: 'Only products of this kind.' }),
    published: z
      .boolean()
      .optional()
      .meta({ description: '`true`: what buyers can see; `false`: drafts; absent: both.' }),
    ...timeParams,
    ...pageParams,
  }),
  'products.get': idParam,
  // The body is opened by product-input.ts in the service, so that a refusal names the field as the caller wrote it.
  'products.create': z.object({ product: z.unknown() }),
  'products.change': idParam.extend({ product: z.unknown() }),
  'products.delete': idParam,
  // Answers `reserved`. Takes stock for an order that is about to be written; the id is the order's own.
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
  }),
  // Receives the message order.placed: the stock belongs to the order now.
  'products.settle': z.object({
    id: z.string(),
    kind: z.literal('order.placed'),
    shop_id: z.guid(),
    body: z.object({ order_id: z.guid() }),
  }),
  // Answers `foundForLines`: what lines of an imported order mean, by SKU, then by the longest title they begin with.
  'products.find_for_lines': z.object({
    lines: z.array(z.object({ sku: z.string().nullable(), text: z.string() })).max(1_000),
  }),
  // Answers import-result.ts. Each product is opened on its own, so that a bad one does not fail the others.
  'products.import': z.object({
    ...batchParams,
    products: z
      .array(z.object({ key: z.string(), only_create: z.boolean(), product: z.unknown() }))
      .max(limits.importBatchObjects),
  }),
}

/** The answer of products.find_for_lines, in the order of the lines. `kind` is that of the product that is linked. */
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

/** The answer of products.reserve, in the order of the items: what an order line copies at the moment of sale. */
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
