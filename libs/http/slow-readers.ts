// Cuts answers whose readers are too slow, so that what waits for them stays bounded (docs/spec/rest-api.md#unread-answers). Every answer of a
// server is watched; an answer that is more than its connection takes at once says what else it holds in memory.
import type { ServerResponse } from 'node:http'
import { limits } from '#contracts/limits'
import type { Log } from '#telemetry/log'
import type { Metrics } from '#telemetry/metrics'

export type SlowReaders = {
  /** Watches an answer until it is forgotten, which its server does when it is closed. */
  watch(response: ServerResponse): void
  forget(response: ServerResponse): void
  /**
   * Counts what an answer holds besides what was handed to its connection. `owner` is whose bound it counts for, null for that of the
   * process only.
   */
  hold(response: ServerResponse, owner: string | null, held: () => number): void
  stop(): void
}
export type Cut = 'stalled' | 'key' | 'process'
type Holding = { owner: string | null; held(): number }
type Progress = { taken: number; at: number }

/** Milliseconds and bytes. */
const bounds: Record<'stalledMs' | 'freeBytes' | 'ownerBytes' | 'processBytes' | 'allBytes' | 'everyMs', number> = {
  stalledMs: limits.unreadMs,
  freeBytes: limits.answerFreeBytes,
  ownerBytes: limits.unreadBytesPerKey,
  processBytes: limits.unreadBytesMax,
  allBytes: limits.unreadBytesAll,
  everyMs: 1_000,
}

/** Watches the answers of a gateway, and says in its log and metrics which were cut. */
export function openReaders({ log, metrics }: { log: Log; metrics: Metrics }): SlowReaders {
  return watchReaders((response, because) => {
    metrics.answersCut.inc({ because })
    log.warn(
      { request_id: String(response.getHeader('x-request-id')), because },
      'an answer was cut: its reader is too slow',
    )
  })
}

/** `onCut` is told why an answer was cut, before it is; `given` replaces bounds in tests. */
export function watchReaders(
  onCut: (response: ServerResponse, reason: Cut) => void,
  given: Partial<typeof bounds> = {},
): SlowReaders {
  const { stalledMs, freeBytes, ownerBytes, processBytes, allBytes, everyMs } = { ...bounds, ...given }
  const answers = new Set<ServerResponse>()
  const holdings = new Map<ServerResponse, Holding>()
  const progress = new Map<ServerResponse, Progress>() // Of answers that wait for their readers, since the last time they moved.
  const timer = setInterval(check, everyMs)
  timer.unref()

  const waitingOf = (response: ServerResponse) => response.writableLength + (holdings.get(response)?.held() ?? 0)
  const countedOf = (response: ServerResponse) => Math.max(0, waitingOf(response) - freeBytes)

  function check(): void {
    for (const response of answers) noteProgress(response)
    for (const [response, { at }] of progress) if (performance.now() - at >= stalledMs) cut(response, 'stalled')
    enforceBounds()
    cutDownTo(allBytes, [...answers], waitingOf, 'process')
  }

  // An answer without a socket waits for the one before it on its connection, which is watched itself.
  function noteProgress(response: ServerResponse): void {
    const { socket } = response
    if (socket === null || waitingOf(response) === 0) return void progress.delete(response)
    const taken = socket.bytesWritten - socket.writableLength
    if (progress.get(response)?.taken !== taken) progress.set(response, { taken, at: performance.now() })
  }

  function enforceBounds(): void {
    const holding = [...holdings.keys()]
    const owners = new Set([...holdings.values()].map(({ owner }) => owner).filter((owner) => owner !== null))
    for (const owner of owners) {
      const own = holding.filter((response) => holdings.get(response)?.owner === owner)
      cutDownTo(ownerBytes, own, countedOf, 'key')
    }
    cutDownTo(processBytes, holding, countedOf, 'process')
  }

  function cutDownTo(
    bytesMax: number,
    among: ServerResponse[],
    bytesOf: (one: ServerResponse) => number,
    why: Cut,
  ): void {
    let sum = among.reduce((all, one) => all + bytesOf(one), 0)
    if (sum <= bytesMax) return
    const lastMoved = (one: ServerResponse) => progress.get(one)?.at ?? Number.POSITIVE_INFINITY
    for (const slowest of among.toSorted((one, other) => lastMoved(one) - lastMoved(other))) {
      if (sum <= bytesMax) return
      sum -= bytesOf(slowest)
      cut(slowest, why)
    }
  }

  function cut(response: ServerResponse, reason: Cut): void {
    onCut(response, reason)
    forget(response)
    response.destroy()
  }

  function forget(response: ServerResponse): void {
    answers.delete(response)
    holdings.delete(response)
    progress.delete(response)
  }

  return {
    watch: (response) => void answers.add(response),
    forget,
    hold(response, owner, held) {
      if (!answers.has(response)) return // It was closed meanwhile.
      holdings.set(response, { owner, held })
      enforceBounds()
    },
    stop: () => clearInterval(timer),
  }
}
