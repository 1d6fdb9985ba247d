// A poller of the sync proof: it walks all pages of a list under an `_after` filter, goes on from the largest stamp of the walk, and
// remembers the newest version of each object that it was shown. A walk that a fault cut is begun again from where the last whole one
// ended. docs/spec/integrators.md#sync
import { setTimeout as pause } from 'node:timers/promises'

export type Stamp = 'created' | 'updated'
export type Poller = {
  /** The largest stamp, in milliseconds, that each object was shown with. */
  seen: Map<string, number>
  /** How long each walk of one page took, in milliseconds. */
  walkMs: number[]
  /** Resolves after a walk that began after this call. */
  settle(): Promise<void>
  stop(): Promise<void>
}
type Row = { id: string; createdAt: string; updatedAt: string }
type Page = { data: Row[]; next_cursor: string | null }

const PAUSE_MS = 20
const FAILED_PAUSE_MS = 100
const ANSWER_MS = 15_000

/** Polls until stopped; `urls` are those of the gateways, used in turn. */
export function startPoller(urls: string[], key: string, list: string, stamp: Stamp): Poller {
  const seen = new Map<string, number>()
  const walkMs: number[] = []
  let largest = '1970-01-01T00:00:00.000Z'
  let [turn, walks] = [0, 0]
  let isStopped = false

  async function read(cursor: string | null): Promise<Page> {
    turn += 1
    const query = `${stamp}_after=${largest}&limit=100${cursor === null ? '' : `&cursor=${cursor}`}`
    const response = await fetch(`${urls[turn % urls.length]}/api/v1/${list}?${query}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const text = await response.text()
    if (response.status >= 500) throw new Error(text)
    if (response.status !== 200) throw new TypeError(`A poll was answered with ${response.status}: ${text}`)
    return JSON.parse(text) as Page
  }

  async function walk(): Promise<void> {
    const began = performance.now()
    const rows: Row[] = []
    let cursor: string | null = null
    do {
      const page: Page = await read(cursor)
      rows.push(...page.data)
      cursor = page.next_cursor
    } while (cursor !== null)
    if (rows.length <= 100) walkMs.push(performance.now() - began)
    for (const row of rows) {
      const at = stamp === 'created' ? row.createdAt : row.updatedAt
      if (at > largest) largest = at
      seen.set(row.id, Math.max(seen.get(row.id) ?? 0, Date.parse(at)))
    }
    walks += 1
  }

  async function pollOn(): Promise<void> {
    while (!isStopped) {
      const isWhole = await walk().then(
        () => true,
        (error: unknown) => {
          if (error instanceof TypeError && error.message.startsWith('A poll')) throw error
          return false
        },
      )
      await pause(isWhole ? PAUSE_MS : FAILED_PAUSE_MS)
    }
  }

  const loop = pollOn()
  return {
    seen,
    walkMs,
    async settle() {
      for (const end = walks + 2; walks < end && !isStopped; ) await Promise.race([pause(PAUSE_MS), loop])
    },
    async stop() {
      isStopped = true
      await loop
    },
  }
}
