// Reads CSV: the header, then record by record without holding the file (docs/spec/imports.md#records,
// docs/spec/imports.md#size). A bad row is a record with a fault and fails its own object; an open quote or a cell over
// 1 MB fails the file.
import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { type Options, parse } from 'csv-parse'
import { parse as parseText } from 'csv-parse/sync'
import { limits } from '#contracts/limits'
import type { ProblemCode } from '#contracts/objects/import-advice'

/**
 * Why a whole file cannot be imported, found before anything is written: `encoding`, `quoting`, `missing_column`,
 * `unknown_format`, `empty_file`, `file_too_large`, `too_many_records`, `cell_too_large`, `currency_mismatch`. The message is
 * safe for the caller.
 */
export class FileProblem extends Error {
  readonly code: ProblemCode
  /** The columns that it is about. */
  readonly column: string | null

  constructor(code: ProblemCode, message: string, column: string | null = null) {
    super(message)
    this.code = code
    this.column = column
  }
}

export type Column = { index: number; title: string }
/**
 * Columns by canonical name (trimmed, inner spaces collapsed, lowercase); `title` is the name as the file has it. `format`
 * is how the records are separated, as the header record shows it.
 */
export type Header = { format: CsvFormat; width: number; columns: ReadonlyMap<string, Column> }
type CsvFormat = { delimiter: string; record_delimiter: string[] }

/**
 * `number` counts records that are not all empty, from 1, without the header; `line` is physical, the first is 1.
 * `values` are the cells as the file has them, and `slots` says where a column that is read stands in them.
 */
export type CsvRecord = {
  number: number
  line: number
  header: Header
  slots: ReadonlyMap<string, number>
  values: readonly string[]
  /** Blanks around cells belong to them. */
  isExact: boolean
  /** Where the record lies in the file, in bytes. */
  start: number
  end: number
  fault: { code: ProblemCode; message: string } | null
}

/**
 * The cell of a canonical column name, trimmed unless the record is exact; null when it is empty, missing in the row or missing in
 * the file.
 */
export function cell({ slots, values, isExact }: CsvRecord, column: string): string | null {
  const slot = slots.get(column)
  const text = slot === undefined ? undefined : values[slot]
  return (isExact ? text : text?.trim()) || null
}

/** A column's name in the form in which headers are compared: trimmed, inner spaces collapsed, lowercase. */
export function canonical(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase()
}

/**
 * The first record that is not all empty. `,` delimits unless `;` or tab yields more columns that `knows` recognises.
 * Throws the file problem `empty_file`.
 */
export async function readHeader(path: string, knows: (column: string) => boolean): Promise<Header> {
  const head = await readHead(path, limits.importCellBytesMax)
  if (head.toString().trim() === '') throw new FileProblem('empty_file', 'The file holds no header record.')
  const known = (header: Header) => [...header.columns.keys()].filter(knows).length
  const headers = [',', ';', '\t'].map((delimiter) => headerBy(head, delimiter))
  return headers.reduce((best, next) => (known(next) > known(best) ? next : best))
}

/** Where a record stands in the file. */
export type RecordPosition = Pick<CsvRecord, 'number' | 'line' | 'start' | 'end'>
export type RecordReader = {
  /**
   * The records behind the header, those with every cell empty left out.
   * Throws the file problems `quoting`, `cell_too_large`, `too_many_records`.
   */
  all(): AsyncGenerator<CsvRecord, void, undefined>
  /** How many records with every cell empty the last pass has left out so far. */
  blank(): number
  /** Reads a record again. */
  readAt(file: FileHandle, position: RecordPosition): Promise<CsvRecord>
}

type ReaderOptions = {
  /** With the blanks around their cells. */
  isExact?: boolean | undefined
  /** Smaller in tests only. */
  recordsMax?: number
}

/** Reads records of which only `columns` are read. */
export function recordReader(
  path: string,
  header: Header,
  columns: readonly string[],
  { isExact = false, recordsMax = limits.importRecordsMax }: ReaderOptions = {},
): RecordReader {
  const slots = new Map<string, number>() // One map for all records, because many may be held.
  for (const name of columns) {
    const column = header.columns.get(name)
    if (column !== undefined) slots.set(name, column.index)
  }
  const toRecord = ({ number, line, start, end }: RecordPosition, values: string[]): CsvRecord => {
    return { number, line, header, slots, values, isExact, start, end, fault: faultOf(values, header) }
  }
  let blank = 0
  const leaveOut = () => {
    blank += 1
  }
  return {
    all() {
      blank = 0
      return readAll(path, header, toRecord, { leaveOut, recordsMax })
    },
    blank: () => blank,
    async readAt(file, position) {
      const bytes = Buffer.alloc(position.end - position.start)
      await file.read(bytes, 0, bytes.length, position.start)
      const [row = []]: string[][] = parseText(bytes, { ...options, ...header.format, to: 1 })
      return toRecord(position, row)
    },
  }
}

