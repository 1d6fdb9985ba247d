// Reads files of JSON lines: an object of an export in each line. docs/spec/imports.md#our-own-files
// As with CSV the first pass finds what fails the whole file, and the second yields the objects; memory holds one line.
import { createReadStream } from 'node:fs'
import { limits } from '#contracts/limits'
import type { ProblemCode } from '#contracts/objects/import-advice'
import { childColumn, externalIdColumn, idColumn, type ObjectTable } from '#export/columns'
import type { ImportFormat } from '../formats/format.ts'
import { FileProblem } from '../reader/csv.ts'
import type { ImportContext } from '../reader/fields.ts'
import type { ImportItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'
import { exportFormats } from './formats.ts'
import { readJson } from './read-object.ts'
import { isObject } from './values.ts'

export type ObjectFile = {
  kind: 'json lines'
  path: string
  format: ImportFormat
  table: ObjectTable
  ignoredColumns: string[]
  records: number
  objects: number
}
type Line = { number: number; line: number; text: string }
const LINE_BREAK = 0x0a
const BYTE_ORDER_MARK = '\ufeff'
const ignoredMax = 1_000

/** Whether the first character that is not blank opens an object. */
export async function isJsonLines(path: string): Promise<boolean> {
  for await (const chunk of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
    const text = chunk.startsWith(BYTE_ORDER_MARK) ? chunk.slice(1) : chunk
    const [first] = text.trimStart()
    if (first !== undefined) return first === '{'
  }
  return false
}

/** First pass. `format` null: the first object decides. Throws a `FileProblem`, and the reason of `signal`. */
export async function scanJsonLines(
  path: string,
  format: ImportFormat | null,
  signal?: AbortSignal,
): Promise<ObjectFile> {
  let chosen = format
  const ignored = new Set<string>()
  let records = 0
  for await (const line of readLines(path)) {
    signal?.throwIfAborted()
    records += 1
    const object = parsed(line.text)
    if (object === null) continue
    chosen ??= exportFormats.find(({ table }) => table?.object === object.object) ?? null
    if (chosen?.table === undefined) {
      throw new FileProblem(
        'unknown_format',
        'The objects of the file are of no kind that can be imported as JSON lines.',
      )
    }
    if (ignored.size < ignoredMax) for (const name of unknownFields(chosen.table, object)) ignored.add(name)
  }
  if (chosen?.table === undefined) throw new FileProblem('unknown_format', 'No line of the file holds an object.')
  return {
    kind: 'json lines',
    path,
    format: chosen,
    table: chosen.table,
    ignoredColumns: [...ignored],
    records,
    objects: records,
  }
}

/** Second pass: the objects of the file. Problems go to the report. */
export async function* readJsonLines(
  { path, table }: ObjectFile,
  context: ImportContext,
  report: Report,
): AsyncGenerator<ImportItem, void, undefined> {
  const { counts } = report
  const leaveOut = () => {
    counts.blankRecords += 1
  }
  for await (const { number: record, line, text } of readLines(path, leaveOut)) {
    counts.records += 1
    if (report.isFull()) await report.flush()
    let hasFailed = false
    const fail = (column: string | null, code: ProblemCode, message: string) => {
      hasFailed = true
      report.error({ record, line, column }, code, message)
    }
    const object = parsed(text)
    report.about(typeof object?.id === 'string' ? object.id : null)
    if (object === null) fail(null, 'bad_json', 'The line holds no JSON object.')
    else if (object.object !== undefined && object.object !== table.object) {
      fail('object', 'wrong_object', `The file holds objects of the kind ${table.object}, this line another one.`)
    }
    const item = object === null || hasFailed ? null : readJson(table, object, { record, line }, fail, context)
    if (item === null || hasFailed) {
      counts.failed += 1
      continue
    }
    counts.items += 1
    yield item
  }
}

/** The lines that are not blank; `leaveOut` counts those that are. Throws the file problems `cell_too_large` and `too_many_records`. */
async function* readLines(path: string, leaveOut: () => void = () => undefined): AsyncGenerator<Line, void, undefined> {
  let number = 0
  let line = 0
  for await (const bytes of splitLines(path)) {
    line += 1
    const text = bytes.toString('utf8').replace(line === 1 ? BYTE_ORDER_MARK : '', '')
    if (text.trim() === '') {
      leaveOut()
      continue
    }
    number += 1
    if (number > limits.importRecordsMax) {
      throw new FileProblem('too_many_records', `A file may hold at most ${limits.importRecordsMax} records.`)
    }
    yield { number, line, text }
  }
}

async function* splitLines(path: string): AsyncGenerator<Buffer, void, undefined> {
  let held: Uint8Array[] = []
  let size = 0
  let line = 1
  const hold = (bytes: Uint8Array) => {
    size += bytes.length
    if (size > limits.importCellBytesMax) {
      throw new FileProblem('cell_too_large', `Line ${line} has over ${limits.importCellBytesMax} bytes.`)
    }
    held.push(bytes)
  }
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, start)) {
      hold(chunk.subarray(start, end))
      yield Buffer.concat(held)
      held = []
      size = 0
      line += 1
      start = end + 1
    }
    if (start < chunk.length) hold(chunk.subarray(start))
  }
  if (size > 0) yield Buffer.concat(held)
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The names of fields that the format does not know, as they would stand in a header. */
function unknownFields(table: ObjectTable, object: Record<string, unknown>): string[] {
  const { children } = table
  const own = new Set([
    idColumn,
    externalIdColumn,
    'object',
    'redacted',
    ...table.columns.map(({ path }) => path.join('.')),
  ])
  const ofChildren = new Set(children?.columns.map((column) => childColumn(children, column)))
  return Object.entries(object).flatMap(([name, value]) => {
    if (name === children?.name) {
      const elements = Array.isArray(value) ? value.filter(isObject) : []
      return elements
        .flatMap((element) => Object.keys(element).map((field) => `${name}.${field}`))
        .filter((field) => !ofChildren.has(field))
    }
    const inner = [...own].some((path) => path.startsWith(`${name}.`) && path !== 'price.currency')
    if (inner && isObject(value))
      return Object.keys(value)
        .map((field) => `${name}.${field}`)
        .filter((field) => !own.has(field))
    return own.has(name) || inner ? [] : [name]
  })
}
