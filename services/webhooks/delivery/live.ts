// Publishes the attempts of watched shops on their live streams: docs/spec/request-log.md#live-stream
import type { EventBody } from '#contracts/objects/webhook-event'
import type { LiveSource } from '#live/source'
import type { Sender } from '../request/attempt.ts'

/** Returns the function that a sender calls after each attempt. */
export function publishAttempts(live: LiveSource): NonNullable<Sender['onAttempt']> {
  return ({ shopId, target, deliveryId, eventId, body, attempt: number, reason, nowMs }, response) => {
    if (!live.isWatched(shopId)) return
    const { status, error, durationMs } = response
    live.tell(shopId, {
      name: 'delivery',
      data: {
        object: 'webhook_attempt',
        number,
        reason,
        at: new Date(nowMs).toISOString(),
        durationMs,
        status,
        error,
        deliveryId,
        endpointId: target.id,
        eventId,
        event: (JSON.parse(body) as EventBody).type,
      },
    })
  }
}
