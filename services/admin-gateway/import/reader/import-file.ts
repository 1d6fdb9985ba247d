// Owns reading an import file from disk: a first pass that finds everything that fails the whole file, so that nothing
// is written of such a file, and a second one that hands on objects. Memory holds the open objects and one number per key.
// import-formats.md, section 1, rows "Header", "Size", and "Formats covered".
import { stat } from 'node:fs/promises'
import { limits } from '#contracts/limits'
import { type Header, readHeader, type RecordReader, recordReader } from './csv.ts'
import type { ImportContext } from './fields.ts'
import { fileProblem } from './file-problem.ts'
import { formatNamed, formats, type ImportFormat, recogniseFormat } from '../formats/format.ts'
import { type GroupKey, readGroups, scanGroups } from './group.ts'
import type { ImportItem } from './item.ts'
import type { Report } from '../writer/report.ts'
import { checkUtf8 } from './utf8.ts'

/** `records` is the number of records, for progress. `ignoredColumns` are unknown to the format, as the file names them. */
export type ImportFile = {
  path: string
  format: ImportFormat
  header: Header
  reader: RecordReader
  groupKeys: () => GroupKey
  records: number
  ignoredColumns: string[]
  lastOf: ReadonlyMap<string, number>
}

/**
 * First pass. `format` is a format's name, or null to go by the header. Throws a file problem (file-problem.ts).
 */
export async function scanFile(path: string, format: string | null, context: ImportContext): Promise<ImportFile> {
  const { size } = await stat(path)
  if (size > limits.importBytesMax) {
    throw fileProblem('file_too_large', `A file may have at most ${limits.importBytesMax} bytes.`)
  }
  await checkUtf8(path)
  const candidates = format === null ? formats : [named(format)]
  const header = await readHeader(path, (column) => candidates.some((candidate) => isKnown(candidate, column)))
  const chosen = choose(header, format, context)
  let records = 0
  const reader = recordReader(path, header, chosen.columns)
  const groupKeys = await chosen.openGroupKey(() => reader.all(), context)
  const counted = async function* () {
    for await (const record of reader.all()) {
      records = record.number
      yield record
    }
  }
  const lastOf = await scanGroups(counted(), groupKeys())
  const unknown = [...header.columns].filter(([column]) => !isKnown(chosen, column))
  const ignoredColumns = unknown.map(([, { title }]) => title)
  return { path, format: chosen, header, reader, groupKeys, records, ignoredColumns, lastOf }
}

/** Second pass: the objects of the file in the order in which they can be written. Problems go to the report. */
export function readItems(file: ImportFile, context: ImportContext, report: Report): AsyncIterable<ImportItem> {
  const { path, reader, format, groupKeys, lastOf } = file
  return format.read(readGroups(path, reader, groupKeys(), lastOf, report), context, report)
}

function named(name: string): ImportFormat {
  const format = formatNamed(name)
  if (format !== null) return format
  throw fileProblem('unknown_format', `format must be one of ${formats.map(({ format }) => format).join(', ')}.`)
}

function choose(header: Header, name: string | null, context: ImportContext): ImportFormat {
  const columns = new Set(header.columns.keys())
  const format = name === null ? recogniseFormat(columns) : named(name)
  if (format === null) throw fileProblem('unknown_format', 'The header is of no format that can be imported.')
  const missing = missingColumns(format, columns)
  if (missing.length > 0) throw fileProblem('missing_column', `The file has no column ${missing.join(', ')}.`)
  if (format.currency !== null && format.currency !== context.currency) {
    const message = `Amounts of this format are in ${format.currency}, the shop's currency is ${context.currency}.`
    throw fileProblem('currency_mismatch', message)
  }
  return format
}

/** What the file lacks of the header generation that it comes nearest to. */
function missingColumns(format: ImportFormat, columns: ReadonlySet<string>): string[] {
  const lacking = format.required.map((generation) => generation.filter((column) => !columns.has(column)))
  return lacking.reduce((least, next) => (next.length < least.length ? next : least), lacking[0] ?? [])
}

function isKnown(format: ImportFormat, column: string): boolean {
  return format.columns.includes(column) || format.ignores(column)
}
