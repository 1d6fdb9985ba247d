// Joins calls: while the work for one name is under way, the calls of that name that arrive wait, and are done together in the next work. A
// call that comes alone does not wait.

/** Of one call. */
export type Outcome<Result> = { value: Result } | { error: unknown }
export type Items<Item> = [Item, ...Item[]]
type JoinOptions<Item, Result> = {
  /** Does calls of one name, in the order in which they came, and returns an outcome for each. Where it rejects, each of them does. */
  work(items: Items<Item>): Promise<Outcome<Result>[]>
  /** The most calls that are done together. */
  most: number
}
type Waiter<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void }

/** Returns a function that does one call. */
export function openJoined<Item, Result>({
  work,
  most,
}: JoinOptions<Item, Result>): (name: string, item: Item) => Promise<Result> {
  const waiting = new Map<string, Waiter<Item, Result>[]>()

  async function workOff(name: string, waiters: Waiter<Item, Result>[]): Promise<void> {
    for (;;) {
      const together = waiters.splice(0, most)
      const [first, ...others] = together.map(({ item }) => item)
      if (first === undefined) break
      const outcomes = await work([first, ...others]).catch((error: unknown) => together.map(() => ({ error })))
      for (const [index, { resolve, reject }] of together.entries()) {
        const outcome = outcomes[index] ?? { error: new Error('A call has no outcome.') }
        if ('error' in outcome) reject(outcome.error)
        else resolve(outcome.value)
      }
    }
    waiting.delete(name)
  }

  return (name, item) =>
    new Promise((resolve, reject) => {
      const waiter = { item, resolve, reject }
      const waiters = waiting.get(name)
      if (waiters !== undefined) {
        waiters.push(waiter)
        return
      }
      const begun = [waiter]
      waiting.set(name, begun)
      void workOff(name, begun)
    })
}
