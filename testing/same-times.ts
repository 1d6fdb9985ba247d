// Compares how long kinds of work take, where the time must not tell one kind from another.

const ROUNDS_MAX = 7
const ROUNDS_ALIKE = 3
const TURNS = 100
const LEAST_MS = 0.3 // Below it only noise is left.

/**
 * Passes when all kinds take the same time: within a quarter, or 0.3 ms. Each kind is stood for by the time that a tenth of its calls do
 * not exceed, because other work on the machine makes calls longer and none shorter. Noise still parts the kinds in one round of ten on a
 * busy machine, where a difference of the product parts them in nearly every round: they must agree in three of at most seven.
 */
export async function expectSameTimes(kinds: Record<string, () => Promise<unknown>>): Promise<void> {
  await timesOf(Object.entries(kinds)) // Warms up.
  const rounds: Record<string, number>[] = []
  while (rounds.filter(isSame).length < ROUNDS_ALIKE) {
    if (rounds.length === ROUNDS_MAX) throw new Error(`The times differ, in milliseconds: ${JSON.stringify(rounds)}`)
    rounds.push(await timesOf(Object.entries(kinds)))
  }
}

function isSame(round: Record<string, number>): boolean {
  const times = Object.values(round)
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
