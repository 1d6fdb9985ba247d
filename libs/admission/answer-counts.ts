// Counts the calls of API keys by key and minute, with the status of their answers and how long they took
// (docs/spec/request-log.md#usage).
import type { ReportedUsage } from '#contracts/actions/usage'
import { bucketOf } from '#contracts/duration-buckets'

const ROWS_MAX = 100_000 // While auth cannot be reached; above it calls of further keys are not counted.

type Counts = Required<ReportedUsage>
type Answer = { status: number; durationMs: number }
export type AnswerCounts = {
  /** `isAgent`: the id is that of a grant. */
  count(shopId: string, keyId: string, answer: Answer, isMcp?: boolean, isAgent?: boolean): void
  /** Returns the counts and begins anew. */
  take(): ReportedUsage[]
}

/** `now` returns milliseconds since the epoch. */
export function openAnswerCounts(now: () => number): AnswerCounts {
  let rows = new Map<string, Counts>()

  function rowOf(shopId: string, keyId: string, isAgent: boolean): Counts | undefined {
    const minute = Math.floor(now() / 60_000)
    const name = `${keyId} ${minute}`
    const found = rows.get(name)
    if (found !== undefined || rows.size >= ROWS_MAX) return found
    const row: Counts = {
      shop_id: shopId,
      key_id: keyId,
      is_agent: isAgent,
      minute: new Date(minute * 60_000).toISOString(),
      calls: 0,
      mcp_calls: 0,
      refused: 0,
      answers_2xx: 0,
      answers_4xx: 0,
      answers_5xx: 0,
      durations: [],
    }
    rows.set(name, row)
    return row
  }

  return {
    count(shopId, keyId, { status, durationMs }, isMcp = false, isAgent = false) {
      const row = rowOf(shopId, keyId, isAgent)
      if (row === undefined) return
      row.calls += 1
      if (isMcp) row.mcp_calls += 1
      if (status === 429) row.refused += 1
      else if (status >= 500) row.answers_5xx += 1
      else if (status >= 400) row.answers_4xx += 1
      else row.answers_2xx += 1
      const bucket = bucketOf(durationMs)
      while (row.durations.length <= bucket) row.durations.push(0)
      row.durations[bucket] = (row.durations[bucket] ?? 0) + 1
    },
    take() {
      const taken = [...rows.values()]
      rows = new Map()
      return taken
    },
  }
}
