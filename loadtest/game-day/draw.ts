// What a game day does: faults drawn by a seed, and for each the hypothesis in words.
import type { Bounds } from '../judge/calls.ts'
import { seconds } from '../program.ts'

const SLOWEST_MS = 10_000 // Where the bounds name none (judge/calls.ts).

/** So many of the items, each once, in an order that follows from the seed. */
export function draw<Item>(items: readonly Item[], count: number, seed: number): Item[] {
  const random = randomOf(seed)
  const keyed = items.map((item) => ({ item, key: random() }))
  return keyed
    .toSorted((one, other) => one.key - other.key)
    .slice(0, count)
    .map(({ item }) => item)
}

// mulberry32: the same numbers from the same seed on every machine.
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** What must hold during the fault and after it. */
export function hypothesisOf(bounds: Bounds): string {
  const { failedMax, healthyMsMax, deadMsMax, mayFail, onlyItsOwn, withoutItsOwn, slowestMsMax = SLOWEST_MS } = bounds
  const { readsFailedShareMax, commandsFailedShareMax } = bounds
  const parts: string[] = []
  if (failedMax === 0) parts.push('no call fails')
  else if (failedMax !== null) parts.push(`at most ${failedMax} calls fail`)
  else if (readsFailedShareMax === undefined)
    parts.push(
      `${mayFail === undefined ? 'calls' : `only calls of the kinds ${mayFail.join(', ')}`} fail while it lasts`,
    )
  if (readsFailedShareMax !== undefined) parts.push(`at most ${readsFailedShareMax * 100} % of the reads fail`)
  if (commandsFailedShareMax !== undefined)
    parts.push(`at most ${commandsFailedShareMax * 100} % of the commands of the first 5 s and no later one`)
  if (withoutItsOwn === true) parts.push('calls through a gateway that hangs do not count')
  if (onlyItsOwn === true) parts.push('none fails through another gateway')
  if (deadMsMax !== undefined) parts.push(`no kind is without a success for ${seconds(deadMsMax)}`)
  parts.push(`no call takes longer than ${seconds(slowestMsMax)}`)
  if (failedMax !== 0) parts.push(`all is well ${seconds(healthyMsMax)} after its end`)
  return parts.join('; ')
}
