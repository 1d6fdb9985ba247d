// Counts the calls of API keys by key and minute for the usage graph of the back office (docs/spec/back-office.md#usage). Counts are
// kept in memory and sent to auth every two seconds and at the end. A batch without an answer is sent again under the same id,
// which auth adds once. A gateway that is killed loses two seconds of a graph, never of a budget.
import { randomUUID } from 'node:crypto'
import type { Call } from '#runtime/service'
import type { Caller } from '#contracts/caller'

const EVERY_MS = 2_000
const BATCH_ROWS = 1_000
const ROWS_MAX = 100_000 // While auth cannot be reached; above it calls of further keys are not counted.

type Row = { shop_id: string; key_id: string; minute: string; calls: number; refused: number }
type Batch = { batch_id: string; rows: Row[] }
export type UsageCount = {
  count(caller: Caller, refused: boolean): void
  /** Sends all counts; false when auth did not take them, and they are kept. */
  flush(): Promise<boolean>
  /** Starts sending in the background. */
  start(): void
  stop(): Promise<void>
}
type UsageOptions = { call: Call; nodeId: string; now?: () => number }

/** The usage of one gateway. `now` gives milliseconds since the epoch. */
export function openUsage({ call, nodeId, now = Date.now }: UsageOptions): UsageCount {
  let rows = new Map<string, Row>()
  let unsent: Batch[] = []
  let timer: NodeJS.Timeout | null = null
  let flushing: Promise<boolean> | null = null

  async function flush(): Promise<boolean> {
    if (unsent.length === 0) {
      unsent = batchesOf([...rows.values()])
      rows = new Map()
    }
    for (let batch = unsent[0]; batch !== undefined; batch = unsent[0]) {
      const taken = await call('usage.record', { node: nodeId, ...batch }).then(
        () => true,
        () => false, // The next flush sends the batch again.
      )
      if (!taken) return false
      unsent = unsent.slice(1)
    }
    return true
  }

  // One at a time: two flushes would send the same batch.
  const flushOnce = () => {
    flushing ??= flush().finally(() => {
      flushing = null
    })
    return flushing
  }

  return {
    count({ keyId, shopId }, refused) {
      if (keyId === null) return
      const minute = Math.floor(now() / 60_000)
      const name = `${keyId} ${minute}`
      let row = rows.get(name)
      if (row === undefined) {
        if (rows.size >= ROWS_MAX) return
        const instant = new Date(minute * 60_000).toISOString()
        row = { shop_id: shopId, key_id: keyId, minute: instant, calls: 0, refused: 0 }
        rows.set(name, row)
      }
      row.calls += 1
      if (refused) row.refused += 1
    },
    flush: flushOnce,
    start() {
      timer = setInterval(() => void flushOnce(), EVERY_MS)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
      await flushOnce() // A running flush has only what was counted before it started.
      if (rows.size > 0) await flushOnce()
    },
  }
}

function batchesOf(rows: Row[]): Batch[] {
  const batches: Batch[] = []
  for (let from = 0; from < rows.length; from += BATCH_ROWS) {
    batches.push({ batch_id: randomUUID(), rows: rows.slice(from, from + BATCH_ROWS) })
  }
  return batches
}
