// The loop of everything that works in the background: round after round while there is more to do, then a sleep that a
// wake-up ends early. A wake-up is a hint that may be lost, so the loop also polls. One during a round starts the next at once.
// A round that failed is followed by the whole sleep, so that an outage does not cause a fast loop of attempts.

export type Worker = {
  /** Says that there may be work now. */
  wake(): void
  /** Ends the loop; resolves when the round under way has ended. */
  stop(): Promise<void>
}
export type WorkerOptions = {
  pollMs: number
  /** Returns whether there may be more to do at once, or after how many milliseconds to look again. */
  round(): Promise<boolean | number>
  onError(error: unknown): void
  /** Whether the loop begins with a sleep. */
  sleepFirst?: boolean
}

/** Works in the background until stopped. */
export function startWorker({ pollMs, round, onError, sleepFirst = false }: WorkerOptions): Worker {
  let isStopped = false
  let isWoken = false
  let endSleep: (() => void) | null = null

  async function sleep(canBeWoken: boolean, sleepMs = pollMs): Promise<void> {
    if (isStopped || (canBeWoken && isWoken)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, sleepMs)
    endSleep = () => {
      if (isStopped || canBeWoken) resolve()
    }
    await promise
    clearTimeout(timer)
    endSleep = null
  }

  const loop = (async () => {
    if (sleepFirst) await sleep(true)
    while (!isStopped) {
      isWoken = false
      const outcome = await round().catch((error: unknown) => {
        onError(error)
        return 'failed' as const
      })
      if (outcome !== true) await sleep(outcome !== 'failed', typeof outcome === 'number' ? outcome : pollMs)
    }
  })()

  return {
    wake() {
      isWoken = true
      endSleep?.()
    },
    async stop() {
      isStopped = true
      endSleep?.()
      await loop
    },
  }
}

/** Works once in so many milliseconds until stopped, first after one such sleep. */
export function startPeriodic(everyMs: number, work: () => Promise<void>, onError: (error: unknown) => void): Worker {
  const round = async () => {
    await work()
    return false
  }
  return startWorker({ pollMs: everyMs, round, onError, sleepFirst: true })
}
