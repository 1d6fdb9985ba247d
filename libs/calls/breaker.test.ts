// Tests whom a breaker refuses (docs/spec/internals.md#breakers). The service behind it is the world outside.
import { describe, expect, test } from '@jest/globals'
import { refuse } from '#contracts/errors'
import type { Caller } from '#contracts/caller'
import type { Call, CallOptions } from '#runtime/service'
import { openMetrics } from '#telemetry/metrics'
import { guarded } from './breaker.ts'

/** `failing` decides whose calls fail; `called` counts the calls that reached the service. */
function gateway(failing: (shopId: string) => boolean) {
  const state = { called: 0 }
  const call = guarded(
    (async (_name: string, _params: object, meta: CallOptions = {}) => {
      state.called += 1
      await Promise.resolve()
      if (failing(meta.caller?.shopId ?? '')) throw new Error('No answer.')
      return 'fine'
    }) as Call,
    openMetrics(),
  )
  const read = async (shopId: string) => {
    try {
      return await call('orders.list', {}, { caller: { shopId } as Caller })
    } catch (error) {
      return (error as Error).message
    }
  }
  return { read, state }
}
const times = <Value>(count: number, work: (index: number) => Value) => Array.from({ length: count }, (_, n) => work(n))
const REFUSED = 'This part of the service is not available right now.'

describe('the breaker of an action', () => {
  test.each([
    ['at once', async (read: () => Promise<unknown>) => Promise.all(times(200, read))],
    [
      'one after the other',
      async (read: () => Promise<unknown>) => {
        for (let time = 0; time < 200; time += 1) await read()
      },
    ],
  ])('is not opened by 200 failing reads of one shop, %s: that shop is refused, no other', async (_name, all) => {
    const { read, state } = gateway((shopId) => shopId === 'a')
    await all(() => read('a'))
    for (let time = 0; time < 25; time += 1) await read('a')
    expect(await read('a')).toBe(REFUSED)
    const before = state.called
    expect(new Set(await Promise.all(times(40, (n) => read(`other ${n % 2}`))))).toEqual(new Set(['fine']))
    expect(state.called).toBe(before + 40)
  })

  test('is opened by an outage that meets many shops, also for a shop that has not called yet', async () => {
    const { read } = gateway(() => true)
    for (let n = 0; n < 30; n += 1) await read(`shop ${n % 10}`)
    expect(await read('new')).toBe(REFUSED)
  })

  test('counts no refusal as a failure', async () => {
    const { read } = gateway(() => {
      throw refuse('not_found', 'No order with that id.')
    })
    for (let n = 0; n < 60; n += 1) expect(await read('a')).toBe('No order with that id.')
  })
})
