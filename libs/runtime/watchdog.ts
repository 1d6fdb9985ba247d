// Owns the end of a process that hangs: its event loop has not turned for 3 s, so it answers nobody, and NATS would go on
// giving it its share of the work. A thread beside watches a counter that the loop moves, says one line and kills; whoever
// runs the processes starts another. design/speed.md 2.3, "Against hangs".
// It counts looks, not time: a machine that slept, or a process that was stopped as a whole, is not taken for a hang.
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
