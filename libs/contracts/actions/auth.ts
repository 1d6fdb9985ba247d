// Owns the actions of the auth service: names and params.
// Spec: Authentication, Limits, GET /shop. Back office: shops, keys, usage, imports.
import { z } from 'zod'
import { importCounts, importProblem } from '../objects/import-record.ts'
import { limits } from '../limits.ts'
import { idParam, instantParam, pageParams, wordParam } from './params.ts'

/** A shop in a path of the back office: its id or its handle. */
const shopParam = z.string().max(512)

const importReport = {
  ...importCounts,
  format: wordParam(100).optional(),
  ignored_columns: z.array(z.string().max(1_000)).max(1_000).optional(),
  errors: z
    .array(importProblem)
    .max(2 * limits.importErrorsShown)
    .optional(),
}

export const authActions = {
  // Between the gateways and auth.
  'auth.admit': z.object({
    key: z.string().max(512), // Empty where the call carried none.
    source: z.string().min(1).max(64),
    node: z.string().min(1).max(255),
    grant_id: z.uuid(),
    want: z.int().min(0).max(1_000_000),
    exact: z.boolean(), // No units beyond those wanted.
  }),
  'auth.recognise': z.object({ key_ids: z.array(z.uuid()).max(limits.recognisedAtOnce) }),
  'auth.give_back': z.object({ key_id: z.uuid(), window_id: z.uuid(), units: z.int().min(1).max(1_000_000) }),
  'usage.record': z.object({
    node: z.string().min(1).max(255),
    batch_id: z.uuid(),
    rows: z
      .array(
        z.object({
          shop_id: z.uuid(),
          key_id: z.uuid(),
          minute: instantParam,
          calls: z.int().min(0),
          refused: z.int().min(0),
        }),
      )
      .max(5_000),
  }),

  'shop.get': z.object({}),

  // For the back office.
  // Bodies are opened by shop-input.ts in the service: a refusal then names `handle`, not `shop.handle`.
  'shops.create': z.object({ shop: z.unknown() }),
  'shops.list': z.object({ handle: wordParam(limits.wordLengthMax).optional(), ...pageParams }),
  'shops.get': z.object({ shop: shopParam }),
  'shops.find': z.object({ shop: shopParam }),
  'shops.change': z.object({ shop: shopParam, change: z.unknown() }),
  'keys.create': z.object({ key: z.unknown() }),
  'keys.list': z.object({ ...pageParams }),
  'keys.revoke': idParam,
  'usage.list': z.object({
    minutes: z
      .int('must be a whole number')
      .min(1)
      .max(10_080)
      .default(60)
      .meta({ description: 'How far back; at most seven days.' }),
  }),
  'imports.begin': z.object({
    format: wordParam(100).nullable(),
    bytes: z.int().min(0).nullable(),
    dry_run: z.boolean().default(false),
  }),
  'imports.progress': z.object({ id: z.uuid(), ...importReport }),
  'imports.finish': z.object({ id: z.uuid(), status: z.enum(['completed', 'failed']), ...importReport }),
  'imports.get': idParam,
  'imports.list': z.object({ ...pageParams }),
}
