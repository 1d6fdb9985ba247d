// Owns putting together the records of one object, consecutive or scattered.
// import-formats.md, section 1: an object is imported whole or not at all, so one bad row fails its object. Where a
// group ends is known from a first pass; only groups that are still open are held, in memory up to a bound, beyond it as
// places in the file, so that memory does not grow with a file whose objects are all scattered.
import { type FileHandle, open as openFile } from 'node:fs/promises'
import { limits } from '#contracts/limits'
import type { CsvRecord, RecordReader } from './csv.ts'
import { type ImportContext, placeOf } from './fields.ts'
import type { Report } from '../writer/report.ts'

/** `records` is never empty and in the order of the file. */
export type Group = { key: string; records: [CsvRecord, ...CsvRecord[]] }
/** Why a record belongs to no object. */
export type NoKey = { column: string | null; code: string; message: string }
/** What the records of one object share. Null: the usual words for a record without a usable key. */
export type GroupKey = (record: CsvRecord) => string | NoKey | null
/**
 * Gives what makes the group key for each pass over the file, which may depend on the records that came before. Where it
 * depends on records that come later, `readAll` goes over the file beforehand.
 */
export type OpenGroupKey = (readAll: () => AsyncIterable<CsvRecord>, context: ImportContext) => Promise<() => GroupKey>

/** For a key that a record has by itself. */
export function everyPass(groupKey: GroupKey): OpenGroupKey {
  return async () => () => groupKey
}

/** The number of the last record of each key. */
export async function scanGroups(records: AsyncIterable<CsvRecord>, groupKey: GroupKey): Promise<Map<string, number>> {
  const lastOf = new Map<string, number>()
  for await (const record of records) {
    const key = groupKey(record)
    if (typeof key === 'string') lastOf.set(key, record.number)
  }
  return lastOf
}

/** Each group when its last record was read. Groups with a bad row, and records without a key, are reported instead. */
export async function* readGroups(
  path: string,
  reader: RecordReader,
  groupKey: GroupKey,
  lastOf: ReadonlyMap<string, number>,
  report: Report,
): AsyncGenerator<Group, void, undefined> {
  const file = await openFile(path)
  try {
    const shelf = openShelf(reader, file)
    for await (const record of reader.all()) {
      report.counts.records += 1
      if (record.fault !== null) report.error(placeOf(record, null), record.fault.code, record.fault.message)
      const key = groupKey(record)
      if (typeof key !== 'string') {
        report.counts.failed += 1
        const { column, code, message } = key ?? noKey
        if (record.fault === null) report.error(placeOf(record, column), code, message)
        continue
      }
      const isLast = lastOf.get(key) === record.number
      if (!isLast) {
        shelf.hold(key, record)
        continue
      }
      const [first, ...more] = [...(await shelf.take(key)), record]
      const group: Group = { key, records: [first, ...more] }
      if (group.records.every(({ fault }) => fault === null)) yield group
      else report.counts.failed += 1
    }
  } finally {
    await file.close()
  }
}

const noKey: NoKey = { column: null, code: 'no_key', message: 'The key is empty or damaged.' }

type Placed = Pick<CsvRecord, 'number' | 'line' | 'start' | 'end'>

/** The records of open groups: the latest as they are, the others as places in the file. */
function openShelf(reader: RecordReader, file: FileHandle) {
  const open = new Map<string, CsvRecord[]>()
  const places = openPlaces()
  let bytes = 0
  return {
    hold(key: string, record: CsvRecord): void {
      const held = open.get(key)
      if (held === undefined) open.set(key, [record])
      else held.push(record)
      bytes += sizeOf(record)
      if (bytes <= limits.importHeldBytes) return
      for (const [one, records] of open)
        for (const { number, line, start, end } of records) places.add(one, { number, line, start, end })
      open.clear()
      bytes = 0
    },
    async take(key: string): Promise<CsvRecord[]> {
      const records: CsvRecord[] = []
      for (const placed of places.take(key)) records.push(await reader.again(file, placed))
      for (const record of open.get(key) ?? []) {
        bytes -= sizeOf(record)
        records.push(record)
      }
      open.delete(key)
      return records
    },
  }
}

/**
 * Places by key, in the order in which they came: four numbers each in one table, and the index of the one before, because
 * a file may hold 200 000 of them. Where a key's last one is, the map says.
 */
function openPlaces() {
  const lastOf = new Map<string, number>()
  let table = new Int32Array(5 * 1_024)
  let used = 0
  return {
    add(key: string, { number, line, start, end }: Placed): void {
      if (used + 5 > table.length) {
        const larger = new Int32Array(table.length * 2)
        larger.set(table)
        table = larger
      }
      table.set([number, line, start, end, lastOf.get(key) ?? -1], used)
      lastOf.set(key, used)
      used += 5
    },
    take(key: string): Placed[] {
      const found: Placed[] = []
      for (let at = lastOf.get(key) ?? -1; at >= 0; at = table[at + 4] ?? -1) {
        const [number = 0, line = 0, start = 0, end = 0] = table.subarray(at, at + 4)
        found.push({ number, line, start, end })
      }
      lastOf.delete(key)
      return found.toReversed()
    },
  }
}

/** About what a record costs: its text, and what the language needs around each cell. */
function sizeOf({ values }: CsvRecord): number {
  return values.reduce((sum, text) => sum + 16 + (text?.length ?? 0), 100)
}
