// Owns work that comes again and again in the background: one round at a time, and a stop that waits for the one under way.

export type Rounds = { stop(): Promise<void> }

/** Works every so many milliseconds until stopped; a round that fails is told and the next one comes as usual. */
export function startRounds(everyMs: number, work: () => Promise<void>, onError: (error: unknown) => void): Rounds {
  let underWay: Promise<void> | null = null
  const timer = setInterval(() => {
    underWay ??= work()
      .catch(onError)
      .finally(() => {
        underWay = null
      })
  }, everyMs)
  return {
    async stop() {
      clearInterval(timer)
      await underWay
    },
  }
}
