// What auth measures for its metrics: imports in the background that nobody works on, and missing partitions.
// docs/spec/running.md#metrics
import { Gauge } from 'prom-client'
import type { Database } from '#postgres/connect'
import type { ServiceContext } from '#runtime/service'
import { startPeriodic, type Worker } from '#runtime/worker-loop'
import { countMissingAuditMonths } from './audit/actions.ts'
import { countStalled } from './imports/file-queries.ts'
import { countMissingRequestDays } from './usage/request-queries.ts'

const EVERY_MS = 15_000
const STALLED_MS = 60_000 // Workers look every two seconds, and the lease of an import is shorter.

/** Measures now and every 15 s until stopped. */
export async function startMeasures(
  { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>,
  db: Database,
): Promise<Worker> {
  const stalled = new Gauge({
    name: 'storefront_import_stalled',
    help: 'Shops with a background import that has been queued, or left by its worker, for a minute while none of theirs runs.',
    registers: [metrics.registry],
  })

  async function measure(): Promise<void> {
    const now = new Date()
    stalled.set(await countStalled(db, STALLED_MS))
    const missing = await countMissingRequestDays(db, now)
    for (const [table, count] of [...missing, ['audit_entries', await countMissingAuditMonths(db, now)] as const])
      metrics.partitionsMissing.set({ schema: 'auth', table }, count)
  }

  await measure()
  return startPeriodic(EVERY_MS, measure, (error) =>
    log.warn({ error }, 'imports and partitions could not be measured'),
  )
}
