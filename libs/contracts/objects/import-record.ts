// Owns what the back office shows of an import, and what the importer tells about its progress.
// Back office: POST and GET /shops/{shop}/imports. import-formats.md, section 1, "Dry run and report".
import { z } from 'zod'
import { instant, openEnumeration, uuid } from './scalar.ts'

export const importStatuses = ['running', 'completed', 'failed', 'interrupted'] as const
export type ImportStatus = (typeof importStatuses)[number]

/** One problem of a file; places are null where the file as a whole is meant. */
export const importProblem = z.strictObject({
  line: z.int().nullable(),
  record: z.int().nullable(),
  column: z.string().nullable(),
  code: z.string(),
  message: z.string(),
  severity: z.enum(['error', 'warning']),
})

const count = z.int().min(0)
export const importCounts = {
  processed: count.meta({ description: 'Records of the file that were read.' }),
  created: count,
  updated: count,
  unchanged: count,
  skipped: count,
  failed: count,
}

export const importRecord = z
  .object({
    id: uuid,
    object: z.literal('import'),
    format: z.string().nullable().meta({ description: 'Null until it is recognised.' }),
    status: openEnumeration(importStatuses, 'How far it is; `interrupted`: it stopped without an end.'),
    dryRun: z.boolean(),
    ...importCounts,
    ignoredColumns: z.array(z.string()),
    errors: z.array(importProblem).meta({ description: 'The first hundred.' }),
    createdAt: instant,
    updatedAt: instant,
    finishedAt: instant.nullable(),
  })
  .meta({ id: 'Import' })

export type ImportProblem = z.infer<typeof importProblem>
export type ImportRecord = z.infer<typeof importRecord>
