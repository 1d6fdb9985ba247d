// Compares how long kinds of work take, where the time must not tell one kind from another.
import { expect } from '@jest/globals'

const ROUNDS_MAX = 8
const TURNS = 100
const LEAST_MS = 0.3 // Below it only noise is left.

/**
 * Passes when all kinds take the same time: within a quarter, or 0.3 ms. Each kind is stood for by the time that a tenth of its calls do
 * not exceed, because other work on the machine makes calls longer and none shorter. Noise may still part the kinds in a round; a
 * difference of the product parts them in every round, so one round in which they agree is enough.
 */
export async function expectSameTimes(kinds: Record<string, () => Promise<unknown>>): Promise<void> {
  let times: Record<string, number> = {}
  for (let round = 0; round <= ROUNDS_MAX; round += 1) {
    times = await timesOf(Object.entries(kinds))
    if (round > 0 && isSame(Object.values(times))) return // The first round warms up.
  }
  expect(times).toBe('the same time for each')
}

function isSame(times: number[]): boolean {
  const least = Math.min(...times)
  return Math.max(...times) - least < Math.max(LEAST_MS, least / 4)
}

async function timesOf(kinds: [string, () => Promise<unknown>][]): Promise<Record<string, number>> {
  const times = kinds.map((): number[] => [])
  for (let turn = 0; turn < TURNS; turn += 1) {
    // Interleaved, in a rotating order, so that a slow moment of the machine affects all kinds.
    for (let index = 0; index < kinds.length; index += 1) {
      const own = (turn + index) % kinds.length
      const began = performance.now()
      await kinds[own]?.[1]()
      times[own]?.push(performance.now() - began)
    }
  }
  const tenth = (list: number[] = []) => list.toSorted((one, other) => one - other)[TURNS / 10] ?? Number.NaN
  return Object.fromEntries(kinds.map(([name], index) => [name, tenth(times[index])]))
}
