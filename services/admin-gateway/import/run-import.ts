// Runs one import (docs/spec/imports.md, docs/spec/back-office.md#imports): scans the file, writes its objects in batches, reports
// progress, finishes its record. Where it ends early (by the file, a lasting outage, a caller that left, a cancellation), the record says
// how and why; written objects stay, and the same file sent again continues. A batch may be repeated, because the services know objects by
// their keys and batches by their names.
import type { Call } from '#runtime/service'
import { startPeriodic } from '#runtime/worker-loop'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { Log } from '#telemetry/log'
import type { Calls } from '#calls/calls'
import type { CallMeta, Caller } from '#contracts/caller'
import { isServerFault } from '#contracts/errors'
import type { ProblemCode } from '#contracts/objects/import-advice'
import type { ImportProblem } from '#contracts/objects/import-record'
import type { ImportFormat } from './formats/format.ts'
import { FileProblem } from './reader/csv.ts'
import type { ImportContext } from './reader/fields.ts'
import { type OpenFile, openFile } from './reader/read-file.ts'
import { withRetry } from './retry.ts'
import { Stop } from './stop.ts'
import { openPace } from './writer/pace.ts'
import { countsOf, openOutcomes, openReport, shownProblems } from './writer/report.ts'
import { openWriter, type Writer } from './writer/writer.ts'

export type ImportJob = {
  /** Returns where the file lies; throws what `call` throws. */
  file(call: Call): Promise<string>
  bytes: number
  /** Null: recognised by the header. */
  format: ImportFormat | null
  dryRun: boolean
  options: Pick<ImportContext, 'createContacts' | 'defaultPaymentMethod'>
  caller: Caller
  meta: CallMeta
  /** The run of a background import; null for an import that begins here. */
  run: { id: string; fence: number } | null
  /** Ends the import early; the reason is a `Stop`. */
  ending: AbortController
  /** Before each retry of a batch after an outage. */
  retryDelaysMs?: readonly number[]
}

const RETRY_DELAYS_MS = [250, 1_000, 2_000, 4_000, 4_000] // Longer than a service takes to restart.
const PROGRESS_MS = 1_000 // Well below the lease of a background import.
const FINISH_MS = 30_000
const sendAgain = 'What went in stays; send the same file again for the rest.'

/**
 * Imports the file and returns the body of the finished `import` object, or null where another process has the import or shall have it.
 * Throws only where its record cannot be stored.
 */
