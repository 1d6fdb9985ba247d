// A poller of the sync proof: it walks all pages of a list under an `_after` filter, goes on from the largest stamp of the walk, and
// remembers the newest version of each object that it was shown. A walk that a fault cut is begun again from where the last whole one
// ended. docs/spec/sync.md#promise
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../client.ts'
import { rest } from '../operations.ts'

export type Stamp = 'created' | 'updated'
export type Poller = {
  stamp: Stamp
  /** The largest stamp, in milliseconds, that each object was shown with. */
  seen: Map<string, number>
  /** How long each walk of one page took, in milliseconds. */
  walkMs: number[]
  /** Resolves after a walk that began after this call, and ends it. */
  finish(): Promise<void>
}
type Row = { id: string; createdAt: string; updatedAt: string }
type Page = { data: Row[]; next_cursor: string | null }

const PAUSE_MS = 20
const FAILED_PAUSE_MS = 100

/** Polls until it is to finish, from the beginning or from what was `seen` before. A refusal ends the program. */
export function startPoller(
  client: Client,
  key: string,
  list: string,
  stamp: Stamp,
  seen = new Map<string, number>(),
): Poller {
  const walkMs: number[] = []
  let largest = new Date([...seen.values()].reduce((one, other) => Math.max(one, other), 0)).toISOString()
  let walks = 0
  let walksWanted = Number.POSITIVE_INFINITY
  const loop = pollOn()

  async function pollOn(): Promise<void> {
    while (walks < walksWanted) await sleep((await walk()) ? PAUSE_MS : FAILED_PAUSE_MS)
  }

  /** Whether the walk was whole. */
  async function walk(): Promise<boolean> {
    const began = performance.now()
    const rows: Row[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = `${stamp}_after=${largest}&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`
      const answer = await client.send(rest('GET', `/${list}?${query}`, key)).catch(() => null)
      if (answer === null || answer.status >= 500) return false
      if (answer.status !== 200) throw new Error(`A poll was answered with ${answer.status}: ${answer.text}`)
      const page = JSON.parse(answer.text) as Page
      rows.push(...page.data)
      cursor = page.next_cursor
    }
    if (rows.length <= 100) walkMs.push(performance.now() - began)
    for (const row of rows) {
      const at = stamp === 'created' ? row.createdAt : row.updatedAt
      if (at > largest) largest = at
      seen.set(row.id, Math.max(seen.get(row.id) ?? 0, Date.parse(at)))
    }
    walks += 1
    return true
  }

  return {
    stamp,
    seen,
    walkMs,
    finish() {
      walksWanted = walks + 2
      return loop
    },
  }
}
