// Proves when background work is called: at once while there is more, when woken, after the poll, and not after the stop.
import { describe, expect, test } from '@jest/globals'
import { until } from '#testing/event-schema'
import { startWorker } from './worker-loop.ts'

const LONG_MS = 60_000
const rethrow = (error: unknown) => {
  throw error
}

describe('a worker', () => {
  test('works on while there is more, then waits', async () => {
    let rounds = 0
    const worker = startWorker({ pollMs: LONG_MS, round: async () => ++rounds < 5, onError: rethrow })
    await until(() => rounds === 5)
    await worker.stop()
    expect(rounds).toBe(5)
  })

  test('is woken out of its pause, and a call during a round is not lost', async () => {
    let rounds = 0
    let finish: () => void = () => undefined
    const round = async () => {
      rounds += 1
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      return false
    }
    const worker = startWorker({ pollMs: LONG_MS, round, onError: rethrow })
    worker.wake()
    finish()
    await until(() => rounds === 2)
    finish()
    await new Promise((resolve) => setImmediate(resolve))
    worker.wake()
    await until(() => rounds === 3)
    const stopping = worker.stop()
    finish()
    await stopping
    expect(rounds).toBe(3)
  })

  test('comes back by itself after the poll', async () => {
    let rounds = 0
    const round = async () => {
      rounds += 1
      return false
    }
    const worker = startWorker({ pollMs: 5, round, onError: rethrow })
    await until(() => rounds >= 3)
    await worker.stop()
  })

  test('a failed round is told, and followed by the whole pause however often it is woken', async () => {
    const errors: unknown[] = []
    const failure = new Error('away')
    const round = () => Promise.reject(failure)
    const worker = startWorker({ pollMs: LONG_MS, round, onError: (error) => errors.push(error) })
    await until(() => errors.length === 1)
    for (let times = 0; times < 10; times += 1) {
      worker.wake()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await worker.stop()
    expect(errors).toEqual([failure])
  })
})
