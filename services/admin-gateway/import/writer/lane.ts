// The calls of one action that an import has under way: at most so many at once, and none beside another one that has a name in common
// with it, because the order of their objects counts. Answers are taken in the order of the batches.

export type Lane = {
  /**
   * Begins the call when its turn has come, and resolves when `take` is done with the answer: after the answers of all earlier
   * batches. Rejects as the call does; where an earlier one failed, with its error and without a call.
   */
  run<Answer>(names: Iterable<string>, call: () => Promise<Answer>, take: (answer: Answer) => void): Promise<void>
}

export function openLane(callsMax: number): Lane {
  const underWay = new Map<Promise<void>, Set<string>>()
  let begun: Promise<unknown> = Promise.resolve() // Settles when the last call has begun.
  let taken: Promise<unknown> = Promise.resolve() // Settles when the last answer is taken.
  let failure: { error: unknown } | null = null

  async function turnOf(names: Set<string>): Promise<void> {
    for (;;) {
      if (underWay.size >= callsMax) {
        await Promise.race(underWay.keys())
        continue
      }
      const inTheWay = [...underWay].find(([, others]) => [...names].some((name) => others.has(name)))
      if (inTheWay === undefined) return
      await inTheWay[0]
    }
  }

  function begin<Answer>(names: Set<string>, call: () => Promise<Answer>): { answer: Promise<Answer> } {
    if (failure !== null) throw failure.error
    const answer = call()
    const end: Promise<void> = answer
      .then(
        () => undefined,
        (error: unknown) => void (failure ??= { error }),
      )
      .finally(() => underWay.delete(end))
    underWay.set(end, names)
    return { answer }
  }

  return {
    run(names, call, take) {
      const [own, before, earlier] = [new Set(names), begun, taken]
      const start = (async () => {
        await before
        await turnOf(own)
        return begin(own, call)
      })()
      begun = start.catch(() => undefined)
      const done = (async () => {
        const answer = await (await start).answer
        await earlier
        take(answer)
      })()
      taken = done.catch(() => undefined)
      return done
    },
  }
}
