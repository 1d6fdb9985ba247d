// Owns background work that is called when there is something to do: round after round while there is more, then a pause
// that a wake-up ends early. The wake-up is a hint that may be lost; the poll is the floor.
// A round that failed is followed by the whole pause, so that an outage is asked about once a pause and not in a loop.

export type Worker = {
  /** Says that there may be work now. */
  wake(): void
  /** Waits for the round under way, then ends. */
  stop(): Promise<void>
}
/** `round` says whether there may be more to do at once. */
export type WorkerOptions = { pollMs: number; round(): Promise<boolean>; onError(error: unknown): void }

/** Starts working in the background until stopped. */
export function startWorker({ pollMs, round, onError }: WorkerOptions): Worker {
  let isStopped = false
  let isRoused = false
  let rouse: () => void = () => undefined

  function pause(canBeRoused: boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        rouse = () => undefined
        resolve()
      }
      const timer = setTimeout(end, pollMs)
      rouse = () => {
        if (isStopped || canBeRoused) end()
      }
      if (isRoused || isStopped) rouse()
    })
  }

  const loop = (async () => {
    while (!isStopped) {
      isRoused = false
      const outcome = await round().catch((error: unknown) => {
        onError(error)
        return 'failed' as const
      })
      if (outcome !== true) await pause(outcome !== 'failed')
    }
  })()

  return {
    wake() {
      isRoused = true
      rouse()
    },
    async stop() {
      isStopped = true
      rouse()
      await loop
    },
  }
}
