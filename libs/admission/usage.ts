// Reports the calls of API keys to auth: counts for the usage of the back office (docs/spec/request-log.md#usage) and the requests
// that were not answered 2xx (docs/spec/request-log.md#request-log). Both are kept in memory and sent every two seconds and at the end, off the
// path of the answers. A batch without an answer is sent again under the same id, which auth adds once. A batch that auth refuses
// is dropped, and so is one of requests that failed thirty times, for about a minute, while auth and its database were there: the others
// must not wait for it. A gateway that is killed loses what it had not sent, two seconds of it, never of a budget.
import { randomUUID } from 'node:crypto'
import type { ActionInput } from '#contracts/actions'
import type { ReportedRequest } from '#contracts/actions/usage'
import type { Call } from '#runtime/service'
import { isOutage } from '#calls/outage'
import { refusalCode } from '#contracts/errors'
import type { Log } from '#telemetry/log'
import { type AnswerCounts, openAnswerCounts } from './answer-counts.ts'
import { openRequestLog } from './request-log.ts'

const EVERY_MS = 2_000
// So that a batch stays well below the bound of a message: a row has up to 1 KB.
const BATCH_ROWS = 200
const BATCH_SKIPPED = 1_000
const FAILURES_MAX = 30

type Batch = Omit<ActionInput<'usage.record'>, 'node'>
export type UsageCount = {
  /** Counts a call of a key. */
  count: AnswerCounts['count']
  /** Takes a request that was not answered 2xx. */
  log(request: ReportedRequest): void
  /** Sends all counts; false when auth did not take them, and they are kept. */
  flush(): Promise<boolean>
  /** Starts sending in the background. */
  start(): void
  stop(): Promise<void>
}
type UsageOptions = { call: Call; nodeId: string; log: Log; now?: () => number }

/** The usage of one gateway. `now` returns milliseconds since the epoch. */
export function openUsage({ call, nodeId, log, now = Date.now }: UsageOptions): UsageCount {
  const counts = openAnswerCounts(now)
  const requestLog = openRequestLog()
  let unsent: Batch[] = []
  let failures = 0 // Of the first batch.
  let timer: NodeJS.Timeout | null = null
  let flushing: Promise<boolean> | null = null

  function takeBatches(): Batch[] {
    const { requests, skipped } = requestLog.take()
    return [
      ...chunks(counts.take(), BATCH_ROWS).map((rows) => ({ rows })),
      ...chunks(requests, BATCH_ROWS).map((some) => ({ rows: [], requests: some })),
      ...chunks(skipped, BATCH_SKIPPED).map((some) => ({ rows: [], skipped: some })),
    ].map((batch) => ({ batch_id: randomUUID(), ...batch }))
  }

  async function flush(): Promise<boolean> {
    if (unsent.length === 0) unsent = takeBatches()
    for (let batch = unsent[0]; batch !== undefined; batch = unsent[0]) {
      try {
        await call('usage.record', { node: nodeId, ...batch })
      } catch (error) {
        if (!isHopeless(batch, error)) return false // The next flush sends the batch again.
        log.error({ error, dropped: batch.rows.length + (batch.requests?.length ?? 0) }, 'a batch of usage is dropped')
      }
      unsent = unsent.slice(1)
      failures = 0
    }
    return true
  }

  // Counts are ids and numbers, which a database that is there takes; requests hold text.
  function isHopeless({ requests }: Batch, error: unknown): boolean {
    if (refusalCode(error) === 'invalid_request') return true
    if (!isOutage(error)) failures += 1
    return requests !== undefined && failures >= FAILURES_MAX
  }

  // One at a time: two flushes would send the same batch.
  const flushOnce = () => {
    flushing ??= flush().finally(() => {
      flushing = null
    })
    return flushing
  }

  return {
    count: counts.count,
    log: requestLog.add,
    flush: flushOnce,
    start() {
      timer = setInterval(() => void flushOnce(), EVERY_MS)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
      // A running flush has only what was counted before it started.
      if (await flushOnce()) await flushOnce()
    },
  }
}

function chunks<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}
