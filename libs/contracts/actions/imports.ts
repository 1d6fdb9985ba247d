// The actions of imports, which auth answers: docs/spec/back-office.md#imports, docs/spec/internals.md#background-imports.
import { z } from 'zod'
import type { OperatorCaller, Shop } from '../caller.ts'
import { importQuery } from '../input/import.ts'
import { emptyInput } from '../input/fields.ts'
import { limits } from '../limits.ts'
import { importCounts, importProblem } from '../objects/import-record.ts'
import { bodyParam, idParam, pageParams, wordParam } from './params.ts'

const count = z.int().min(0)

/** The run of an import that a worker has claimed; 0 for one that runs while its caller waits. */
const run = { id: z.uuid(), fence: count.default(0) }

const importReport = {
  ...run,
  ...importCounts,
  total: count.nullable().default(null),
  records: count.default(0),
  blank_records: count.default(0),
  ignored_records: count.default(0),
  records_per_second: z.number().min(0).nullable().default(null),
  eta_seconds: count.nullable().default(null),
  format: wordParam(100).optional(),
  ignored_columns: z.array(z.string().max(1_000)).max(1_000).optional(),
  problem_counts: z.record(z.string().max(100), count).optional(),
  errors: z.array(importProblem).max(limits.importErrorsMax).optional(),
}

const begun = {
  format: wordParam(100).nullable(),
  bytes: count.nullable(),
  dry_run: z.boolean().default(false),
}

export const importOptions = importQuery.pick({ create_contacts: true, default_payment_method: true })

/** A problem as it is stored for the file of all problems. */
export const storedProblem = importProblem.pick({ key: true, column: true, code: true, value: true }).extend({
  line: count,
  number: count,
})

export const importActions = {
  'imports.begin': z.object(begun),
  // The file of a background import, in chunks while it arrives. Answers `{ id }`: of the import that is to be queued.
  'imports.open_file': z.object({}),
  'imports.store_chunk': z.object({
    id: z.uuid(),
    number: count,
    bytes: z.custom<Uint8Array>((value) => ArrayBuffer.isView(value) && value.byteLength <= limits.busBytesMax),
  }),
  'imports.drop_file': z.object({ id: z.uuid() }),
  'imports.queue': z.object({ id: z.uuid(), chunks: count, ...begun, options: importOptions }),
  // Of the workers. Answers `{ claimed }`, a `ClaimedImport` or null.
  'imports.claim': z.object({}),
  'imports.read_chunk': z.object({ ...run, number: count }),
  'imports.release': z.object(run),
  'imports.store_problems': z.object({ ...run, problems: z.array(storedProblem).max(limits.importProblemsAtOnce) }),
  // Answers `{ id, cancel }`: whether somebody has cancelled the import.
  'imports.progress': z.object({ ...importReport, phase: z.enum(['checking', 'writing']).default('writing') }),
  'imports.finish': z.object({ ...importReport, status: z.enum(['completed', 'failed', 'cancelled']) }),
  'imports.get': idParam,
  'imports.list': z.object({ ...pageParams }),
  'imports.cancel': idParam.extend({ cancel: bodyParam(emptyInput) }),
  // Answers `{ problems }`, by line, those after the given one.
  'imports.problems': z.object({ id: z.string(), after_line: z.int(), after_number: z.int() }),
}

/** A queued import whose lease a worker has taken; `caller` and `operator` are those who sent the file. */
export type ClaimedImport = {
  id: string
  fence: number
  format: string | null
  bytes: number
  chunks: number
  dry_run: boolean
  options: z.infer<typeof importOptions>
  caller: Shop
  operator: OperatorCaller
  request_id: string | null
}
export type StoredProblem = z.infer<typeof storedProblem>
