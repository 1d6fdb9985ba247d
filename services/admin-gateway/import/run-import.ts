// Owns an import from its first report to its last: scan the file, write its objects, tell the progress, finish.
// Back office: POST /shops/{shop}/imports. import-formats.md, section 1.
// Whatever ends it early (the file, an outage that lasts, a caller who left, a stop of this process) the record says
// `failed` and why. What went in stays; the same file sent again goes on where this one stopped, since it changes nothing.
// A dry run does the same; the services take back what they have done, so its counts are those of the run.
import type { Call } from '#runtime/service'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { Log } from '#telemetry/log'
import type { CallMeta, Caller } from '#contracts/caller'
import type { ImportProblem } from '#contracts/objects/import-record'
import type { ImportContext } from './reader/fields.ts'
import { isFileProblem } from './reader/file-problem.ts'
import { readItems, scanFile } from './reader/import-file.ts'
import { isOutage, patient } from './writer/retry.ts'
import { openReport } from './writer/report.ts'
import { openTally, toAccount } from './writer/counts.ts'
import { openWriter, type Writer } from './writer/writer.ts'

export type ImportJob = {
  path: string
  bytes: number
  /** Null: by the header. */
  format: string | null
  dryRun: boolean
  options: Pick<ImportContext, 'createContacts' | 'defaultPaymentMethod'>
  caller: Caller
  meta: CallMeta
  /** Why it was aborted is its reason: words for the report. */
  signal: AbortSignal
  /** Between the attempts of a batch that meets an outage; shorter in tests only. */
  waitsMs?: number[]
}

const PROGRESS_MS = 1_000

/** Imports the file and gives the body of the finished `import` object; throws only where its record cannot be kept. */
export async function runImport(batch: Call, log: Log, job: ImportJob): Promise<Buffer> {
  const { meta, signal, format, bytes, dryRun, waitsMs } = job
  const call = patient(batch, signal, waitsMs)
  const begun = await batch('imports.begin', { format, bytes, dry_run: dryRun }, meta)
  const { id } = begun as { id: string }
  const report = openReport()
  const tally = openTally()
  const known: { format?: string; ignored_columns?: string[] } = {}
  let ending: ImportProblem | null = null
  let writer: Writer | null = null
  const account = () => ({ id, ...known, ...toAccount(tally, report, ending) })
  const tell = throttled(PROGRESS_MS, async () => {
    // Lost news of progress costs nothing: the next report holds all of it.
    await batch('imports.progress', account(), meta).catch((error: unknown) => log.warn({ error }, 'progress was lost'))
  })

  try {
    const context: ImportContext = { ...job.caller, ...job.options, now: new Date() }
    const file = await scanFile(job.path, format, context)
    known.format = file.format.format
    known.ignored_columns = file.ignoredColumns.slice(0, 1_000).map((column) => column.slice(0, 1_000))
    writer = openWriter({ call, meta, source: file.format.format, dryRun, report, tally })
    for await (const item of readItems(file, context, report)) {
      if (signal.aborted) throw signal.reason
      await writer.add(item)
      await tell()
    }
    await writer.flush()
  } catch (error) {
    ending = endingOf(error, signal, log)
    await writer?.settle()
  }
  const status = ending === null ? 'completed' : 'failed'

  // Not ended by the signal: a caller who left is the very reason to write down how far it came.
  const finished = await patient(batch, AbortSignal.timeout(FINISH_MS), waitsMs)(
    'imports.finish',
    { ...account(), status },
    meta,
  )
  return asBuffer(finished)
}

const FINISH_MS = 30_000

function endingOf(error: unknown, signal: AbortSignal, log: Log): ImportProblem {
  if (isFileProblem(error)) return problem(error.code, error.message)
  if (signal.aborted) return problem('interrupted', `${String(signal.reason)} ${again}`)
  log.error({ error }, 'an import ended early')
  const words = isOutage(error)
    ? 'A part of the service did not answer for too long.'
    : 'Something went wrong on our side.'
  return problem('server_error', `${words} ${again}`)
}

function problem(code: string, message: string): ImportProblem {
  return { record: null, line: null, column: null, code, message, severity: 'error' }
}

const again = 'What went in stays; send the same file again for the rest.'

/** Does the work when it was not done within `everyMs`. */
function throttled(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < everyMs) return
    last = performance.now()
    await work()
  }
}
