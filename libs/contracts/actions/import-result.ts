// Owns what every batch of an import says of itself, and what a service answers about each of its objects.
// import-formats.md, section 1, "Identity and re-import" and "Dry run and report".
import { z } from 'zod'

/**
 * `source` is the format of the file. `batch` is the same however often a batch is sent: it is told the same each time.
 * `dry_run`: everything is done as it would be done, and then taken back.
 */
export const batchParams = {
  source: z.string().min(1).max(64),
  batch: z.guid().nullable().default(null),
  dry_run: z.boolean().default(false),
}

export const importOutcomes = ['created', 'updated', 'unchanged', 'skipped', 'failed'] as const

/** An order that may give money back: `key` is that of its file, null where it came from no file. */
export const refundableOrder = z.object({
  id: z.string(),
  key: z.string().nullable(),
  at: z.iso.datetime(),
  left_cents: z.int(),
})

/**
 * `id` is null where no object stands behind the key. `code` and `message` say what went wrong, or what was dropped.
 * `left_cents` is what an order written now can still give back. `refundable` answers a dry run of a refund: the orders of
 * the shop that could give it back as they are, the one to choose first.
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
})

export const importResults = z.object({ results: z.array(importResult) })

export type ImportOutcome = (typeof importOutcomes)[number]
export type RefundableOrder = z.infer<typeof refundableOrder>
export type ImportResult = z.infer<typeof importResult>
