// How late this process was, for tests of a time that the specification names: on a busy machine a process gets no processor for
// seconds, and every timer of the product is late by that.

const STEP_MS = 20

/** Counts from now on, until `stop`. */
export function watchLateness(): { ms(): number; stop(): void } {
  let lateMs = 0
  let dueAt = performance.now() + STEP_MS
  const count = () => {
    const now = performance.now()
    if (now < dueAt) return
    lateMs += now - dueAt
    dueAt = now + STEP_MS
  }
  const watch = setInterval(count, STEP_MS)
  return {
    ms() {
      count()
      return lateMs
    },
    stop: () => clearInterval(watch),
  }
}

/** How long the work takes, without what this process was late by. */
export async function punctualMs(work: () => Promise<unknown>): Promise<number> {
  const lateness = watchLateness()
  const began = performance.now()
  try {
    await work()
    return performance.now() - began - lateness.ms()
  } finally {
    lateness.stop()
  }
}
