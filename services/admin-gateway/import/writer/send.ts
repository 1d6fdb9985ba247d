// Sends batches of one kind to the service that owns it. Each batch has a name that follows from the import and the batch's number, so a
// repeated import asks with the same names and gets the same results (docs/spec/imports.md#identity-and-re-import).
import { hash } from 'node:crypto'
import type { Call } from '#runtime/service'
import type { ActionName } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import { type ImportResult, importResults } from '#contracts/actions/import-result'
import type { SealedItem } from '../reader/sealed-item.ts'

export type SendOptions = { call: Call; meta: CallMeta; importId: string; source: string; dryRun: boolean }
export type Sending = {
  action: ActionName
  /** The param with the objects. */
  list: string
  /** Answers about those objects that are known by their fingerprint; null where the service has no such action. */
  unchanged: ActionName | null
  /** The objects as the service takes them, asked for only where they must be sent. */
  contentsOf(items: SealedItem[]): Promise<object[]>
}
/** Returns the results in the order of the items. */
export type Send = (items: SealedItem[]) => Promise<ImportResult[]>

export function openSend(options: SendOptions, { action, list, unchanged, contentsOf }: Sending): Send {
  const { call, meta, importId, source, dryRun } = options
  let number = 0
  // A file that is imported again has whole batches that are unchanged; a new one has none.
  let asksFirst = false

  async function ask(name: ActionName, params: object): Promise<Map<string, ImportResult>> {
    const answer = await call(name, { source, ...params } as never, meta)
    return new Map(importResults.parse(answer).results.map((result) => [result.key, result]))
  }

  return async (items) => {
    number += 1
    // Named outside of the retry: the services answer a repeated batch with the same results.
    const batch = batchName(importId, action, number)
    const keys = items.map(({ key, only_create, fingerprint }) => ({ key, only_create, fingerprint }))
    const isEachOnce = new Set(items.map(({ key }) => key)).size === items.length
    const known =
      asksFirst && isEachOnce && unchanged !== null ? await ask(unchanged, { batch, [list]: keys }) : new Map()
    const rest = known.size === 0 ? items : items.filter(({ key }) => !known.has(key))
    const results = rest.length === 0 ? new Map<string, ImportResult[]>() : await sendAll(batch, rest)
    if (unchanged !== null) asksFirst = known.size > 0 || [...results.values()].some(isUnchanged)
    const left = new Map(results) // A dry run may have a key twice.
    return items.map(({ key }) => {
      const [first, ...others] = left.get(key) ?? []
      if (others.length > 0) left.set(key, others)
      const result = known.get(key) ?? first
      if (result === undefined) throw new Error(`${action} did not answer about every object.`)
      return result as ImportResult
    })
  }

  async function sendAll(batch: string, items: SealedItem[]) {
    const params = { source, batch, dry_run: dryRun, [list]: await contentsOf(items) }
    const answer = await call(action, params as never, meta)
    return Map.groupBy(importResults.parse(answer).results, ({ key }) => key)
  }
}

/** A UUID that is the same for the same batch of the same import (RFC 9562, version 8). */
export function batchName(importId: string, action: string, number: number): string {
  const hex = hash('sha256', JSON.stringify([importId, action, number]), 'hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

function isUnchanged(results: ImportResult[]): boolean {
  return results.some(({ outcome }) => outcome === 'unchanged')
}
