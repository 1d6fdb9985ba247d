// When background work runs: at once while there is more, when woken, after the poll, and not after the stop.
import { describe, expect, test } from '@jest/globals'
import { until } from '#testing/until'
import { startPeriodic, startWorker } from './worker-loop.ts'

const LONG_MS = 60_000
const rethrow = (error: unknown) => {
  throw error
}
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Rounds that end when the test says so. */
function openRounds() {
  let end: () => void = () => undefined
  const rounds = { begun: 0, ended: 0, endOne: () => end() }
  const round = async () => {
    rounds.begun += 1
    await new Promise<void>((resolve) => {
      end = resolve
    })
    rounds.ended += 1
    return false
  }
  return { rounds, round }
}

describe('a worker', () => {
  test('works on while there is more, then waits', async () => {
    let rounds = 0
    const worker = startWorker({ pollMs: LONG_MS, round: async () => ++rounds < 5, onError: rethrow })
    await until(() => rounds === 5)
    await worker.stop()
    expect(rounds).toBe(5)
  })

  test('starts the next round at once when it is woken during a round', async () => {
    const { rounds, round } = openRounds()
    const worker = startWorker({ pollMs: LONG_MS, round, onError: rethrow })
    worker.wake()
    rounds.endOne()
    await until(() => rounds.begun === 2)
    const stopping = worker.stop()
    rounds.endOne()
    await stopping
    expect(rounds).toMatchObject({ begun: 2, ended: 2 })
  })

  test('is woken out of its sleep', async () => {
    const { rounds, round } = openRounds()
    const worker = startWorker({ pollMs: LONG_MS, round, onError: rethrow })
    rounds.endOne()
    await until(() => rounds.ended === 1)
    await nextTurn()
    expect(rounds.begun).toBe(1)
    worker.wake()
    await until(() => rounds.begun === 2)
    const stopping = worker.stop()
    rounds.endOne()
    await stopping
    expect(rounds.ended).toBe(2)
  })

  test('works again by itself after the poll', async () => {
    let rounds = 0
    const round = async () => {
      rounds += 1
      return false
    }
    const worker = startWorker({ pollMs: 5, round, onError: rethrow })
    await until(() => rounds >= 3)
    await worker.stop()
    const atStop = rounds
    await nextTurn()
    expect(rounds).toBe(atStop)
  })

  test('a failed round is reported, and followed by the whole sleep however often the worker is woken', async () => {
    const errors: unknown[] = []
    const failure = new Error('away')
    const round = () => Promise.reject(failure)
    const worker = startWorker({ pollMs: LONG_MS, round, onError: (error) => errors.push(error) })
    await until(() => errors.length === 1)
    for (let times = 0; times < 10; times += 1) {
      worker.wake()
      await nextTurn()
    }
    await worker.stop()
    expect(errors).toEqual([failure])
  })
})

describe('periodic work', () => {
  test('begins after the first sleep, and a failure does not end it', async () => {
    let rounds = 0
    const errors: unknown[] = []
    const work = async () => {
      rounds += 1
      if (rounds === 1) throw new Error('away')
    }
    const worker = startPeriodic(5, work, (error) => errors.push(error))
    expect(rounds).toBe(0)
    await until(() => rounds >= 3)
    await worker.stop()
    expect(errors).toHaveLength(1)
  })

  test('that is stopped in its first sleep never runs', async () => {
    let rounds = 0
    const worker = startPeriodic(LONG_MS, async () => void (rounds += 1), rethrow)
    await nextTurn()
    await worker.stop()
    expect(rounds).toBe(0)
  })
})
