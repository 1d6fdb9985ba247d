// Metrics of the deliveries (docs/spec/webhooks.md#delivery-health): age of the oldest due one, counts by state, attempts by
// outcome, disabled endpoints, missing partitions. No label names an endpoint, because there may be too many of them.
import { Counter, Gauge, Histogram } from 'prom-client'
import { disabledReasons } from '#contracts/objects/webhook'
import type { Metrics } from '#telemetry/metrics'
import type { Database } from '#postgres/connect'
import type { AttemptResponse } from '#webhook-request/post'
import { countDisabled } from '../endpoints/queries.ts'
import { countMissingDays } from '../events/store.ts'
import { countQueue, oldestDueS } from './sweep-queries.ts'

export type DeliveryMetrics = {
  observeAttempt(response: AttemptResponse, outcome: string): void
  observeWaits(waitsS: number[]): void
  setClockOffset(aheadMs: number): void
  /** Reads the queue and sets the gauges. */
  refresh(db: Database): Promise<void>
}

export function openDeliveryMetrics({ registry, partitionsMissing }: Metrics): DeliveryMetrics {
  const registers = [registry]
  const attempts = new Counter({
    name: 'storefront_webhook_attempts_total',
    help: 'Attempts by outcome, and by error class or status class.',
    labelNames: ['outcome', 'answer'],
    registers,
  })
  const seconds = new Histogram({
    name: 'storefront_webhook_attempt_seconds',
    help: 'Duration of attempts in seconds.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 17],
    registers,
  })
  const waits = new Histogram({
    name: 'storefront_webhook_wait_seconds',
    help: 'How long a shop with a delivery that could be sent waited for a worker, in seconds.',
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  })
  const disabled = new Gauge({
    name: 'storefront_webhook_endpoints_disabled',
    help: 'Endpoints that are disabled, by reason: manual, gone (the receiver answered 410), failing (for five days).',
    labelNames: ['reason'],
    registers,
  })
  const oldest = new Gauge({
    name: 'storefront_webhook_oldest_due_seconds',
    help: 'Age of the oldest due delivery of an endpoint that is enabled and not paused.',
    registers,
  })
  const queue = new Gauge({
    name: 'storefront_webhook_queue',
    help: 'Deliveries that are not done, by state: waiting (behind another event of their object), pending, flying (leased for an attempt), held.',
    labelNames: ['state'],
    registers,
  })
  const ahead = new Gauge({
    name: 'storefront_webhook_clock_ahead_seconds',
    help: 'Seconds by which the clock of this process is ahead of the database.',
    registers,
  })
  return {
    observeAttempt({ status, error, durationMs }, outcome) {
      attempts.inc({ outcome, answer: error ?? `${Math.floor((status ?? 0) / 100)}xx` })
      seconds.observe(durationMs / 1_000)
    },
    observeWaits(waitsS) {
      for (const seconds of waitsS) waits.observe(seconds)
    },
    setClockOffset: (aheadMs) => ahead.set(aheadMs / 1_000),
    async refresh(db) {
      oldest.set(await oldestDueS(db))
      const counts = { waiting: 0, pending: 0, flying: 0, held: 0 }
      for (const { state, count } of await db.transaction(countQueue)) counts[state] = count
      for (const [state, count] of Object.entries(counts)) queue.set({ state }, count)
      const off = new Map(disabledReasons.map((reason) => [reason, 0]))
      for (const { reason, count } of await db.transaction(countDisabled)) off.set(reason, count)
      for (const [reason, count] of off) disabled.set({ reason }, count)
      for (const [table, count] of await countMissingDays(db, new Date()))
        partitionsMissing.set({ schema: 'webhooks', table }, count)
    },
  }
}
