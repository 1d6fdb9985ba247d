// The params that every batch of an import has, and the results that a service answers:
// docs/spec/imports.md#identity-and-re-import, docs/spec/imports.md#dry-run-and-report.
import { z } from 'zod'
import { importKey } from '../input/fields.ts'
import { storableText } from '../input/text.ts'
import { limits } from '../limits.ts'

/**
 * `source` is the format of the file. A batch that is sent again has the same `batch` and gets the same answer.
 * `dry_run`: the service does everything, and then rolls it back.
 */
export const batchParams = {
  source: z.string().min(1).max(64),
  batch: z.guid().nullable().default(null),
  dry_run: z.boolean().default(false),
}

/** The key of an object in a batch; one that is too long for an index fails its object alone. */
export const batchKey = storableText(limits.importCellBytesMax)

/**
 * A batch of objects of our own exports: docs/spec/imports.md#our-own-files. `id`: the object's id in the shop that it was exported
 * from. `fields` by the names of libs/export/columns.ts; an absent field stays as it is. `links`: ids of this shop by those that the
 * fields name. Each object is checked alone, so that a wrong one fails no other.
 */
export const objectBatch = {
  ...batchParams,
  objects: z
    .array(
      z.object({
        key: importKey,
        id: z.guid().nullable(),
        fields: z.record(z.string(), z.unknown()),
        links: z.record(z.string(), z.string()),
      }),
    )
    .max(limits.importBatchObjects),
}

/** Ids of another shop, or of this one; answers `{ ids }`: those of this shop by them, as far as known. */
export const resolveParams = z.object({ ids: z.array(z.guid()).max(limits.importLinksAtOnce) })
export const resolved = z.object({ ids: z.record(z.string(), z.string()) })
/** The digest of an object as the file has it, SHA-256 in hex. */
export const fingerprint = z.string().max(64)

/** The params of a question which objects of a batch are unchanged or written already: answered with the results of those alone. */
export const unchangedParams = { source: batchParams.source, batch: batchParams.batch }
/** An object of such a question. */
export const unchangedItem = z.object({ key: batchKey, only_create: z.boolean().default(false), fingerprint })

export const importOutcomes = ['created', 'updated', 'unchanged', 'skipped', 'failed'] as const

/** An order that a refund may be taken from: `key` is its key in its file, null where it came from no file. */
export const refundableOrder = z.object({
  id: z.string(),
  key: z.string().nullable(),
  at: z.iso.datetime(),
  left_cents: z.int(),
})

/**
 * The result of one object. `id` is null where it was not written. `code` and `message` say what failed or was dropped, `field` names the
 * field at fault.
 * `left_cents`: what can still be refunded of an order that was written now. `refundable` answers a dry run of a
 * refund: the orders it could be taken from, the best first.
 */
export const importResult = z.object({
  key: z.string(),
  outcome: z.enum(importOutcomes),
  id: z.string().nullable(),
  variant_ids: z.record(z.string(), z.string()).optional(),
  left_cents: z.int().optional(),
  refundable: z.array(refundableOrder).optional(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  field: z.string().optional(),
})

/** The answer to a batch. */
export const importResults = z.object({ results: z.array(importResult) })

export type ImportOutcome = (typeof importOutcomes)[number]
export type RefundableOrder = z.infer<typeof refundableOrder>
export type ImportResult = z.infer<typeof importResult>
