// Sends deliveries in the background: claims, attempts, records, until it is stopped.
//
// The delivery protocol (docs/spec/webhooks.md#claim-and-lease, #order-and-duplicates):
//
// States. A delivery that is not done has a row in `queue`. Per endpoint and object, the head of the queue is `pending` and
// later events are `waiting`. A pending delivery is leased while `token` and `lease_until` are set. Every shop with endpoints
// has a row in `schedules`: when it is due next, and the lock under which its queues and endpoints change.
// Steps.
// 1. Claim (claim.ts): one short transaction locks the schedules of a few due shops, records leases that have ended as
//    interrupted, leases due deliveries under a new token and sets when each shop is due next.
// 2. Attempt (request/): one signed request, outside of any transaction.
// 3. Record (record-results.ts): one transaction under the lock of the shop. A result counts only while the row still holds
//    its token. The delivery is then done, or due again after the next wait of the retry schedule (retry.ts); when it is done, the
//    next event of its object becomes the head.
// Wake-ups (`webhooks.due`) are hints; the worker also polls the schedules of the shops.
// Crashes. When a worker dies, its leases end (`leaseS`, 30 s after the claim) and the next claim records these attempts as
// interrupted: from then on the deliveries are due, at the same step of the retry schedule; every third interruption in a row takes
// one step (`interruptionsMax`). Requests that the dead worker had already sent are sent again with the same `webhook-id`. When a worker
// cannot write its result, its lease ends likewise; a late result changes nothing, because its token is gone. A worker that is
// stopped claims no more, finishes or aborts its attempts, and records them.
import type { Database } from '#postgres/connect'
import { startWorker } from '#runtime/worker-loop'
import type { AttemptResponse } from '#webhook-request/post'
import { claim } from './claim.ts'
import type { DeliveryConfig } from './delivery-config.ts'
import type { ClaimedDelivery } from './claim-queries.ts'
import { openPlaces } from './places.ts'
import { listBodies } from './queries.ts'
import type { ResultRecorder } from './record-results.ts'
import { verdictOf } from './retry.ts'
import type { AbortRegistry } from '../request/abort-registry.ts'
import { attempt, type Sender } from '../request/attempt.ts'
import { keyInShop, type LeasedDelivery, type Target } from '../tables.ts'

export type DeliveryWorker = {
  /** Makes the worker look for due deliveries now. */
  wake(): void
  /** Claims no more, and resolves when the attempts under way have been recorded. */
  stop(): Promise<void>
}
export type DeliveryWorkerOptions = {
  db: Database
  config: DeliveryConfig
  sender: Sender
  recorder: ResultRecorder
  abortRegistry: AbortRegistry
  onError(error: unknown): void
  onResponse(response: AttemptResponse, verdict: string): void
  /** Called after each claim with the milliseconds by which this process's clock is ahead of the database's. */
  onClockOffset(aheadMs: number): void
  /** Called after each claim with the seconds for which each shop that was served had been due. */
  onWaits(waitsS: number[]): void
}
/** The database's clock at a moment of this process's monotonic clock. */
type ClockReading = { nowMs: number; readAt: number }

export function startDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { db, config, onError } = options
  const underWay = new Set<Promise<void>>()
  const places = openPlaces(config)

  async function round(): Promise<boolean> {
    if (places.free() <= 0) return false // The next recorded result wakes the loop.
    const { deliveries, targets, nowMs, isMore, waitsS } = await claim(db, config, places)
    options.onWaits(waitsS)
    if (deliveries.length === 0) return isMore
    const clock = { nowMs, readAt: performance.now() }
    options.onClockOffset(Date.now() - nowMs)
    const bodies = await listBodies(db, deliveries)
    for (const delivery of deliveries) {
      const { shop_id, endpoint_id, event_id } = delivery
      begin(delivery, targets.get(keyInShop(shop_id, endpoint_id)), bodies.get(keyInShop(shop_id, event_id)), clock)
    }
    return isMore
  }

  function begin(
    delivery: ClaimedDelivery,
    target: Target | undefined,
    body: string | undefined,
    clock: ClockReading,
  ): void {
    const place = places.take(delivery)
    const recorded = options.abortRegistry
      .run(delivery.endpoint_id, (signal) => deliver(options, delivery, target, body, clock, signal))
      .catch((error: unknown) => {
        onError(error)
        return { isDue: true, isFailure: null }
      })
      .then(({ isDue, isFailure }) => {
        const wasShort = place.release(isFailure)
        underWay.delete(recorded)
        if (isDue || wasShort) loop.wake()
      })
    underWay.add(recorded)
  }

  const loop = startWorker({ pollMs: config.pollMs, round, onError })
  return {
    wake: () => loop.wake(),
    async stop() {
      const timeout = setTimeout(() => options.abortRegistry.abortAll(), config.stopMs)
      await loop.stop()
      await Promise.all(underWay)
      clearTimeout(timeout)
    },
  }
}

/** `isDue`: the shop has another delivery due now. `isFailure`: null where no attempt was made or it was interrupted. */
type Delivered = { isDue: boolean; isFailure: boolean | null }

async function deliver(
  { config, sender, recorder, onResponse }: DeliveryWorkerOptions,
  delivery: LeasedDelivery,
  target: Target | undefined,
  body: string | undefined,
  clock: ClockReading,
  signal: AbortSignal,
): Promise<Delivered> {
  // Deleting an endpoint waits only for attempts that begin within `beginMs` of their claim.
  const isLate = performance.now() - clock.readAt > config.beginMs
  if (target === undefined || body === undefined || isLate)
    return { isDue: await recorder.release(delivery), isFailure: null }
  const nowMs = () => clock.nowMs + performance.now() - clock.readAt
  const response = await attempt(sender, {
    shopId: delivery.shop_id,
    deliveryId: delivery.id,
    eventId: delivery.event_id,
    target,
    body,
    attempt: delivery.attempt,
    reason: delivery.reason,
    nowMs: nowMs(),
    signal,
  })
  const verdict = verdictOf(response, config, nowMs())
  const { kind } = verdict
  onResponse(response, kind)
  const isDue = await recorder.record({ delivery, response, verdict, chance: Math.random() })
  return { isDue, isFailure: kind === 'interrupted' ? null : kind !== 'delivered' }
}
