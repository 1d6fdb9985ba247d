// The thread of watchdog.ts; it shares only a counter with the event loop that it watches. The kernel drops signals from inside a
// container to its first process, SIGKILL included, so after a signal without effect this thread asks for an init.
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

export type Watched = { counter: SharedArrayBuffer; name: string; pid: number; lookMs: number; looks: number }

const STDERR = 2
const { counter, name, pid, lookMs, looks } = workerData as Watched
const turns = new Int32Array(counter)
let seen = -1
let still = 0

const look = setInterval(() => {
  const now = Atomics.load(turns, 0)
  still = now === seen ? still + 1 : 0
  seen = now
  if (still < looks) return
  writeSync(STDERR, `${name}: the event loop stands still for ${(looks * lookMs) / 1_000} s; the process ends itself\n`)
  process.kill(pid, 'SIGKILL')
  clearInterval(look)
  writeSync(
    STDERR,
    `${name}: it is the first process of its container, which cannot end itself: start it below an init\n`,
  )
}, lookMs)
