// Groups the records of one object, consecutive or scattered. The first pass finds the last record of each group; the second
// holds the records of open groups in memory up to a bound, beyond it as positions in the file, so that memory does not grow
// with the file (docs/spec/imports.md#size). One bad row fails its whole object (docs/spec/imports.md#dry-run-and-report).
import { type FileHandle, open as openFile } from 'node:fs/promises'
import { limits } from '#contracts/limits'
import type { ProblemCode } from '#contracts/objects/import-advice'
import { unguard } from './cell.ts'
import { cell, type CsvRecord, type RecordPosition, type RecordReader } from './csv.ts'
import { type ImportContext, placeOf } from './fields.ts'
import { type GroupIndex, openGroupIndexer } from './group-index.ts'
import { openTempFile } from './temp-file.ts'
import { readableKey, type Report } from '../writer/report.ts'

/** `records` is never empty and in the order of the file. */
export type Group = { key: string; records: [CsvRecord, ...CsvRecord[]] }
/** Why a record belongs to no object. */
export type NoKey = { column: string | null; code: ProblemCode; message: string }
/** What the records of one object share. */
export type GroupKey = (record: CsvRecord) => string | NoKey
/**
 * Returns a new `GroupKey` for each pass over the file, since a key may depend on earlier records. Where it depends on later
 * records too, `readAll` reads the file beforehand.
 */
export type OpenGroupKey = (readAll: () => AsyncIterable<CsvRecord>, context: ImportContext) => Promise<() => GroupKey>

/** Adds the key; false when it was in the set already. Several orders of one file may refer to the same product or contact. */
export function addKey(keys: Set<string>, key: string): boolean {
  if (keys.has(key)) return false
  keys.add(key)
  return true
}

/** Why a record whose key stands in the column has none. */
export function noKey(column: string): NoKey {
  return { column, code: 'no_key', message: 'The cell that identifies the object is empty or damaged.' }
}

/** The key that stands in the column. */
export function keyIn(record: CsvRecord, column: string): string | NoKey {
  return unguard(cell(record, column) ?? '') || noKey(column)
}

/** For a key that depends on its own record only. */
export function stateless(groupKey: GroupKey): OpenGroupKey {
  return async () => () => groupKey
}

/** `objects`: keys, and records without one. */
export type Scan = { groups: GroupIndex; records: number; objects: number }

/** Reads all records once; `signal` ends it. */
export async function scanGroups(
  all: AsyncIterable<CsvRecord>,
  groupKey: GroupKey,
  signal?: AbortSignal,
): Promise<Scan> {
  const indexer = openGroupIndexer()
  let records = 0
  let keyless = 0
  for await (const record of all) {
    signal?.throwIfAborted()
    records += 1
    const key = groupKey(record)
    if (typeof key === 'string') indexer.add(key, record.number)
    else keyless += 1
  }
  const groups = indexer.finish()
  return { groups, records, objects: groups.count + keyless }
}

/** Each group once its last record is read. Groups with a bad row and records without a key are reported instead. */
export async function* readGroups(
  path: string,
  reader: RecordReader,
  groupKey: GroupKey,
  index: GroupIndex,
  report: Report,
): AsyncGenerator<Group, void, undefined> {
  const file = await openFile(path)
  const open = openRecords(reader, file, index)
  try {
    for await (const record of reader.all()) {
      report.counts.records += 1
      report.counts.blankRecords = reader.blank()
      if (report.isFull()) await report.flush()
      const key = groupKey(record)
      report.about(typeof key === 'string' ? readableKey(key) : null)
      if (record.fault !== null) report.error(placeOf(record, null), record.fault.code, record.fault.message)
      if (typeof key !== 'string') {
        report.counts.failed += 1
        const { column, code, message } = key
        if (record.fault === null) report.error(placeOf(record, column), code, message)
        continue
      }
      open.reach(key, record.number)
      if (!index.isLast(record.number)) {
        open.hold(key, record)
        continue
      }
      const [first, ...more] = [...(await open.take(key, record.number)), record]
      const group: Group = { key, records: [first, ...more] }
      if (group.records.every(({ fault }) => fault === null)) yield group
      else report.counts.failed += 1
    }
    report.counts.blankRecords = reader.blank()
  } finally {
    open.close()
    await file.close()
  }
}

/** The records of open groups: the latest in memory, the others as positions in a temporary file. */
function openRecords(reader: RecordReader, file: FileHandle, index: GroupIndex) {
  const inMemory = new Map<string, CsvRecord[]>()
  const positions = openPositions()
  let bytes = 0
  let movedUntil = 0 // Records up to here that are still open are not in memory.
  let run = { key: '', first: 0, last: 0 }
  return {
    reach(key: string, number: number): void {
      const goesOn = key === run.key && number === run.last + 1
      run = { key, first: goesOn ? run.first : number, last: number }
    },
    hold(key: string, record: CsvRecord): void {
      const held = inMemory.get(key)
      if (held === undefined) inMemory.set(key, [record])
      else held.push(record)
      bytes += sizeOf(record)
      if (bytes <= limits.importHeldBytes) return
      for (const records of inMemory.values()) for (const moved of records) positions.set(moved)
      inMemory.clear()
      movedUntil = record.number
      bytes = 0
    },
    async take(key: string, number: number): Promise<CsvRecord[]> {
      const records: CsvRecord[] = []
      for (const { first, last } of [...index.runsBefore(run.first), { first: run.first, last: number - 1 }]) {
        for (let one = first; one <= Math.min(last, movedUntil); one += 1) {
          records.push(await reader.readAt(file, positions.get(one)))
        }
      }
      for (const record of inMemory.get(key) ?? []) {
        bytes -= sizeOf(record)
        records.push(record)
      }
      inMemory.delete(key)
      return records
    },
    close(): void {
      positions.close()
      index.close()
    },
  }
}

/** Positions of records by their numbers. */
function openPositions() {
  const file = openTempFile()
  const width = 3 * Float64Array.BYTES_PER_ELEMENT
  return {
    set({ number, line, start, end }: RecordPosition): void {
      const bytes = Buffer.alloc(width)
      for (const [index, value] of [line, start, end].entries()) bytes.writeDoubleLE(value, index * 8)
      file.write(number * width, bytes)
    },
    get(number: number): RecordPosition {
      const bytes = file.read(number * width, width)
      return { number, line: bytes.readDoubleLE(0), start: bytes.readDoubleLE(8), end: bytes.readDoubleLE(16) }
    },
    close: file.close,
  }
}

/** Bytes of memory that a record takes, about: its text, and the overhead of each cell. */
function sizeOf({ values }: CsvRecord): number {
  return values.reduce((sum, text) => sum + 8 + (text === '' ? 0 : 24 + text.length), 300)
}
