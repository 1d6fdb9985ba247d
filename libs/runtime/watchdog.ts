// Ends a process whose event loop has been blocked for 3 s: it answers no call, and NATS would go on sending it calls
// (docs/spec/internals.md#watchdog). A thread watches a counter that the event loop increments, writes one line and kills the process; its
// supervisor starts another. The thread counts its own checks, not time, so a suspended machine or process does not count as a hang.
import { url as inspectorUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import type { Watched } from './watchdog-thread.ts'

export type Watchdog = { stop(): void }

const BEAT_MS = 250
const LOOK_MS = 250
const LOOKS = 12

/** Watches this process until stopped; not while a debugger may hold it. */
export function startWatchdog(name: string): Watchdog {
  if (inspectorUrl() !== undefined) return { stop: () => undefined }
  const counter = new SharedArrayBuffer(4)
  const turns = new Int32Array(counter)
  const workerData: Watched = { counter, name, pid: process.pid, lookMs: LOOK_MS, looks: LOOKS }
  const worker = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  worker.unref()
  const beat = setInterval(() => Atomics.add(turns, 0, 1), BEAT_MS)
  beat.unref()
  return {
    stop() {
      clearInterval(beat)
      void worker.terminate()
    },
  }
}
