// Compares a copy of a shop's orders, products or contacts with the stamps of the shop. docs/spec/sync.md#compare
//
// The copy stands at a position: it has what polls with `updated_after` have shown up to that instant, its newest stamp. Judged is what
// was stamped before it; the rest is what the next poll brings. Why a writer beside the comparison makes no false difference:
// - An id never changes and pages are in the order of ids, so an object that is there all the time is shown exactly once.
// - What is created or changed after the copy was taken has a stamp at or after the position (docs/spec/sync.md#promise), and is left out.
// - An object that is shown with an earlier stamp was shown by the polls up to the position, with this stamp. A copy without it has lost
//   it, and a copy with another stamp has lost a change: also one with a later stamp, since each change of an object moves its stamp
//   forward, so that the shop was restored from a backup.
// - An object of the copy that is not shown was deleted, before the comparison or during it; a deleted object does not come back.
// No poll is needed, because the stamps say themselves what it would name.
//
// Rows of the copy and stamps are matched as they come, and only what has no match yet is kept: a page where both are in the order of ids.
import type { CallOptions } from './request.ts'
import type { List } from './surface.ts'

type Instant = string | Date
type Entry = readonly [id: string, updatedAt: Instant]
/** The `updatedAt` of each object by its id, as of one moment: a map, or rows of a query, best in the order of ids. */
export type Copy = ReadonlyMap<string, Instant> | Iterable<Entry> | AsyncIterable<Entry>
/** Ids that the copy lacks, that the shop does not have any more, and that have another `updatedAt` in the shop; each in order. */
export type Difference = { missing: string[]; gone: string[]; stale: string[] }
export type CompareOptions = CallOptions & {
  /** Where the next poll of the copy goes on; the newest stamp of the copy by default. What has changed since then is left out. */
  updatedAfter?: Instant | undefined
}

/** The stamps are those of the whole list, in the order of ids. */
export async function compare(
  stamps: List<{ id: string; updatedAt: string }>,
  copy: Copy,
  updatedAfter?: Instant,
): Promise<Difference> {
  const inShop = new Map<string, number>()
  const inCopy = new Map<string, number>()
  const differing: { id: string; ofShop: number; ofCopy: number }[] = []
  let newest: number | null = null
  const entries = copy instanceof Map ? inOrder(copy) : (copy as Iterable<Entry> | AsyncIterable<Entry>)
  const rows = Symbol.asyncIterator in entries ? entries[Symbol.asyncIterator]() : entries[Symbol.iterator]()
  let row = await rows.next()

  async function readCopy(last: string | null): Promise<void> {
    for (; row.done !== true && (last === null || row.value[0] <= last); row = await rows.next()) {
      const [id, updatedAt] = row.value
      const ofCopy = millisecondsOf(updatedAt)
      if (newest === null || ofCopy > newest) newest = ofCopy
      const ofShop = inShop.get(id)
      if (ofShop === undefined) inCopy.set(id, ofCopy)
      else if (inShop.delete(id) && ofShop !== ofCopy) differing.push({ id, ofShop, ofCopy })
    }
  }

  try {
    for await (const { data } of stamps.pages()) {
      for (const { id, updatedAt } of data) {
        const ofShop = millisecondsOf(updatedAt)
        const ofCopy = inCopy.get(id)
        if (ofCopy === undefined) inShop.set(id, ofShop)
        else if (inCopy.delete(id) && ofShop !== ofCopy) differing.push({ id, ofShop, ofCopy })
      }
      await readCopy(data.at(-1)?.id ?? '')
    }
    await readCopy(null)
  } finally {
    if (row.done !== true) await rows.return?.()
  }
  const position = updatedAfter === undefined ? (newest ?? Number.POSITIVE_INFINITY) : millisecondsOf(updatedAfter)
  // A row with a later stamp than a given position was read after the polls up to it, maybe after the page of the shop.
  const isJudged = (ofCopy: number) => ofCopy <= position
  return {
    missing: [...inShop].flatMap(([id, ofShop]) => (ofShop < position ? id : [])).sort(),
    gone: [...inCopy].flatMap(([id, ofCopy]) => (isJudged(ofCopy) ? id : [])).sort(),
    stale: differing.flatMap((one) => (one.ofShop < position && isJudged(one.ofCopy) ? one.id : [])).sort(),
  }
}

// As it is now: the map may change while pages are read.
function inOrder(copy: ReadonlyMap<string, Instant>): Iterable<Entry> {
  const ids = [...copy.keys()].sort()
  const stamps = Float64Array.from(ids, (id) => millisecondsOf(copy.get(id) ?? ''))
  return (function* () {
    for (const [index, id] of ids.entries()) yield [id, new Date(stamps[index] ?? 0)]
  })()
}

function millisecondsOf(instant: Instant): number {
  const milliseconds = typeof instant === 'string' ? Date.parse(instant) : instant.getTime()
  if (Number.isNaN(milliseconds)) throw new TypeError(`${JSON.stringify(instant)} is no instant.`)
  return milliseconds
}
