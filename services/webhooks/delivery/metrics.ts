// Metrics of the deliveries (docs/spec/webhooks.md#delivery-health): age of the oldest due one, counts by state, attempts by
// outcome. No label names an endpoint, because there may be too many of them.
import { Counter, Gauge, Histogram } from 'prom-client'
import type { Metrics } from '#telemetry/metrics'
import type { Database } from '#postgres/connect'
import type { AttemptResponse } from '#webhook-request/post'
import { countQueue, oldestDueS } from './sweep-queries.ts'

export type DeliveryMetrics = {
  observeAttempt(response: AttemptResponse, outcome: string): void
  setClockOffset(aheadMs: number): void
  /** Reads the queue and sets the gauges. */
  refresh(db: Database): Promise<void>
}

export function openDeliveryMetrics({ registry }: Metrics): DeliveryMetrics {
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
    setClockOffset: (aheadMs) => ahead.set(aheadMs / 1_000),
    async refresh(db) {
      oldest.set(await oldestDueS(db))
      const counts = { waiting: 0, pending: 0, flying: 0, held: 0 }
      for (const { state, count } of await db.transaction(countQueue)) counts[state] = count
      for (const [state, count] of Object.entries(counts)) queue.set({ state }, count)
    },
  }
}
