// The log lines of a relay: each trouble once, with a count, instead of a line for each attempt. docs/spec/outboxes.md#refused-messages
import type { Log } from '#telemetry/log'
import type { RelayLog } from './relay.ts'

const REMIND_MS = 60_000

/**
 * Lines name the message; an outage gets a line when it begins, one a minute, and one when it ends. While the process starts or
 * stops, its receivers may not be there: that is no outage, and the messages are sent when all of them run.
 */
export function relayLog(log: Log, schema: string, isRunning = () => true): RelayLog {
  let stall: { count: number; sinceMs: number; saidAtMs: number } | null = null
  return {
    failed({ topic, row, failures, isParked, error }) {
      const message = { schema, topic, message_id: row.id, shop_id: row.shop_id }
      if (failures === 1) log.warn({ ...message, error }, 'a message was refused; it is tried again')
      if (isParked) log.error({ ...message, count: failures }, 'a message was refused too often and is parked')
    },
    recovered({ topic, row, failures }) {
      const message = { schema, topic, message_id: row.id, shop_id: row.shop_id }
      log.info({ ...message, count: failures }, 'a message that was refused before is accepted')
    },
    stalled(error) {
      if (!isRunning()) return
      const nowMs = performance.now()
      if (stall === null) {
        stall = { count: 1, sinceMs: nowMs, saidAtMs: nowMs }
        log.warn({ schema, error }, 'messages cannot be handed over and wait')
        return
      }
      stall.count += 1
      if (nowMs - stall.saidAtMs < REMIND_MS) return
      stall.saidAtMs = nowMs
      log.warn({ schema, count: stall.count }, 'messages still wait')
    },
    flowing() {
      if (stall === null) return
      const { count, sinceMs } = stall
      log.info(
        { schema, count, duration_ms: Math.round(performance.now() - sinceMs) },
        'messages are handed over again',
      )
      stall = null
    },
  }
}
