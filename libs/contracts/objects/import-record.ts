// The published import, and its progress as the admin gateway reports it to auth: docs/spec/back-office.md#imports,
// docs/spec/imports.md#dry-run-and-report.
import { z } from 'zod'
import { instant, openEnumeration, uuid } from './scalar.ts'

export const importStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted'] as const
export const importPhases = ['queued', 'checking', 'writing', 'cancelling', 'ended'] as const

/** One problem of a file; `line`, `record`, `key` and `column` are null where it concerns the whole file. */
export const importProblem = z.strictObject({
  line: z.int().nullable(),
  record: z.int().nullable(),
  key: z.string().nullable().meta({ description: 'The key of the object: a handle, an order name. Null for contacts, and for support.' }),
  column: z.string().nullable(),
  code: z.string(),
  value: z.string().nullable().meta({ description: 'The cell at fault, shortened. Null for personal data, and for support.' }),
  message: z.string().nullable().meta({ description: 'Null for the role support, since it may quote the file.' }),
  severity: z.enum(['error', 'warning']),
})

const count = z.int().min(0)
/** How many objects; `processed` is the sum of the five others. */
export const importCounts = {
  processed: count.meta({ description: 'Objects of the file that are done: the sum of the five counts below.' }),
  created: count,
  updated: count,
  unchanged: count,
  skipped: count,
  failed: count,
}

/** How many rows of the file. */
export const importRecordCounts = {
  records: count.meta({ description: 'Rows of the file that were read and are not empty.' }),
  blankRecords: count.meta({ description: 'Empty rows.' }),
  ignoredRecords: count.meta({ description: 'Rows that hold no part of an object: images, lines that do not count.' }),
}

/** docs/spec/back-office.md#imports */
export const importRecord = z
  .object({
    id: uuid,
    object: z.literal('import'),
    format: z.string().nullable().meta({ description: 'Null until it is recognised.' }),
    status: openEnumeration(importStatuses, 'How far it is; `interrupted`: it stopped without an end.'),
    phase: openEnumeration(importPhases, 'What is being done now.'),
    dryRun: z.boolean(),
    ...importCounts,
    total: count.nullable().meta({
      description:
        'Objects of the file, in the unit of `processed`; null until the file is checked. Grows where a row makes further objects.',
    }),
    ...importRecordCounts,
    recordsPerSecond: z.number().min(0).nullable(),
    etaSeconds: count.nullable().meta({ description: 'Seconds to the end, an estimate; null when it is not known.' }),
    ignoredColumns: z.array(z.string()),
    problemCounts: z.record(z.string(), count).meta({ description: 'Problems of the whole file, by code.' }),
    errors: z.array(importProblem).meta({ description: 'The first twenty of each code, errors before warnings.' }),
    createdAt: instant,
    updatedAt: instant,
    finishedAt: instant.nullable(),
  })
  .meta({ id: 'Import' })

export type ImportProblem = z.infer<typeof importProblem>
export type ImportStatus = (typeof importStatuses)[number]
export type ImportPhase = (typeof importPhases)[number]
export type ImportRecord = z.infer<typeof importRecord>
