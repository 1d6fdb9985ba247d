// The thread that reads a file for read-file.ts: it scans the file, then sends its objects in groups, each with what was reported
// meanwhile. It reads on only when it is asked to, so that few groups wait.
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import type { ImportFormatName } from '#contracts/input/import'
import { limits } from '#contracts/limits'
import type { ProblemCode } from '#contracts/objects/import-advice'
import { formatNamed } from '../formats/formats.ts'
import { openReport, type Report } from '../writer/report.ts'
import { FileProblem } from './csv.ts'
import type { ImportContext } from './fields.ts'
import { readSealed, scanFile } from './import-file.ts'
import type { SealedItem } from './sealed-item.ts'

export type ThreadData = { path: string; format: ImportFormatName | null; context: ImportContext }
/** A call of a report: `error` or `warn`, and its arguments. */
export type Reported = ['error' | 'warn', Parameters<Report['error']>]
/** What the first pass has found. */
export type Scanned = { ignoredColumns: string[]; records: number; objects: number }
export type ThreadMessage =
  | ({ what: 'scanned'; format: ImportFormatName } & Scanned)
  | { what: 'items'; items: SealedItem[]; counts: Report['counts']; reported: Reported[] }
  | { what: 'end'; counts: Report['counts']; reported: Reported[] }
  | { what: 'problem'; code: ProblemCode; message: string; column: string | null }

const ITEMS_AT_ONCE = 100
const BYTES_AT_ONCE = 128 * 1024

const { path, format, context } = workerData as ThreadData
if (parentPort !== null) await run(parentPort)

async function run(port: NonNullable<typeof parentPort>): Promise<void> {
  const send = (message: ThreadMessage) => port.postMessage(message)
  // Each permits one more group; they may come before they are waited for.
  let permits = 0
  port.on('message', () => (permits += 1))
  try {
    const file = await scanFile(path, format === null ? null : formatNamed(format), context)
    const { ignoredColumns, records, objects } = file
    send({ what: 'scanned', format: file.format.format, ignoredColumns, records, objects })
    while (permits === 0) await once(port, 'message') // Nobody listens before.
    let items: SealedItem[] = []
    let bytes = 0
    const sendGroup = async () => {
      while (permits === 0) await once(port, 'message')
      permits -= 1
      send({ what: 'items', items, counts: report.counts, reported: takeReported() })
      items = []
      bytes = 0
    }
    const { report, takeReported } = recordingReport(sendGroup)
    for await (const item of readSealed(file, context, report)) {
      items.push(item)
      bytes += item.bytes
      if (items.length >= ITEMS_AT_ONCE || bytes >= BYTES_AT_ONCE) await sendGroup()
    }
    if (items.length > 0) send({ what: 'items', items, counts: report.counts, reported: takeReported() })
    send({ what: 'end', counts: report.counts, reported: takeReported() })
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error
    send({ what: 'problem', code: error.code, message: error.message, column: error.column })
  } finally {
    port.close()
  }
}

/** Records what is reported, with the object that is read then. `flush` sends it. */
function recordingReport(flush: () => Promise<void>): { report: Report; takeReported(): Reported[] } {
  let reported: Reported[] = []
  let object: string | null = null
  const record =
    (what: Reported[0]): Report['error'] =>
    (place, ...problem) =>
      void reported.push([what, [{ ...place, object: place.object === undefined ? object : place.object }, ...problem]])
  const report: Report = {
    ...openReport(),
    error: record('error'),
    warn: record('warn'),
    about: (next) => {
      object = next
    },
    isFull: () => reported.length >= limits.importProblemsAtOnce,
    flush,
  }
  return {
    report,
    takeReported() {
      const taken = reported
      reported = []
      return taken
    },
  }
}
