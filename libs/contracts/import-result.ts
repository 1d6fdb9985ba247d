// Owns what a service answers about each object of an import batch.
// import-formats.md, section 1, "Identity and re-import" and "Dry run and report".
import { z } from 'zod'

export const importOutcomes = ['created', 'updated', 'unchanged', 'skipped', 'failed'] as const

/** `id` is null where no object stands behind the key. `code` and `message` say what went wrong, or what was dropped. */
export const importResult = z.object({
  key: z.string(),
  outcome: z.enum(importOutcomes),
  id: z.string().nullable(),
  variant_ids: z.record(z.string(), z.string()).optional(),
  code: z.string().nullable(),
  message: z.string().nullable(),
})

export const importResults = z.object({ results: z.array(importResult) })

export type ImportOutcome = (typeof importOutcomes)[number]
export type ImportResult = z.infer<typeof importResult>
