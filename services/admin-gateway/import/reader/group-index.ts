// Which record is the last of its group, and where the earlier records of a scattered group are, for a file of any size
// (docs/spec/imports.md#size).
//
// The scan adds every run: records of one key that follow each other. Runs are kept by the digest of their key in partitions, beyond some
// megabytes in a temporary file. At the end one partition after the other is read: the last run of each key sets one bit, and every other run
// is chained to the next one of its key. So memory holds two bits for each record, whatever the keys are.
import { hash } from 'node:crypto'
import { openTempFile, type TempFile } from './temp-file.ts'

/** Numbers of records, both included. */
export type Run = { first: number; last: number }
export type GroupIndex = {
  /** How many groups there are. */
  count: number
  isLast(record: number): boolean
  /** The runs of the same key before the run that begins with this record, in their order. */
  runsBefore(first: number): Run[]
  close(): void
}
export type GroupIndexer = { add(key: string, record: number): void; finish(): GroupIndex }

const PARTITIONS = 128
const DIGEST_BYTES = 16
const ENTRY_BYTES = DIGEST_BYTES + 8
const LINK_BYTES = 8
const ENTRIES_HELD = 512 // Of each partition: 1.5 MB in all.

type Partition = { held: Buffer; used: number; written: number[] }

export function openGroupIndexer(): GroupIndexer {
  const partitions = Array.from(
    { length: PARTITIONS },
    (): Partition => ({ held: Buffer.alloc(0), used: 0, written: [] }),
  )
  const file = openTempFile()
  let end = 0
  let records = 0
  let key: string | null = null
  let run: Run = { first: 0, last: 0 }

  function put(): void {
    if (key === null) return
    const digest = hash('sha256', key, 'buffer').toString('latin1', 0, DIGEST_BYTES)
    const partition = partitions[digest.charCodeAt(0) % PARTITIONS] as Partition
    if (partition.held.length === 0) partition.held = Buffer.alloc(ENTRIES_HELD * ENTRY_BYTES)
    const { held, used } = partition
    held.write(digest, used, 'latin1')
    held.writeUInt32LE(run.first, used + DIGEST_BYTES)
    held.writeUInt32LE(run.last, used + DIGEST_BYTES + 4)
    partition.used += ENTRY_BYTES
    if (partition.used < held.length) return
    file.write(end, held)
    partition.written.push(end)
    partition.used = 0
    end += held.length
  }

  return {
    add(next, record) {
      records = record
      if (next === key && record === run.last + 1) {
        run.last = record
        return
      }
      put()
      key = next
      run = { first: record, last: record }
    },
    finish() {
      put()
      key = null
      const lasts = openBits(records)
      const links = openLinks(records)
      let count = 0
      for (const partition of partitions) {
        const runs = new Map<string, Run>()
        for (const { digest, ...own } of entriesOf(partition, file)) {
          const before = runs.get(digest)
          if (before !== undefined) links.add(own.first, before)
          runs.set(digest, own)
        }
        for (const { last } of runs.values()) lasts.set(last)
        count += runs.size
        partition.held = Buffer.alloc(0)
      }
      file.close()
      return { count, isLast: lasts.has, runsBefore: links.before, close: links.close }
    },
  }
}

function* entriesOf({ held, used, written }: Partition, file: TempFile): Generator<Run & { digest: string }> {
  for (const at of written) yield* entriesIn(file.read(at, ENTRIES_HELD * ENTRY_BYTES))
  yield* entriesIn(held.subarray(0, used))
}

function* entriesIn(bytes: Buffer): Generator<Run & { digest: string }> {
  for (let at = 0; at < bytes.length; at += ENTRY_BYTES) {
    const digest = bytes.toString('latin1', at, at + DIGEST_BYTES)
    const [first, last] = [bytes.readUInt32LE(at + DIGEST_BYTES), bytes.readUInt32LE(at + DIGEST_BYTES + 4)]
    yield { digest, first, last }
  }
}

/** Of each run the run of its key before it. */
function openLinks(records: number) {
  const linked = openBits(records)
  const file = openTempFile()
  return {
    add(first: number, { first: from, last: to }: Run): void {
      const bytes = Buffer.alloc(LINK_BYTES)
      bytes.writeUInt32LE(from, 0)
      bytes.writeUInt32LE(to, 4)
      file.write(first * LINK_BYTES, bytes)
      linked.set(first)
    },
    before(first: number): Run[] {
      const runs: Run[] = []
      for (let at = first; linked.has(at); ) {
        const bytes = file.read(at * LINK_BYTES, LINK_BYTES)
        const run = { first: bytes.readUInt32LE(0), last: bytes.readUInt32LE(4) }
        runs.push(run)
        at = run.first
      }
      return runs.toReversed()
    },
    close: file.close,
  }
}

/** A set of numbers from 0 to `max`. */
function openBits(max: number) {
  const bits = new Uint8Array((max >>> 3) + 1)
  return {
    set(number: number): void {
      bits[number >>> 3] = (bits[number >>> 3] ?? 0) | (1 << (number & 7))
    },
    has(number: number): boolean {
      return ((bits[number >>> 3] ?? 0) & (1 << (number & 7))) !== 0
    },
  }
}
