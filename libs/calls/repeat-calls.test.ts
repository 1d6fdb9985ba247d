// Calls that are sent again while their answer is late, and those that never are: docs/spec/internals.md#late-answers
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { refuse } from '#contracts/errors'
import { openMetrics } from '#telemetry/metrics'
import { repeatCalls } from './repeat-calls.ts'
import type { Call, CallOptions } from '#runtime/service'

/** Answers or refuses after so many milliseconds; null: never. */
type Replica = (options: CallOptions, attempt: number) => number | null | Error | { error: Error; afterMs: number }

function replicas(answer: Replica) {
  const sent: { at: number; options: CallOptions }[] = []
  const metrics = openMetrics()
  const call = (async (_name: string, _params: object, options: CallOptions = {}) => {
    const attempt = sent.push({ at: Date.now(), options })
    const ms = answer(options, attempt)
    if (ms instanceof Error) throw ms
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    if (typeof ms === 'number') setTimeout(() => resolve(attempt), ms)
    else if (ms !== null) setTimeout(() => reject(ms.error), ms.afterMs)
    else setTimeout(() => reject(new Error('Request is timed out.')), options.timeoutMs)
    return promise
  }) as Call
  return { sent, call: repeatCalls(call, metrics, () => Date.now()), metrics }
}
const repeats = async ({ metrics }: { metrics: ReturnType<typeof openMetrics> }) =>
  (await metrics.repeatedCalls.get()).values.reduce((sum, { value }) => sum + value, 0)

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('a read that a hung replica does not answer is asked again, each time after twice as long, until one answers', async () => {
  const bus = replicas((_options, attempt) => (attempt < 4 ? null : 5))
  const began = Date.now()
  const answer = bus.call('orders.get', { id: 'a' }, { timeoutMs: 5_000 })
  await jest.advanceTimersByTimeAsync(2_200)
  expect(await answer).toBe(4)
  expect(bus.sent.map(({ at }) => at - began)).toEqual([0, 300, 900, 2_100])
  expect(bus.sent.map(({ options }) => options.timeoutMs)).toEqual([5_000, 4_700, 4_100, 2_900])
  await jest.advanceTimersByTimeAsync(10_000)
  expect(bus.sent).toHaveLength(4)
})

test.each(['agent.find_authorization', 'agent.find_client', 'agent.find_grant', 'agent.find_token'] as const)(
  '%s of a sign-in is asked again, and agent.use_token is not',
  async (action) => {
    const bus = replicas((_options, attempt) => (attempt === 2 ? 5 : null))
    const answer = bus.call(action, { id: 'a' })
    await jest.advanceTimersByTimeAsync(400)
    expect(await answer).toBe(2)
    const used = bus.call('agent.use_token', { kind: 'code', token: 'a' }, { timeoutMs: 3_000 }).catch(String)
    await jest.advanceTimersByTimeAsync(3_000)
    expect(await used).toBe('Error: Request is timed out.')
    expect(bus.sent).toHaveLength(3)
  },
)

test('a command is sent once; under an Idempotency-Key it is sent again after a second', async () => {
  const bus = replicas((_options, attempt) => (attempt === 3 ? 5 : null))
  const once = bus.call('orders.confirm', { id: 'a' }, { timeoutMs: 5_000 }).catch(String)
  await jest.advanceTimersByTimeAsync(5_000)
  expect(await once).toBe('Error: Request is timed out.')
  expect(bus.sent).toHaveLength(1)
  const began = Date.now()
  const idempotency = { key: 'k', fingerprint: 'f' }
  const keyed = bus.call('orders.confirm', { id: 'a' }, { timeoutMs: 5_000, idempotency })
  await jest.advanceTimersByTimeAsync(1_100)
  expect(await keyed).toBe(3)
  expect(bus.sent.slice(1).map(({ at }) => at - began)).toEqual([0, 1_000])
})

test('what is sent to a receiver is sent once, under an Idempotency-Key too', async () => {
  const bus = replicas(() => 4_000)
  const idempotency = { key: 'k', fingerprint: 'f' }
  const answers = (['endpoints.test', 'deliveries.retry'] as const).map((action) =>
    bus.call(action, { id: 'a' }, { timeoutMs: 20_000, idempotency }),
  )
  await jest.advanceTimersByTimeAsync(5_000)
  expect(await Promise.all(answers)).toEqual([1, 2])
  expect(bus.sent).toHaveLength(2)
})

test('a refusal is the answer, and an outage too while no other attempt is under way', async () => {
  for (const error of [refuse('not_found', 'No such order.'), new Error('broken')]) {
    const bus = replicas(() => error)
    await expect(bus.call('orders.get', { id: 'a' })).rejects.toBe(error)
    await jest.advanceTimersByTimeAsync(5_000)
    expect(bus.sent).toHaveLength(1)
  }
})

test('a command that is refused while another attempt of it may be done is not answered before that one', async () => {
  const refusal = refuse('conflict', 'Not enough stock.')
  const idempotency = { key: 'k', fingerprint: 'f' }
  for (const [second, outcome] of [
    [1_000, 2],
    [null, new Error('Request is timed out.')], // Nobody knows whether it was done.
  ] as const) {
    const bus = replicas((_options, attempt) => (attempt === 1 ? { error: refusal, afterMs: 1_500 } : second))
    const answer = bus.call('orders.place', { order: {} } as never, { timeoutMs: 5_000, idempotency }).catch((e) => e)
    await jest.advanceTimersByTimeAsync(5_000)
    expect(await answer).toEqual(outcome)
    expect(bus.sent).toHaveLength(2)
  }
})

test('the first attempt counts too where its answer comes first, and one that fails later changes nothing', async () => {
  const bus = replicas((_options, attempt) => (attempt === 1 ? 400 : new Error('broken')))
  const answer = bus.call('orders.get', { id: 'a' })
  await jest.advanceTimersByTimeAsync(500)
  expect(await answer).toBe(1)
  expect(bus.sent).toHaveLength(2)
})

test('the bound follows the times of the action: in normal times at most a twentieth of the calls is repeated', async () => {
  const times = (number: number) => (number % 200 === 0 ? 400 : 100 + (number % 50))
  let number = 0
  const bus = replicas(() => times((number += 1)))
  for (let calls = 0; calls < 1_000; calls += 1) {
    const answer = bus.call('orders.list', {})
    await jest.advanceTimersByTimeAsync(500)
    await answer
  }
  expect(await repeats(bus)).toBeLessThanOrEqual(50)
})

test('where everything has become slow the allowance bounds the repeats, and a replica that hangs costs none of it', async () => {
  const slow = replicas(() => 600)
  const all = Array.from({ length: 1_000 }, () => slow.call('orders.get', { id: 'a' }))
  await jest.advanceTimersByTimeAsync(5_000)
  await Promise.all(all)
  expect(await repeats(slow)).toBeLessThanOrEqual(75)

  // Every other call goes to the hung replica, and no repeat does.
  const hung = replicas(({ timeoutMs = 0 }, attempt) => (timeoutMs === 3_000 && attempt % 2 === 0 ? null : 5))
  for (let calls = 0; calls < 300; calls += 1) {
    const answer = hung.call('orders.get', { id: 'a' })
    await jest.advanceTimersByTimeAsync(400)
    expect(await answer).toBeGreaterThan(0)
  }
})
