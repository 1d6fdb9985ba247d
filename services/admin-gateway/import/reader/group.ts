// Groups the records of one object, consecutive or scattered. The first pass finds the last record of each group; the second
// holds the records of open groups in memory up to a bound, beyond it as positions in the file, so that memory does not grow
// with the file (docs/spec/imports.md#size). One bad row fails its whole object (docs/spec/imports.md#dry-run-and-report).
import { type FileHandle, open as openFile } from 'node:fs/promises'
import { limits } from '#contracts/limits'
import type { ProblemCode } from '#contracts/objects/import-advice'
import type { CsvRecord, RecordPosition, RecordReader } from './csv.ts'
import { type ImportContext, placeOf } from './fields.ts'
import { readableKey, type Report } from '../writer/report.ts'

/** `records` is never empty and in the order of the file. */
export type Group = { key: string; records: [CsvRecord, ...CsvRecord[]] }
/** Why a record belongs to no object. */
export type NoKey = { column: string | null; code: ProblemCode; message: string }
/** What the records of one object share. Null: the key is empty or damaged. */
export type GroupKey = (record: CsvRecord) => string | NoKey | null
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

/** For a key that depends on its own record only. */
export function stateless(groupKey: GroupKey): OpenGroupKey {
  return async () => () => groupKey
}

/** `lastOf`: the number of the last record of each key. `objects`: keys, and records without one. */
export type Scan = { lastOf: Map<string, number>; records: number; objects: number }

/** Reads all records once; `signal` ends it. */
export async function scanGroups(
  all: AsyncIterable<CsvRecord>,
  groupKey: GroupKey,
  signal?: AbortSignal,
): Promise<Scan> {
  const lastOf = new Map<string, number>()
  let records = 0
  let keyless = 0
  for await (const record of all) {
    signal?.throwIfAborted()
    records += 1
    const key = groupKey(record)
    if (typeof key === 'string') lastOf.set(key, record.number)
    else keyless += 1
  }
  return { lastOf, records, objects: lastOf.size + keyless }
}

/** Each group once its last record is read. Groups with a bad row and records without a key are reported instead. */
export async function* readGroups(
  path: string,
  reader: RecordReader,
  groupKey: GroupKey,
  lastOf: ReadonlyMap<string, number>,
  report: Report,
): AsyncGenerator<Group, void, undefined> {
  const file = await openFile(path)
  try {
    const open = openRecords(reader, file)
    for await (const record of reader.all()) {
      report.counts.records += 1
      report.counts.blankRecords = reader.blank()
      if (report.isFull()) await report.flush()
      const key = groupKey(record)
      report.about(typeof key === 'string' ? readableKey(key) : null)
      if (record.fault !== null) report.error(placeOf(record, null), record.fault.code, record.fault.message)
      if (typeof key !== 'string') {
        report.counts.failed += 1
        const { column, code, message } = key ?? noKey
        if (record.fault === null) report.error(placeOf(record, column), code, message)
        continue
      }
      const isLast = lastOf.get(key) === record.number
      if (!isLast) {
        open.hold(key, record)
        continue
      }
      const [first, ...more] = [...(await open.take(key)), record]
      const group: Group = { key, records: [first, ...more] }
      if (group.records.every(({ fault }) => fault === null)) yield group
      else report.counts.failed += 1
    }
    report.counts.blankRecords = reader.blank()
  } finally {
    await file.close()
  }
}

const noKey: NoKey = { column: null, code: 'no_key', message: 'The key is empty or damaged.' }

/** The records of open groups: the latest in memory, the others as positions in the file. */
function openRecords(reader: RecordReader, file: FileHandle) {
  const inMemory = new Map<string, CsvRecord[]>()
  const positions = openPositions()
  let bytes = 0
  return {
    hold(key: string, record: CsvRecord): void {
      const held = inMemory.get(key)
      if (held === undefined) inMemory.set(key, [record])
      else held.push(record)
      bytes += sizeOf(record)
      if (bytes <= limits.importHeldBytes) return
      for (const [one, records] of inMemory) for (const moved of records) positions.add(one, moved)
      inMemory.clear()
      bytes = 0
    },
    async take(key: string): Promise<CsvRecord[]> {
      const records: CsvRecord[] = []
      for (const position of positions.take(key)) records.push(await reader.readAt(file, position))
      for (const record of inMemory.get(key) ?? []) {
        bytes -= sizeOf(record)
        records.push(record)
      }
      inMemory.delete(key)
      return records
    },
  }
}

/**
 * Positions by key, in the order in which they were added. A file may have 200 000 of them, so they stand in one typed array:
 * four numbers each, then the index of the key's position before.
 */
function openPositions() {
  const lastOf = new Map<string, number>()
  let table = new Int32Array(5 * 1_024)
  let used = 0
  return {
    add(key: string, { number, line, start, end }: RecordPosition): void {
      if (used + 5 > table.length) {
        const larger = new Int32Array(table.length * 2)
        larger.set(table)
        table = larger
      }
      table.set([number, line, start, end, lastOf.get(key) ?? -1], used)
      lastOf.set(key, used)
      used += 5
    },
    take(key: string): RecordPosition[] {
      const found: RecordPosition[] = []
      for (let at = lastOf.get(key) ?? -1; at >= 0; at = table[at + 4] ?? -1) {
        const [number = 0, line = 0, start = 0, end = 0] = table.subarray(at, at + 4)
        found.push({ number, line, start, end })
      }
      lastOf.delete(key)
      return found.toReversed()
    },
  }
}

/** Bytes of memory that a record takes, about: its text, and the overhead of each cell. */
function sizeOf({ values }: CsvRecord): number {
  return values.reduce((sum, text) => sum + 16 + (text?.length ?? 0), 100)
}
