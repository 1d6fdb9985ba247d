// The page cache of a gateway: a page that a shop requests again while nothing has changed is answered from memory, once the service
// has confirmed its version (docs/spec/internals.md#page-cache).
//
// Protocol. A page is cached under the version that its list had BEFORE the page was read, so the page is of that version or a later
// one. A request that finds a cached page asks for the version now. When it is the same, nothing was written in between, so the page
// is what a read would return. Versions only grow (libs/postgres/page-version.ts), and a request asks after it has arrived, so it
// sees every write that was answered before. When the version cannot be had, the page is read as if nothing were cached. A page that
// lacks rows because of the watermark is not cached: the version counts them already (libs/paging/bounded-pages.ts).
// A page is cached from its second request on (fingerprint-table.ts), and read again after an hour: its cursor is signed under the key of
// that time.
import { LRUCache } from 'lru-cache'
import type { ActionInput, ActionName } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import { limits } from '#contracts/limits'
import { isWholePage, type WholePage } from '#contracts/page-result'
import { keepCompressed } from '#http/compression'
import type { Call } from '#runtime/service'
import type { Metrics } from '#telemetry/metrics'
import { openFingerprintTable } from './fingerprint-table.ts'
import { type VersionsAction, versionClient } from './version-client.ts'

/** The cached lists, and the actions that tell their versions. */
const versionsOf = {
  'orders.list': 'orders.versions',
  'products.list': 'products.versions',
  'contacts.list': 'contacts.versions',
} as const satisfies Partial<Record<ActionName, VersionsAction>>
type List = keyof typeof versionsOf

/** `compressedBytes` is what the compressed forms of the body take, which are kept with it. `readAt`: when the body was read. */
type Page = { version: number; body: Buffer; readAt: number; compressedBytes: number }
type Entry = { key: string; page: Page | null; confirmedAt: number }

/** A body is copied where its buffer has more unused bytes than this, since a body keeps its whole buffer in memory. */
const SPARE_BYTES = 64 * 1024
const ENTRY_BYTES = 200 // About what an entry takes besides its key and its page.
const KEY_LENGTH_MAX = 1_024

/** Wraps a read call; it answers what the read does. `bytesMax` bounds the cache; `clock` returns milliseconds. */
export function cachePages(
  read: Call,
  call: Call,
  metrics: Pick<Metrics, 'pageCache'>,
  { bytesMax = limits.pagesKeptBytes, clock = () => performance.now() } = {},
): Call {
  const entries = new LRUCache<string, Entry>({
    maxSize: bytesMax,
    sizeCalculation: bytesOf,
    // A request that still waits for its version must not find the page.
    dispose: (entry) => {
      entry.page = null
    },
  })
  const wasRequested = openFingerprintTable()
  const versions = Object.fromEntries(
    Object.entries(versionsOf).map(([list, action]) => [list, versionClient(call, action)]),
  ) as Record<List, (shopId: string) => Promise<number>>

  return (name, params, meta = {}) => {
    const { shopId } = meta.caller ?? {}
    if (!isList(name) || shopId === undefined) return read(name, params, meta)
    const key = `${name} ${shopId} ${JSON.stringify(params)}`
    if (key.length > KEY_LENGTH_MAX) return read(name, params, meta)
    return readCached(name, params as ActionInput<List>, meta, { key, shopId })
  }

  async function readCached(
    name: List,
    params: ActionInput<List>,
    meta: CallMeta,
    { key, shopId }: { key: string; shopId: string },
  ) {
    const entry = use(key)
    if (entry === null) {
      metrics.pageCache.inc({ outcome: 'first' })
      return read(name, params, meta)
    }
    const version = await versions[name](shopId).catch(() => null)
    const { page } = entry
    if (version !== null && page !== null && isCurrent(page, version)) {
      metrics.pageCache.inc({ outcome: 'current' })
      entry.confirmedAt = clock()
      return { body: page.body, is_final: true } satisfies WholePage
    }
    metrics.pageCache.inc({ outcome: version === null ? 'unknown' : page === null ? 'second' : 'changed' })
    const response = await read(name, params, meta)
    if (version !== null && isWholePage(response) && response.is_final) store(entry, version, response.body)
    return response
  }

  function isCurrent(page: Page, version: number): boolean {
    return page.version === version && clock() - page.readAt < limits.pageReadAgainMs
  }

  // The entry of a key that was requested before, now the last to be evicted; null at the first request, or when the page was confirmed
  // long ago: after a restore of the database an old version number proves nothing.
  function use(key: string): Entry | null {
    const known = entries.get(key)
    const isOld = known !== undefined && clock() - known.confirmedAt >= limits.pageKeptMs
    if (isOld) entries.delete(key)
    if (isOld || (known === undefined && !wasRequested(key))) return null
    if (known !== undefined) return known
    const entry = { key, page: null, confirmedAt: clock() }
    entries.set(key, entry)
    return entry
  }

  function store(entry: Entry, version: number, read: Buffer): void {
    if (read.length > bytesMax / 16 || entries.peek(entry.key) !== entry) return
    if (entry.page !== null && isCurrent(entry.page, version)) return
    const body = read.buffer.byteLength > read.length + SPARE_BYTES ? Buffer.from(read) : read
    entry.confirmedAt = clock()
    setPage(entry, { version, body, readAt: clock(), compressedBytes: 0 })
    keepCompressed(body, (more) => addCompressed(entry, body, more))
  }

  function addCompressed(entry: Entry, body: Buffer, more: number): void {
    const { page } = entry
    if (page?.body === body) setPage(entry, { ...page, compressedBytes: page.compressedBytes + more })
  }

  // The cache takes the size of an entry when it is set.
  function setPage(entry: Entry, page: Page): void {
    entries.delete(entry.key)
    entry.page = page
    entries.set(entry.key, entry)
  }
}

function isList(name: ActionName): name is List {
  return Object.hasOwn(versionsOf, name)
}

function bytesOf({ key, page }: Entry): number {
  return ENTRY_BYTES + key.length + (page === null ? 0 : page.body.length + page.compressedBytes)
}
