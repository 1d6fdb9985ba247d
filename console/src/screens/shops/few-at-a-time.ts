// Runs calls a few at a time, in the order in which they were asked for.

export type Limited = <Answer>(signal: AbortSignal, call: () => Promise<Answer>) => Promise<Answer>

/** Returns a function that runs a call as soon as fewer than `most` of its calls run. One that is aborted before its turn is not made. */
export function fewAtATime(most: number): Limited {
  let running = 0
  const waiting: (() => void)[] = []
  return async (signal, call) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      signal.throwIfAborted()
      return await call()
    } finally {
      const next = waiting.shift()
      // The next one takes over the place.
      if (next === undefined) running -= 1
      else next()
    }
  }
}
