// Runs one import (docs/spec/imports.md, docs/spec/back-office.md#imports): scans the file, writes its objects in batches, reports
// progress, finishes its record. Where it ends early (by the file, a lasting outage, a caller that left, a stop of the process), the
// record says `failed` and why; written objects stay, and the same file sent again continues. A batch may be repeated, because
// the services know objects by their keys.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '#runtime/service'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { Log } from '#telemetry/log'
import type { CallMeta, Caller } from '#contracts/caller'
import { isServerFault } from '#contracts/errors'
import type { ImportProblem } from '#contracts/objects/import-record'
import type { ImportFormat } from './formats/format.ts'
import { FileProblem } from './reader/csv.ts'
import type { ImportContext } from './reader/fields.ts'
import { type OpenFile, openFile } from './reader/read-file.ts'
import { openOutcomes, openReport, toImportFields } from './writer/report.ts'
import { openWriter, type Writer } from './writer/writer.ts'

export type ImportJob = {
  path: string
  bytes: number
  /** Null: recognised by the header. */
  format: ImportFormat | null
  dryRun: boolean
  options: Pick<ImportContext, 'createContacts' | 'defaultPaymentMethod'>
  caller: Caller
  meta: CallMeta
  /** Ends the import early; its reason is a text for the report. */
  signal: AbortSignal
  /** Before each retry of a batch after an outage; shorter in tests only. */
  retryDelaysMs?: number[]
}

const RETRY_DELAYS_MS = [250, 1_000, 2_000, 4_000, 4_000] // Longer than a service takes to restart.
const PROGRESS_MS = 1_000
const FINISH_MS = 30_000
const sendAgain = 'What went in stays; send the same file again for the rest.'

/** Imports the file and returns the body of the finished `import` object; throws only where its record cannot be stored. */
export async function runImport(batch: Call, log: Log, job: ImportJob): Promise<Buffer> {
  const { meta, signal, format, bytes, dryRun, retryDelaysMs = RETRY_DELAYS_MS } = job
  const call = withRetry(batch, signal, retryDelaysMs)
  const begun = await batch('imports.begin', { format: format?.format ?? null, bytes, dry_run: dryRun }, meta)
  const { id } = begun as { id: string }
  const report = openReport()
  const outcomes = openOutcomes()
  const known: { format?: string; ignored_columns?: string[] } = {}
  let ending: ImportProblem | null = null
  let file: OpenFile | null = null
  let writer: Writer | null = null
  const importFields = () => ({ id, ...known, ...toImportFields(outcomes, report, ending) })
  const reportProgress = throttled(PROGRESS_MS, async () => {
    // A lost report costs nothing: the next one holds all of it.
    await batch('imports.progress', importFields(), meta).catch((error: unknown) => {
      log.warn({ error }, 'progress was lost')
    })
  })

  try {
    const context: ImportContext = { ...job.caller, ...job.options, now: new Date() }
    file = await openFile(job.path, format, context)
    known.format = file.format.format
    known.ignored_columns = file.ignoredColumns.slice(0, 1_000).map((column) => column.slice(0, 1_000))
    writer = openWriter({ call, meta, importId: id, source: file.format.format, dryRun, report, outcomes })
    for await (const item of file.items(report)) {
      if (signal.aborted) throw signal.reason
      await writer.add(item)
      await reportProgress()
    }
    await writer.flush()
  } catch (error) {
    ending = endingOf(error, signal, log)
    await writer?.settle()
  } finally {
    await file?.close()
  }
  const status = ending === null ? 'completed' : 'failed'

  // Not ended by `signal`: the record is finished also when the caller has left.
  const finish = withRetry(batch, AbortSignal.timeout(FINISH_MS), retryDelaysMs)
  return asBuffer(await finish('imports.finish', { ...importFields(), status }, meta))
}

function endingOf(error: unknown, signal: AbortSignal, log: Log): ImportProblem {
  if (error instanceof FileProblem) return problem(error.code, error.message)
  if (signal.aborted) return problem('interrupted', `${String(signal.reason)} ${sendAgain}`)
  log.error({ error }, 'an import ended early')
  const words = isServerFault(error)
    ? 'A part of the service did not answer for too long.'
    : 'Something went wrong on our side.'
  return problem('server_error', `${words} ${sendAgain}`)
}

function problem(code: string, message: string): ImportProblem {
  return { record: null, line: null, column: null, code, message, severity: 'error' }
}

/** Calls again after an outage; throws refusals, and the outage after the last retry. `signal` ends the delays. */
function withRetry(call: Call, signal: AbortSignal, delaysMs: number[]): Call {
  return async (name, params, meta) => {
    signal.throwIfAborted()
    for (const delayMs of delaysMs) {
      try {
        return await call(name, params, meta)
      } catch (error) {
        if (!isServerFault(error)) throw error
        await sleep(delayMs, undefined, { signal })
      }
    }
    return call(name, params, meta)
  }
}

/** Does the work where it was not done within the last `everyMs`. */
function throttled(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < everyMs) return
    last = performance.now()
    await work()
  }
}
