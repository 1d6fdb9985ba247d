// The imports that a process runs, those whose callers wait and those of the queue.
import type { Stop } from './stop.ts'

export type Running = {
  size(): number
  /** Returns what the work returns. `onStop`: why it ends where the process stops. */
  hold<Result>(ending: AbortController, onStop: Stop, work: Promise<Result>): Promise<Result>
  /** Ends all of them and waits for them. */
  stop(): Promise<void>
}

export function openRunning(): Running {
  // One controller each instead of AbortSignal.any, which holds its sources weakly: a source that is collected after its abort
  // would never be seen.
  const running = new Map<AbortController, { onStop: Stop; work: Promise<unknown> }>()
  return {
    size: () => running.size,
    async hold(ending, onStop, work) {
      running.set(ending, { onStop, work })
      try {
        return await work
      } finally {
        running.delete(ending)
      }
    },
    async stop() {
      for (const [ending, { onStop }] of running) ending.abort(onStop)
      await Promise.allSettled([...running.values()].map(({ work }) => work))
    },
  }
}
