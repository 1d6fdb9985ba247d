// Turns, a semaphore for each name: only so much of the work of one name is under way at a time, and the rest waits.
import { once } from './once.ts'

export type Turns = {
  /**
   * Resolves with a function that ends the turn, once one of the places of `name` is free. Where several wait, the lowest `order` is first, and of
   * equals the one that has waited longest.
   */
  take(name: string, order?: number): Promise<() => void>
}
type Waiter = { order: number; begin(): void }

/** `places`: how much work of one name is under way at a time. */
export function openTurns(places: number): Turns {
  const names = new Map<string, { taken: number; waiting: Waiter[] }>()

  function release(name: string): void {
    const state = names.get(name)
    if (state === undefined) return
    const next = state.waiting.shift()
    if (next !== undefined) return next.begin() // It takes over the place.
    state.taken -= 1
    if (state.taken === 0) names.delete(name)
  }

  return {
    take(name, order = 0) {
      let state = names.get(name)
      if (state === undefined) names.set(name, (state = { taken: 0, waiting: [] }))
      const { waiting } = state
      const turn = once(() => release(name))
      if (state.taken < places) {
        state.taken += 1
        return Promise.resolve(turn)
      }
      return new Promise((resolve) => {
        const at = waiting.findLastIndex((one) => one.order <= order) + 1
        waiting.splice(at, 0, { order, begin: () => resolve(turn) })
      })
    },
  }
}

/** Does the work while it holds a place of `name`. */
export async function inTurn<Result>(turns: Turns, name: string, work: () => Promise<Result>): Promise<Result> {
  const end = await turns.take(name)
  try {
    return await work()
  } finally {
    end()
  }
}
