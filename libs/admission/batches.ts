// Joins questions to auth: one is under way at a time, and calls that arrive meanwhile share the next one. Calls of the same name are
// one group of a question.
import { setTimeout as sleep } from 'node:timers/promises'
import { refuse } from '#contracts/errors'

/** The calls of one name that wait for an answer, in the order in which they came. */
export type Group<Item> = { name: string; items: Item[] }
type BatchOptions<Item, Answer> = {
  /** Answers one question: for each group its answers, in the order of its items. Where it rejects, all calls of the question do. */
  ask(groups: Group<Item>[]): Promise<Answer[][]>
  /** The most groups of one question. */
  groupsMax: number
  /** The most groups that wait; calls of further names are refused as unavailable. */
  waitingMax?: number
  /** The least time between an answer and the next question. */
  gapMs?: number
}
type Waiter<Item, Answer> = { item: Item; resolve(answer: Answer): void; reject(error: unknown): void }

/** Returns a function that resolves with the answer to one item. */
export function openBatches<Item, Answer>(
  options: BatchOptions<Item, Answer>,
): (name: string, item: Item) => Promise<Answer> {
  const { ask, groupsMax, waitingMax = Number.POSITIVE_INFINITY, gapMs = 0 } = options
  const waiting = new Map<string, Waiter<Item, Answer>[]>()
  let isAsking = false

  async function askAll(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, groupsMax)
      for (const [name] of batch) waiting.delete(name)
      await answer(batch)
      if (gapMs > 0) await sleep(gapMs, undefined, { ref: false })
    }
    isAsking = false
  }

  async function answer(batch: [string, Waiter<Item, Answer>[]][]): Promise<void> {
    try {
      const groups = batch.map(([name, waiters]) => ({ name, items: waiters.map(({ item }) => item) }))
      const answers = await ask(groups)
      for (const [group, [, waiters]] of batch.entries()) {
        for (const [index, { resolve }] of waiters.entries()) resolve(answers[group]?.[index] as Answer)
      }
    } catch (error) {
      for (const [, waiters] of batch) for (const { reject } of waiters) reject(error)
    }
  }

  return (name, item) => {
    const group = waiting.get(name)
    if (group === undefined && waiting.size >= waitingMax) return Promise.reject(authUnavailable())
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    if (group === undefined) waiting.set(name, [{ item, resolve, reject }])
    else group.push({ item, resolve, reject })
    // Calls of the same moment go into the first question together.
    if (!isAsking) queueMicrotask(() => void askAll())
    isAsking = true
    return promise
  }
}

/** The refusal while auth does not answer. */
export function authUnavailable() {
  return refuse('unavailable', 'API keys cannot be checked right now.', { retry_after_s: 2 })
}
