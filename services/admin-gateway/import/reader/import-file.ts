// Reads an import file in two passes (docs/spec/imports.md#size): the first finds everything that fails the whole file,
// before anything is written; the second yields its objects. Memory holds some open objects and two bits for each record.
import { stat } from 'node:fs/promises'
import { limits } from '#contracts/limits'
import { FileProblem, type Header, readHeader, type RecordReader, recordReader } from './csv.ts'
import type { ImportContext } from './fields.ts'
import { checkEncoding } from './encoding.ts'
import { isJsonLines, type ObjectFile, readJsonLines, scanJsonLines } from '../exported/json-lines.ts'
import type { ImportFormat } from '../formats/format.ts'
import { formats, recogniseFormat } from '../formats/formats.ts'
import { type GroupKey, readGroups, scanGroups } from './group.ts'
import type { GroupIndex } from './group-index.ts'
import type { ImportItem } from './item.ts'
import { sealItem, type SealedItem } from './sealed-item.ts'
import { readableKey, type Report, withoutPersons } from '../writer/report.ts'

/** `ignoredColumns` are unknown to the format, as the file names them. `records` and `objects`: how many the file has. */
export type CsvFile = {
  kind: 'csv'
  path: string
  format: ImportFormat
  header: Header
  reader: RecordReader
  groupKeys: () => GroupKey
  ignoredColumns: string[]
  groups: GroupIndex
  records: number
  objects: number
}

export type ImportFile = CsvFile | ObjectFile

/** First pass. `format` null: recognised by the header. Throws a `FileProblem`, and the reason of `signal`. */
export async function scanFile(
  path: string,
  format: ImportFormat | null,
  context: ImportContext,
  signal?: AbortSignal,
): Promise<ImportFile> {
  const { size } = await stat(path)
  if (size > limits.importBytesMax) {
    throw new FileProblem('file_too_large', `A file may have at most ${limits.importBytesMax} bytes.`)
  }
  await checkEncoding(path, signal)
  if (await isJsonLines(path)) return scanJsonLines(path, format, signal)
  const candidates = format === null ? formats : [format]
  const header = await readHeader(path, (column) => candidates.some((candidate) => isKnown(candidate, column)))
  const chosen = choose(header, format, context)
  const reader = recordReader(path, header, chosen.columns, { isExact: chosen.isExact })
  const groupKeys = await chosen.openGroupKey(() => reader.all(), context)
  const scan = await scanGroups(reader.all(), groupKeys(), signal)
  const unknown = [...header.columns].filter(([column]) => !isKnown(chosen, column))
  const ignoredColumns = unknown.map(([, { title }]) => title)
  return { kind: 'csv', path, format: chosen, header, reader, groupKeys, ignoredColumns, ...scan }
}

/** Second pass: the objects of the file, in an order in which they can be written. Problems go to the report. */
export async function* readItems(
  file: ImportFile,
  context: ImportContext,
  whole: Report,
): AsyncGenerator<ImportItem, void, undefined> {
  const report = file.format.holdsPersons === true ? withoutPersons(whole) : whole
  if (file.kind === 'json lines') {
    yield* readJsonLines(file, context, report)
    return
  }
  const { path, reader, format, groupKeys, groups } = file
  const { counts } = report
  let group: string | null = null
  // A format reads a group to its end before it asks for the next one, so each object is counted for its group. One without any
  // object is missing in the counts, which fails the import.
  async function* counted() {
    for await (const one of readGroups(path, reader, groupKeys(), groups, report)) {
      const before = counts.items + counts.skipped + counts.failed
      group = readableKey(one.key)
      yield one
      counts.beside += Math.max(counts.items + counts.skipped + counts.failed - before - 1, 0)
    }
  }
  for await (const item of format.read(counted(), context, report)) {
    counts.items += 1
    // The key of an order may be an id that its seller has never seen.
    if (item.kind === 'order' && group !== null && item.key !== group) item.object = group
    yield item
  }
}

/** The same objects as the writer takes them. */
export async function* readSealed(
  file: ImportFile,
  context: ImportContext,
  report: Report,
): AsyncGenerator<SealedItem, void, undefined> {
  for await (const item of readItems(file, context, report)) yield sealItem(item)
}

function choose(header: Header, wanted: ImportFormat | null, context: ImportContext): ImportFormat {
  const columns = new Set(header.columns.keys())
  const format = wanted ?? recogniseFormat(columns)
  if (format === null) throw unknownFormat(columns)
  const missing = missingColumns(format, columns)
  if (missing.length > 0) {
    const names = missing.join(', ')
    throw new FileProblem('missing_column', `The file has no column ${names}.`, names)
  }
  if (format.currency !== null && format.currency !== context.currency) {
    const message = `Amounts of this format are in ${format.currency}, the shop's currency is ${context.currency}.`
    throw new FileProblem('currency_mismatch', message)
  }
  return format
}

/** Names the known formats, and for the nearest what the file lacks of it. */
function unknownFormat(columns: ReadonlySet<string>): FileProblem {
  const known = formats.map((format) => ({ name: format.format, missing: missingColumns(format, columns) }))
  const lacking = known.filter(({ missing }) => missing.length > 0)
  const nearest = lacking.reduce((best, next) => (next.missing.length < best.missing.length ? next : best))
  const names = known.map(({ name }) => name).join(', ')
  const missing = nearest.missing.join(', ')
  const words = `The header is of no format that can be imported. Known formats: ${names}. The nearest is ${nearest.name}; it lacks the columns ${missing}.`
  return new FileProblem('unknown_format', words, missing)
}

/** The columns that the file lacks of the header generation that it is nearest to. */
function missingColumns(format: ImportFormat, columns: ReadonlySet<string>): string[] {
  const lacking = format.required.map((generation) => generation.filter((column) => !columns.has(column)))
  return lacking.reduce((least, next) => (next.length < least.length ? next : least), lacking[0] ?? [])
}

function isKnown(format: ImportFormat, column: string): boolean {
  return format.columns.includes(column) || format.ignores(column)
}
