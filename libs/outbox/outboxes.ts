// The outboxes of a service: relays of its messages and events, their metrics, and the days of the event table.
// docs/spec/outboxes.md
import type { ActionName } from '#contracts/actions'
import { EVENTS_TOPIC, type OutboxSchema, outboxTopics } from '#contracts/outbox-messages'
import type { Database } from '#postgres/connect'
import type { ServiceContext } from '#runtime/service'
import { startPeriodic, startWorker, type Worker } from '#runtime/worker-loop'
import { eventOutbox } from './event-outbox.ts'
import { countMissingEventDays, dropEventDays, makeEventDays, measureEvents } from './event-table.ts'
import { countParked } from './failures.ts'
import { measureMessages, messageOutbox } from './messages.ts'
import { startRelay } from './relay.ts'
import { relayLog } from './relay-log.ts'

const HOUSEKEEPING_MS = 3_600_000
const MEASURE_MS = 5_000

type OutboxContext = Pick<ServiceContext, 'call' | 'log' | 'metrics' | 'isRunning'>

/** Starts all relays of a schema. `wake` after a commit sends at once instead of within a second. */
export function startOutboxes(context: OutboxContext, db: Database, schema: OutboxSchema): Worker {
  const { call, log, metrics, isRunning } = context
  const topics: readonly string[] = outboxTopics[schema]
  const hasEvents = topics.includes(EVENTS_TOPIC)
  const hasMessages = topics.some((topic) => topic !== EVENTS_TOPIC)
  const relays: Worker[] = []
  const others: Worker[] = []
  const warn = (message: string) => (error: unknown) => log.warn({ error }, message)
  if (hasMessages) {
    const outbox = messageOutbox((action, message) => call(action as ActionName, message as never))
    relays.push(startRelay({ db, lock: `relay:${schema}`, outbox, log: relayLog(log, schema, isRunning) }))
  }
  if (hasEvents) {
    relays.push(
      startRelay({
        db,
        lock: `event-relay:${schema}`,
        outbox: eventOutbox(call),
        log: relayLog(log, schema, isRunning),
      }),
    )
    // Days are created a week ahead: an hour later is early enough.
    others.push(startWorker({ pollMs: HOUSEKEEPING_MS, round: keepDays, onError: warn('days could not be kept') }))
  }
  others.push(startPeriodic(MEASURE_MS, measure, warn('an outbox could not be measured')))
  return {
    wake() {
      for (const relay of relays) relay.wake()
    },
    async stop() {
      await Promise.all([...relays, ...others].map((worker) => worker.stop()))
    },
  }

  async function keepDays(): Promise<boolean> {
    await makeEventDays(db, new Date())
    await dropEventDays(db, new Date())
    return false
  }

  async function measure(): Promise<void> {
    const waiting = [
      ...(hasMessages ? await measureMessages(db) : []),
      ...(hasEvents ? [{ topic: EVENTS_TOPIC, ...(await measureEvents(db)) }] : []),
    ]
    if (hasEvents) {
      metrics.partitionsMissing.set({ schema, table: 'events' }, await countMissingEventDays(db, new Date()))
    }
    const parked = await countParked(db)
    for (const topic of new Set([...topics, ...waiting.map((one) => one.topic), ...parked.keys()])) {
      const found = waiting.find((one) => one.topic === topic)
      metrics.outboxAge.set({ schema, topic }, found?.age_s ?? 0)
      metrics.outboxLength.set({ schema, topic }, found?.count ?? 0)
      metrics.outboxParked.set({ schema, topic }, parked.get(topic) ?? 0)
    }
  }
}
