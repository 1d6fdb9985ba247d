// Owns putting together the records of one object, consecutive or scattered.
// import-formats.md, section 1: an object is imported whole or not at all, so one bad row fails its object. Where a
// group ends is known from a first pass; only groups that are still open are held.
import type { CsvRecord } from './csv.ts'
import { placeOf } from './fields.ts'
import type { Report } from './report.ts'

/** `records` is never empty and in the order of the file. */
export type Group = { key: string; records: [CsvRecord, ...CsvRecord[]] }
type GroupKey = (record: CsvRecord) => string | null

/** The number of the last record of each key. */
export async function scanGroups(records: AsyncIterable<CsvRecord>, groupKey: GroupKey): Promise<Map<string, number>> {
  const lastOf = new Map<string, number>()
  for await (const record of records) {
    const key = groupKey(record)
    if (key !== null) lastOf.set(key, record.number)
  }
  return lastOf
}

/** Each group when its last record was read. Groups with a bad row, and records without a key, are reported instead. */
export async function* readGroups(
  records: AsyncIterable<CsvRecord>,
  groupKey: GroupKey,
  lastOf: ReadonlyMap<string, number>,
  report: Report,
): AsyncGenerator<Group, void, undefined> {
  const open = new Map<string, Group>()
  for await (const record of records) {
    report.counts.records += 1
    if (record.fault !== null) report.error(placeOf(record, null), record.fault.code, record.fault.message)
    const key = groupKey(record)
    if (key === null) {
      report.counts.failed += 1
      if (record.fault === null) report.error(placeOf(record, null), 'no_key', 'The key is empty or damaged.')
      continue
    }
    const group = open.get(key)
    if (group === undefined) open.set(key, { key, records: [record] })
    else group.records.push(record)
    if (lastOf.get(key) !== record.number) continue
    const whole = group ?? { key, records: [record] as [CsvRecord] }
    open.delete(key)
    if (whole.records.every(({ fault }) => fault === null)) yield whole
    else report.counts.failed += 1
  }
}
