// Owns what of the deliveries is measured: how old the oldest due one is, how many there are by state, what attempts came to.
// states-and-events.md 8.6; run.md, "Watching". No label names an endpoint: there are too many, and they are the shops'.
import { Counter, Gauge, Histogram } from 'prom-client'
import type { Metrics } from '#telemetry/metrics'
import type { Database } from '#postgres/connect'
import { countQueue, oldestDueS } from './queue-queries.ts'
import type { Answer } from './retry.ts'

export type Measures = {
  answered(answer: Answer, outcome: string): void
  clock(aheadMs: number): void
  /** Asks the database and sets the gauges. */
  look(db: Database): Promise<void>
}

export function openMeasures({ registry }: Metrics): Measures {
  const registers = [registry]
  const attempts = new Counter({
    name: 'storefront_webhook_attempts_total',
    help: 'Attempts by outcome, and by error class or status class.',
    labelNames: ['outcome', 'answer'],
    registers,
  })
  const seconds = new Histogram({
    name: 'storefront_webhook_attempt_seconds',
    help: 'How long attempts take.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 17],
    registers,
  })
  const oldest = new Gauge({
    name: 'storefront_webhook_oldest_due_seconds',
    help: 'Age of the oldest delivery that is due at an endpoint that is on and not paused.',
    registers,
  })
  const queue = new Gauge({
    name: 'storefront_webhook_queue',
    help: 'Deliveries not done yet, by state: waiting, pending, flying, held.',
    labelNames: ['state'],
    registers,
  })
  const ahead = new Gauge({
    name: 'storefront_webhook_clock_ahead_seconds',
    help: 'How far the clock of this process is ahead of the database.',
    registers,
  })
  return {
    answered({ status, error, durationMs }, outcome) {
      attempts.inc({ outcome, answer: error ?? `${Math.floor((status ?? 0) / 100)}xx` })
      seconds.observe(durationMs / 1_000)
    },
    clock: (aheadMs) => ahead.set(aheadMs / 1_000),
    async look(db) {
      oldest.set(await oldestDueS(db))
      const counts = { waiting: 0, pending: 0, flying: 0, held: 0 }
      for (const { state, count } of await db.transaction(countQueue)) counts[state] = count
      for (const [state, count] of Object.entries(counts)) queue.set({ state }, count)
    },
  }
}