export async function runImport(
  { batch, command }: Pick<Calls, 'batch' | 'command'>,
  log: Log,
  job: ImportJob,
): Promise<Buffer | null> {
  const { meta, ending, format, bytes, dryRun, retryDelaysMs = RETRY_DELAYS_MS } = job
  const { signal } = ending
  const call = withRetry(batch, signal, retryDelaysMs)
  const run = job.run ?? (await begin(batch, { format: format?.format ?? null, bytes, dry_run: dryRun }, meta))
  let storing = call
  const report = openReport(async (problems) => {
    await storing('imports.store_problems', { ...run, problems }, meta)
  })
  const outcomes = openOutcomes()
  const pace = openPace()
  const known: { format?: string; ignored_columns?: string[] } = {}
  let file: OpenFile | null = null
  let writer: Writer | null = null
  let shown = 0 // How many problems the record has.

  const totalOf = () => (file === null ? null : file.objects + report.counts.beside)
  const importFields = (isLast = false) => {
    const { records, skippedRecords, blankRecords } = report.counts
    const problems = Object.values(report.problemCounts).reduce((sum, count) => sum + count, 0)
    const isKnown = problems === shown && !isLast
    const changed = isKnown ? {} : { errors: shownProblems(report), problem_counts: report.problemCounts }
    const rows = { records, blank_records: blankRecords, ignored_records: skippedRecords }
    return {
      problems,
      fields: { ...run, ...known, ...countsOf(outcomes, report), ...rows, ...changed, total: totalOf() },
    }
  }
  const reportProgress = async () => {
    pace.note(report.counts.records)
    const phase = file === null ? 'checking' : 'writing'
    const rate = { records_per_second: pace.recent(), eta_seconds: pace.eta(file?.records ?? null) }
    const { problems, fields } = importFields()
    const answer = await command('imports.progress', { ...fields, ...rate, phase }, meta)
    shown = problems
    if ((answer as { cancel: boolean }).cancel) ending.abort(new Stop('cancelled', 'The import was cancelled.'))
  }
  const progress = startPeriodic(PROGRESS_MS, reportProgress, (error) => {
    // A lost report costs nothing: the next one holds all of it.
    if (isServerFault(error)) log.warn({ error }, 'progress was lost')
    else ending.abort(new Stop('lost', 'Another process has the import.'))
  })

  let problem: ImportProblem | null = null
  try {
    const path = await job.file(call)
    const context: ImportContext = { ...job.caller, ...job.options, now: new Date() }
    file = await openFile(path, format, context, { signal })
    known.format = file.format.format
    known.ignored_columns = file.ignoredColumns.slice(0, 1_000).map((column) => column.slice(0, 1_000))
    writer = openWriter({ call, meta, source: file.format.format, dryRun, report, outcomes, importId: run.id })
    for await (const item of file.items(report)) {
      signal.throwIfAborted()
      await writer.add(item)
      if (report.isFull()) await report.flush()
    }
    await writer.flush()
    await report.flush()
    problem = differenceOf(countsOf(outcomes, report).processed, totalOf())
  } catch (error) {
    problem = endingOf(error, signal, log)
    await writer?.settle()
  } finally {
    await file?.close()
    writer?.close()
    await progress.stop()
  }

  // Not ended by `signal`: the record is finished also when the caller has left.
  const last = withRetry(batch, AbortSignal.timeout(FINISH_MS), retryDelaysMs)
  storing = last
  const stop = signal.aborted ? stopOf(signal) : null
  if (stop === 'lost') return null
  if (stop === 'released' && problem?.code === 'interrupted') {
    await last('imports.release', run, meta)
    return null
  }
  if (problem !== null) {
    report.endWith(problem)
    await report.flush().catch((error: unknown) => log.warn({ error }, 'problems of an import were lost'))
  }
  const early = problem?.code === 'cancelled' ? 'cancelled' : 'failed'
  const status = problem === null ? 'completed' : early
  pace.note(report.counts.records)
  const { fields } = importFields(true)
  return asBuffer(await last('imports.finish', { ...fields, records_per_second: pace.whole(), status }, meta))
}

async function begin(batch: Call, params: { format: string | null; bytes: number; dry_run: boolean }, meta: CallMeta) {
  const { id } = (await batch('imports.begin', params, meta)) as { id: string }
  return { id, fence: 0 }
}

function stopOf(signal: AbortSignal) {
  return signal.reason instanceof Stop ? signal.reason.kind : 'interrupted'
}

function endingOf(error: unknown, signal: AbortSignal, log: Log): ImportProblem {
  if (error instanceof FileProblem) return problemOf(error.code, error.message, error.column)
  if (signal.aborted && signal.reason instanceof Stop) {
    const { kind, message } = signal.reason
    return problemOf(kind === 'cancelled' ? 'cancelled' : 'interrupted', `${message} ${sendAgain}`)
  }
  log.error({ error }, 'an import ended early')
  const words = isServerFault(error)
    ? 'A part of the service did not answer for too long.'
    : 'Something went wrong on our side.'
  return problemOf('server_error', `${words} ${sendAgain}`)
}

/** Every object of the file must be accounted for. */
function differenceOf(processed: number, total: number | null): ImportProblem | null {
  if (processed === total) return null
  const words = `The file has ${total} objects, but ${processed} are accounted for: a difference of ${Math.abs((total ?? 0) - processed)}.`
  return problemOf('count_mismatch', `${words} ${sendAgain}`)
}

function problemOf(code: ProblemCode, message: string, column: string | null = null): ImportProblem {
  return { line: null, record: null, key: null, column, code, value: null, message, severity: 'error' }
}
