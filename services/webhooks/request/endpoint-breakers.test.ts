// Proves the guard of a process: what opens it, what it costs, and that there are never more than a thousand.
import { afterEach, describe, expect, test } from '@jest/globals'
import { until } from '#testing/event-schema'
import { type Guards, openGuards } from './endpoint-breakers.ts'
import { makePace } from '../delivery/delivery-config.ts'

let guards: Guards
afterEach(() => guards.close())

const open = () => {
  guards = openGuards(makePace([1], { guardOpenMs: 50, guardVolume: 10 }))
  return guards
}
const fail = async () => 'failed'
const isFailure = (result: string) => result === 'failed'

describe('a guard', () => {
  test('gives what an attempt came to, failed or not', async () => {
    open()
    expect(await guards.run('a', async () => 'fine', isFailure)).toBe('fine')
    expect(await guards.run('a', fail, isFailure)).toBe('failed')
  })

  test('opens after so many failures and lets one try after a while', async () => {
    open()
    for (let time = 0; time < 10; time += 1) expect(await guards.run('a', fail, isFailure)).toBe('failed')
    let tries = 0
    const counted = async () => {
      tries += 1
      return 'fine'
    }
    expect(await guards.run('a', counted, isFailure)).toBeNull()
    expect(tries).toBe(0)
    expect(await guards.run('b', counted, isFailure)).toBe('fine')
    await until(async () => (await guards.run('a', counted, isFailure)) === 'fine')
    expect(tries).toBe(2)
  })

  test('stays closed while some attempts succeed', async () => {
    open()
    for (let time = 0; time < 50; time += 1) {
      const result = time % 2 === 0 ? 'fine' : 'failed'
      expect(await guards.run('a', async () => result, isFailure)).toBe(result)
    }
  })

  test('is one of at most a thousand; the one used longest ago goes', async () => {
    open()
    for (let time = 0; time < 10; time += 1) await guards.run('first', fail, isFailure)
    expect(await guards.run('first', fail, isFailure)).toBeNull()
    for (let id = 0; id < 1_500; id += 1) await guards.run(String(id), async () => 'fine', isFailure)
    expect(guards.size()).toBe(1_000)
    expect(await guards.run('first', fail, isFailure)).toBe('failed')
  })

  test('passes on what breaks', async () => {
    open()
    const broken = guards.run('a', () => Promise.reject(new Error('A bug.')), isFailure)
    await expect(broken).rejects.toThrow('A bug.')
  })
})
