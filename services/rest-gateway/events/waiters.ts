// Waits for new events of shops (docs/spec/rest-api.md#list-events). One path for all calls of a process: the webhooks
// service broadcasts which shops have new events, as a hint that may be lost, and once a second the positions of all shops with
// waiting calls are asked for together. So a waiting call costs a timer and no question of its own.
import { versionClient } from '#calls/version-client'
import { limits } from '#contracts/limits'
import type { Call } from '#runtime/service'

const POLL_MS = 1_000

type Waiter = { position: number; wake(isNew: boolean): void }

export type EventWaiters = {
  /** The last position of the event log of a shop; calls at the same moment share one question. */
  position(shopId: string): Promise<number>
  /** Resolves with true when the log is beyond the position, with false after so long, at the abort or at the stop. */
  wait(shopId: string, position: number, timeoutMs: number, signal: AbortSignal): Promise<boolean>
  /** Says that these shops have new events. */
  changed(shopIds: readonly string[]): void
  /** Ends all waiting, now and later. */
  stop(): void
}

export function openEventWaiters(call: Call): EventWaiters {
  const shops = new Map<string, Set<Waiter>>()
  const position = versionClient(call, 'events.versions')
  let count = 0
  let poll: NodeJS.Timeout | null = null
  let isStopped = false

  function wake(shopId: string, isNew: (waiter: Waiter) => boolean): void {
    for (const waiter of shops.get(shopId) ?? []) if (isNew(waiter)) waiter.wake(true)
  }

  // A question without an answer is asked again at the next poll.
  function askAll(): void {
    for (const shopId of shops.keys()) {
      void position(shopId).then(
        (last) => wake(shopId, (waiter) => last > waiter.position),
        () => undefined,
      )
    }
  }

  function add(shopId: string, waiter: Waiter): void {
    const own = shops.get(shopId) ?? new Set()
    shops.set(shopId, own.add(waiter))
    count += 1
    poll ??= setInterval(askAll, POLL_MS).unref()
  }

  function remove(shopId: string, waiter: Waiter): void {
    const own = shops.get(shopId)
    if (own?.delete(waiter) !== true) return
    count -= 1
    if (own.size === 0) shops.delete(shopId)
    if (count > 0 || poll === null) return
    clearInterval(poll)
    poll = null
  }

  return {
    position,
    wait(shopId, position, timeoutMs, signal) {
      if (isStopped || signal.aborted || count >= limits.eventWaitersMax) return Promise.resolve(false)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const end = () => waiter.wake(false)
      const timer = setTimeout(end, timeoutMs)
      const waiter: Waiter = {
        position,
        wake(isNew) {
          clearTimeout(timer)
          signal.removeEventListener('abort', end)
          remove(shopId, waiter)
          resolve(isNew)
        },
      }
      signal.addEventListener('abort', end)
      add(shopId, waiter)
      return promise
    },
    changed(shopIds) {
      for (const shopId of shopIds) wake(shopId, () => true)
    },
    stop() {
      isStopped = true
      for (const own of shops.values()) for (const waiter of own) waiter.wake(false)
    },
  }
}
