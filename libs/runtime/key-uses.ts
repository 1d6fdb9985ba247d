// How often a process finds something under a secret that is not SECRET_KEY: as a metric, and reported to auth, where owners read when
// the previous secret was last used. docs/spec/running.md#rotation-of-the-secret-key
import { keyUsesOf, secretIdOf } from '#config/derive-key'
import type { Log } from '#telemetry/log'
import type { Metrics } from '#telemetry/metrics'
import type { Call, Settings } from './service.ts'
import { startPeriodic } from './worker-loop.ts'

export type KeyUses = {
  /** Brings the metric up to date. */
  measure(): void
  stop(): Promise<void>
}

const REPORT_MS = 10_000
const CALL_MS = 5_000

/** Reports while SECRET_KEY_PREVIOUS is set. What a report that failed would have said is in the next one. */
export function openKeyUses(settings: Settings, metrics: Metrics, call: Call, log: Log): KeyUses {
  const measured = countsOf()
  const reported = countsOf()
  const { secretKeyPrevious: previous } = settings
  const onError = (error: unknown) => log.debug({ error }, 'uses of the previous secret key were not reported yet')
  const worker = previous === null ? null : startPeriodic(REPORT_MS, () => report(secretIdOf(previous)), onError)

  async function report(secret_id: string): Promise<void> {
    const sums = new Map<string, number>()
    for (const { source, purpose, uses } of keyUsesOf(settings))
      if (source === 'previous') sums.set(purpose, (sums.get(purpose) ?? 0) + uses)
    const news = [...sums].filter(([purpose, uses]) => uses > reported.get(purpose))
    if (news.length === 0) return
    const uses = news.map(([purpose, sum]) => ({ purpose, uses: sum - reported.get(purpose) }))
    await call('auth.note_key_uses', { secret_id, uses }, { timeoutMs: CALL_MS })
    for (const [purpose, sum] of news) reported.set(purpose, sum)
  }

  return {
    measure() {
      const sums = new Map<string, number>(['next', 'previous', 'kept'].map((which) => [which, 0]))
      for (const { source, uses } of keyUsesOf(settings)) sums.set(source, (sums.get(source) ?? 0) + uses)
      for (const [which, sum] of sums) {
        metrics.secretKeyUses.inc({ which }, sum - measured.get(which))
        measured.set(which, sum)
      }
    },
    async stop() {
      await worker?.stop()
    },
  }
}

function countsOf() {
  const counts = new Map<string, number>()
  return {
    get: (name: string) => counts.get(name) ?? 0,
    set: (name: string, count: number) => void counts.set(name, count),
  }
}