async function* readAll(
  path: string,
  header: Header,
  toRecord: (position: RecordPosition, row: string[]) => CsvRecord,
  { leaveOut, recordsMax }: { leaveOut: () => void; recordsMax: number },
): AsyncGenerator<CsvRecord, void, undefined> {
  let isHeader = true
  let number = 0
  for await (const { row, ...position } of readRows(path, header.format)) {
    if (isEmpty(row)) {
      leaveOut()
      continue
    }
    if (isHeader) {
      isHeader = false
      continue
    }
    number += 1
    if (number > recordsMax) {
      throw new FileProblem('too_many_records', `A file may hold at most ${recordsMax} records.`)
    }
    yield toRecord({ number, ...position }, row)
  }
}

type Row = { line: number; start: number; end: number; row: string[] }

const options: Options = {
  bom: true,
  relax_column_count: true,
  // A quote inside an unquoted cell (`5" nail`) is a character.
  relax_quotes: true,
}

const LINES = ['\r\n', '\n']
// A CR alone ends records only where it ends the header: in any other file it is a character of a cell.
const LINES_OR_CR = [...LINES, '\r']
const CR = 0x0d

function headerBy(head: Uint8Array, delimiter: string): Header {
  let end = 0
  const onRecord = (row: string[], { bytes }: { bytes: number }) => {
    end = bytes
    return row
  }
  try {
    const first = { ...options, delimiter, record_delimiter: LINES_OR_CR, on_record: onRecord, to: 1 }
    const [row = []]: string[][] = parseText(head, { ...first, skip_records_with_empty_values: true })
    return toHeader(row, { delimiter, record_delimiter: head[end - 1] === CR ? LINES_OR_CR : LINES })
  } catch (error) {
    // With the wrong delimiter a quote may seem to stay open; such a reading has no columns.
    if (!isOpenQuote(error)) throw error
    return toHeader([], { delimiter, record_delimiter: LINES })
  }
}

async function readHead(path: string, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of createReadStream(path, { end: bytesMax - 1 })) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

function toHeader(row: string[], format: CsvFormat): Header {
  const columns = new Map<string, Column>()
  row.forEach((title, index) => {
    const name = canonical(title)
    if (name !== '' && !columns.has(name)) columns.set(name, { index, title: title.trim() })
  })
  return { format, width: row.length, columns }
}

async function* readRows(path: string, format: CsvFormat): AsyncGenerator<Row, void, undefined> {
  let line = 1
  let end = 0
  // The parser runs ahead of the loop below: at an error `line` is that of the record at fault.
  const parsed: Omit<Row, 'row'>[] = [] // Positions of the rows that the loop has not reached yet.
  const onRecord = (row: string[], { bytes }: { bytes: number }) => {
    if (bytes - end > limits.importCellBytesMax) checkCells(row, line)
    parsed.push({ line, start: end, end: bytes })
    end = bytes
    line += row.reduce((sum, text) => sum + lineBreaks(text, format), 1)
    return row
  }
  const parser = parse({ ...options, ...format, on_record: onRecord })
  // A failed read destroys the parser with its error, which the loop throws; leaving the loop closes the file.
  const rows: AsyncIterable<string[]> = pipeline(createReadStream(path), parser, () => undefined)
  try {
    for await (const row of rows) yield { ...(parsed.shift() ?? { line, start: end, end }), row }
  } catch (error) {
    if (!isOpenQuote(error)) throw error
    throw new FileProblem('quoting', `A quoted cell of the record at line ${line} is never closed.`)
  }
}

function checkCells(row: string[], line: number): void {
  const isLarge = (text: string) =>
    text.length * 3 > limits.importCellBytesMax && Buffer.byteLength(text) > limits.importCellBytesMax
  if (!row.some(isLarge)) return
  throw new FileProblem(
    'cell_too_large',
    `The record at line ${line} has a cell over ${limits.importCellBytesMax} bytes.`,
  )
}

function faultOf(row: string[], header: Header): CsvRecord['fault'] {
  if (row.length > header.width) {
    const message = `The row has ${row.length} cells, the header ${header.width}.`
    return { code: 'row_shape', message }
  }
  if (row.some((text) => text.includes('\u0000'))) {
    return { code: 'bad_text', message: 'The row holds the character U+0000, which cannot be stored.' }
  }
  return null
}

function isEmpty(row: string[]): boolean {
  return row.every((text) => text.trim() === '')
}

function lineBreaks(text: string, format: CsvFormat): number {
  if (format.record_delimiter === LINES_OR_CR) return text.match(/\r\n|\n|\r/g)?.length ?? 0
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

function isOpenQuote(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'CSV_QUOTE_NOT_CLOSED'
}
