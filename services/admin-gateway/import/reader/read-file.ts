// Reads a file beside the event loop: a large one in a thread of its own, so that other requests of the process wait for none of it.
// docs/spec/imports.md#size
import { on, once } from 'node:events'
import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { ImportFormat } from '../formats/format.ts'
import { formatNamed } from '../formats/formats.ts'
import type { Report } from '../writer/report.ts'
import { FileProblem } from './csv.ts'
import type { ImportContext } from './fields.ts'
import type { Reported, Scanned, ThreadData, ThreadMessage } from './file-thread.ts'
import { readSealed, scanFile } from './import-file.ts'
import type { SealedItem } from './sealed-item.ts'

/** `ignoredColumns` are unknown to the format, as the file names them; `records` and `objects`: how many the file has. */
export type OpenFile = Scanned & {
  format: ImportFormat
  /** The objects, once. What is found beside them goes to the report. */
  items(report: Report): AsyncIterable<SealedItem>
  /** Ends the reading, wherever it is. */
  close(): Promise<void>
}

const SMALL_BYTES = 1024 * 1024 // Read before a thread has started.
const GROUPS_AHEAD = 2
/** The heap of the thread. With a larger young generation beside a small old one, most of the time goes into its collection. */
export const threadHeap = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 6 }

/** Scans the whole file first. Throws a `FileProblem`; `signal` ends the scan. `smallBytes` is smaller in tests only. */
export async function openFile(
  path: string,
  format: ImportFormat | null,
  context: ImportContext,
  { signal, smallBytes = SMALL_BYTES }: { signal?: AbortSignal; smallBytes?: number } = {},
): Promise<OpenFile> {
  const { size } = await stat(path)
  if (size > smallBytes) return openInThread(path, format, context, signal)
  const file = await scanFile(path, format, context, signal)
  const { ignoredColumns, records, objects } = file
  return {
    format: file.format,
    ignoredColumns,
    records,
    objects,
    items: (report) => readSealed(file, context, report),
    close: async () => (file.kind === 'csv' ? file.groups.close() : undefined),
  }
}

async function openInThread(
  path: string,
  format: ImportFormat | null,
  context: ImportContext,
  signal?: AbortSignal,
): Promise<OpenFile> {
  const workerData: ThreadData = { path, format: format?.format ?? null, context }
  const options = { workerData, execArgv: [], resourceLimits: threadHeap }
  const worker = new Worker(new URL('./file-thread.ts', import.meta.url), options)
  worker.unref()
  worker.on('error', () => undefined) // Told by what waits for a message.
  const close = async () => void (await worker.terminate())
  try {
    // Rejects with what ends the thread early.
    const [scanned] = (await once(worker, 'message', signal === undefined ? {} : { signal })) as [ThreadMessage]
    if (scanned.what === 'problem') throw new FileProblem(scanned.code, scanned.message, scanned.column)
    const found = scanned.what === 'scanned' ? formatNamed(scanned.format) : null
    if (scanned.what !== 'scanned' || found === null) throw new Error('A thread says first what it found.')
    return {
      format: found,
      ignoredColumns: scanned.ignoredColumns,
      records: scanned.records,
      objects: scanned.objects,
      items: (report) => itemsOf(worker, report),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function* itemsOf(worker: Worker, report: Report): AsyncGenerator<SealedItem, void, undefined> {
  const messages = on(worker, 'message', { close: ['exit'] }) as AsyncIterable<[ThreadMessage]>
  for (let ahead = 0; ahead < GROUPS_AHEAD; ahead += 1) worker.postMessage('more')
  try {
    for await (const [message] of messages) {
      if (message.what === 'problem') throw new FileProblem(message.code, message.message, message.column)
      if (message.what === 'scanned') continue
      take(report, message.counts, message.reported)
      if (report.isFull()) await report.flush()
      if (message.what === 'end') return
      yield* message.items
      worker.postMessage('more')
    }
    throw new Error('The thread that reads the file has ended.')
  } finally {
    await worker.terminate()
  }
}

function take(report: Report, counts: Report['counts'], reported: Reported[]): void {
  for (const [what, problem] of reported) report[what](...problem)
  const { errors, warnings } = report.counts // Those that the writer found count as well.
  Object.assign(report.counts, counts, { errors, warnings })
}
