// Durations of calls as counts by bucket, so that those of several gateways can be added: docs/spec/request-log.md#usage. Each bucket
// is a tenth wider than the one before, so a percentile is off by at most 5 %.
const FIRST_MS = 0.5
const GROWTH = 1.1

/** The number of buckets: the last one begins at 110 s. */
export const durationBuckets = 130

/** The bucket of a duration. */
export function bucketOf(ms: number): number {
  if (ms <= FIRST_MS) return 0
  return Math.min(Math.ceil(Math.log(ms / FIRST_MS) / Math.log(GROWTH)), durationBuckets - 1)
}

/** The duration in ms, to a tenth, that `share` of the calls do not exceed; null where no call was counted. */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const calls = counts.reduce((all, count) => all + count, 0)
  if (calls === 0) return null
  let left = share * calls
  const bucket = counts.findIndex((count) => (left -= count) <= 0)
  const ms = bucket === 0 ? FIRST_MS : FIRST_MS * GROWTH ** (bucket - 0.5)
  return Math.round(ms * 10) / 10
}
