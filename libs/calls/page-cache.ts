// Owns the pages that a gateway keeps: what a shop asks for again and again while nothing has changed is answered from here,
// once the service has said that it is current. design/speed.md 2.1.3.
//
// Protocol. A page is stored under the version of its list as it was BEFORE the page was read, so it is that version or a
// later one. A call that finds a page kept asks for the version now: when it is the same, nothing has been written between
// that first look and this one, so the page is what would be read. Versions only grow (libs/postgres/page-version.ts), and
// who asks always asks after the call came in: a write that was answered before is seen. When the version cannot be
// had, the page is read as if nothing were kept.
// Calls that wait for a version go in one question, so that many small hops become one. A page is kept from the
// second time that it is asked for: a walk, which asks for every page once, costs nothing more here.
import type { Call } from '#runtime/service'
import type { Metrics } from '#telemetry/metrics'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { ActionInput, ActionName } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import { limits } from '#contracts/limits'
import { openAskedBefore } from './fingerprint-table.ts'

/** The lists whose pages are kept, and who knows their versions. */
const versionsOf = {
  'orders.list': 'orders.versions',
  'products.list': 'products.versions',
  'contacts.list': 'contacts.versions',
} as const satisfies Partial<Record<ActionName, ActionName>>
type List = keyof typeof versionsOf

type Kept = { version: number; body: Buffer }
type Entry = { key: string; kept: Kept | null; currentAt: number }
type Waiter = { resolve(version: number): void; reject(error: unknown): void }

const ENTRY_BYTES = 200 // What an entry takes besides its key and its page, about.
const KEY_LENGTH_MAX = 1_024
const APART_MS_MAX = 6 // Between two questions, so that under load one serves many.
const APART_MS_PER_ROOT = 1.1 // Times the root of how many further calls the last one served: who comes alone waits for nobody.
const GATHER_MS = 20 // A question that hangs holds up those that come after it no longer than this.
const VERSION_MS = 1_000 // Then the page itself is asked for, which has the time of a whole call.

/** Wraps a reading function. `bytesMax` bounds what is kept; `clock` gives milliseconds. */
export function keepPages(
  read: Call,
  call: Call,
  metrics: Pick<Metrics, 'pageCache'>,
  { bytesMax = limits.pagesKeptBytes, clock = () => performance.now() } = {},
): Call {
  const entries = new Map<string, Entry>() // Least recently used first.
  const askedBefore = openAskedBefore()
  const versions = Object.fromEntries(
    Object.entries(versionsOf).map(([list, action]) => [list, gathered(call, action)]),
  ) as Record<List, (shopId: string) => Promise<number>>
  let bytes = 0

  return (name, params, meta = {}) => {
    const { shopId } = meta.caller ?? {}
    if (!isList(name) || shopId === undefined) return read(name, params, meta)
    const key = `${name} ${shopId} ${JSON.stringify(params)}`
    if (key.length > KEY_LENGTH_MAX) return read(name, params, meta)
    return readKept(name, params as ActionInput<List>, meta, { key, shopId })
  }

  async function readKept(name: List, params: ActionInput<List>, meta: CallMeta, { key, shopId }: Place) {
    const entry = use(key)
    if (entry === null) {
      metrics.pageCache.inc({ outcome: 'first' })
      return read(name, params, meta)
    }
    const version = await versions[name](shopId).catch(() => null)
    const { kept } = entry
    if (version !== null && kept?.version === version) {
      metrics.pageCache.inc({ outcome: 'current' })
      entry.currentAt = clock()
      return kept.body
    }
    metrics.pageCache.inc({ outcome: version === null ? 'unknown' : kept === null ? 'second' : 'changed' })
    const body = asBuffer(await read(name, params, meta))
    if (version !== null) keep(entry, version, body)
    return body
  }

  // The entry of a key that was asked for before, now the last to go; null the first time, or when its page was looked at long
  // ago: a version of then proves nothing once a database was set back to a backup.
  function use(key: string): Entry | null {
    const known = entries.get(key)
    const isOld = known !== undefined && clock() - known.currentAt >= limits.pageKeptMs
    if (isOld) drop(known)
    if (isOld || (known === undefined && !askedBefore(key))) return null
    const entry = known ?? { key, kept: null, currentAt: clock() }
    if (known !== undefined) takeOut(known)
    put(entry)
    return entry
  }

  function keep(entry: Entry, version: number, body: Buffer): void {
    if (body.length > bytesMax / 16 || entries.get(entry.key) !== entry || entry.kept?.version === version) return
    drop(entry)
    entry.currentAt = clock()
    entry.kept = { version, body }
    put(entry)
  }

  function put(entry: Entry): void {
    entries.set(entry.key, entry)
    bytes += bytesOf(entry)
    for (const oldest of entries.values()) {
      if (bytes <= bytesMax) return
      drop(oldest)
    }
  }

  function takeOut(entry: Entry): void {
    if (entries.delete(entry.key)) bytes -= bytesOf(entry)
  }

  // Whoever sends the page just now does so to the end; a call that still waits for its version must not find it.
  function drop(entry: Entry): void {
    takeOut(entry)
    entry.kept = null
  }
}

type Place = { key: string; shopId: string }

function isList(name: ActionName): name is List {
  return Object.hasOwn(versionsOf, name)
}

function bytesOf({ key, kept }: Entry): number {
  return ENTRY_BYTES + key.length + (kept?.body.length ?? 0)
}

// Asks for the versions of all shops that wait, in one question. While one is under way the next gathers.
function gathered(call: Call, action: (typeof versionsOf)[List]): (shopId: string) => Promise<number> {
  let waiting = new Map<string, Waiter[]>()
  let isUnderWay = false
  let askedAt = Number.NEGATIVE_INFINITY
  let apartMs = 0

  function send(): void {
    const asked = [...waiting].slice(0, limits.versionsAtOnce)
    waiting = new Map([...waiting].slice(limits.versionsAtOnce))
    askedAt = performance.now()
    const calls = asked.reduce((sum, [, waiters]) => sum + waiters.length, 0)
    apartMs = Math.min(Math.sqrt(calls - 1) * APART_MS_PER_ROOT, APART_MS_MAX)
    let hasGoneOn = false
    const goOn = () => {
      if (!hasGoneOn) sendSoon()
      hasGoneOn = true
    }
    const patience = setTimeout(goOn, GATHER_MS)
    const shopIds = asked.map(([shopId]) => shopId)
    call(action, { shop_ids: shopIds }, { timeoutMs: VERSION_MS })
      .then(
        (answer) => {
          const { versions } = answer as { versions: number[] }
          for (const [index, [, waiters]] of asked.entries()) {
            for (const { resolve } of waiters) resolve(versions[index] ?? Number.NaN) // Equal to nothing.
          }
        },
        (error: unknown) => {
          for (const [, waiters] of asked) for (const { reject } of waiters) reject(error)
        },
      )
      .finally(() => {
        clearTimeout(patience)
        goOn()
      })
  }

  function sendSoon(): void {
    isUnderWay = waiting.size > 0
    if (!isUnderWay) return
    const waitMs = askedAt + apartMs - performance.now()
    if (waitMs > 0) setTimeout(send, waitMs)
    else setImmediate(send)
  }

  return (shopId) =>
    new Promise((resolve, reject) => {
      const waiters = waiting.get(shopId)
      if (waiters !== undefined) waiters.push({ resolve, reject })
      else waiting.set(shopId, [{ resolve, reject }])
      if (!isUnderWay) sendSoon()
    })
}
