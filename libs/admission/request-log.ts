// The requests of one gateway that were not answered 2xx, until they are sent to auth (docs/spec/request-log.md#request-log): ten of a shop
// and second, the others as a count. Auth applies the same bound over all gateways.
import type { ActionInput } from '#contracts/actions'
import type { ReportedRequest } from '#contracts/actions/usage'
import { limits } from '#contracts/limits'

// While auth cannot be reached. Above them requests are only counted, and those of further shops and seconds not at all.
const REQUESTS_MAX = 5_000
const SECONDS_MAX = 50_000

type Second = { shop_id: string; second: string; kept: number; count: number }
type Skipped = NonNullable<ActionInput<'usage.record'>['skipped']>[number]
export type RequestLog = {
  add(request: ReportedRequest): void
  /** Returns what was added since the last call. */
  take(): { requests: ReportedRequest[]; skipped: Skipped[] }
}

export function openRequestLog(): RequestLog {
  let requests: ReportedRequest[] = []
  let seconds = new Map<string, Second>()

  return {
    add(request) {
      const second = `${request.at.slice(0, 19)}.000Z`
      const name = `${request.shop_id} ${second}`
      let counts = seconds.get(name)
      if (counts === undefined) {
        if (seconds.size >= SECONDS_MAX) return
        counts = { shop_id: request.shop_id, second, kept: 0, count: 0 }
        seconds.set(name, counts)
      }
      if (counts.kept < limits.requestsKeptPerSecond && requests.length < REQUESTS_MAX) {
        counts.kept += 1
        requests.push(request)
      } else counts.count += 1
    },
    take() {
      const skipped = [...seconds.values()].filter(({ count }) => count > 0)
      const taken = { requests, skipped: skipped.map(({ shop_id, second, count }) => ({ shop_id, second, count })) }
      requests = []
      seconds = new Map()
      return taken
    },
  }
}
