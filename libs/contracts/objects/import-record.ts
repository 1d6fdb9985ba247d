// The published import, and its progress as the admin gateway reports it to auth: docs/spec/back-office.md#imports,
// docs/spec/imports.md#dry-run-and-report.
import { z } from 'zod'
import { instant, openEnumeration, uuid } from './scalar.ts'

export const importStatuses = ['running', 'completed', 'failed', 'interrupted'] as const

/** One problem of a file; `line`, `record` and `column` are null where it concerns the whole file. */
export const importProblem = z.strictObject({
  line: z.int().nullable(),
  record: z.int().nullable(),
  column: z.string().nullable(),
  code: z.string(),
  message: z.string().nullable().meta({ description: 'Null for the role support, since it may quote the file.' }),
  severity: z.enum(['error', 'warning']),
})

const count = z.int().min(0)
/** How many objects, and in `processed` how many records. */
export const importCounts = {
  processed: count.meta({ description: 'Records of the file that were read.' }),
  created: count,
  updated: count,
  unchanged: count,
  skipped: count,
  failed: count,
}

/** docs/spec/back-office.md#imports */
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
export type ImportStatus = (typeof importStatuses)[number]
export type ImportRecord = z.infer<typeof importRecord>
