// Tests the circuit breakers of a process: what opens one, and that there are at most a thousand.
import { afterEach, describe, expect, test } from '@jest/globals'
import { until } from '#testing/until'
import { type EndpointBreakers, openEndpointBreakers } from './endpoint-breakers.ts'
import { makeDeliveryConfig } from '../delivery/delivery-config.ts'

let breakers: EndpointBreakers
afterEach(() => breakers.close())

const open = () => {
  breakers = openEndpointBreakers(makeDeliveryConfig([1], { breakerOpenMs: 50, breakerVolume: 10 }))
  return breakers
}
const fail = async () => 'failed'
const isFailure = (result: string) => result === 'failed'

describe('a breaker', () => {
  test('returns the result of the work, failed or not', async () => {
    open()
    expect(await breakers.run('a', async () => 'fine', isFailure)).toBe('fine')
    expect(await breakers.run('a', fail, isFailure)).toBe('failed')
  })

  test('opens after its number of failures, for its endpoint only, and lets one attempt through later', async () => {
    open()
    for (let time = 0; time < 10; time += 1) expect(await breakers.run('a', fail, isFailure)).toBe('failed')
    let tries = 0
    const counted = async () => {
      tries += 1
      return 'fine'
    }
    expect(await breakers.run('a', counted, isFailure)).toBeNull()
    expect(tries).toBe(0)
    expect(await breakers.run('b', counted, isFailure)).toBe('fine')
    await until(async () => (await breakers.run('a', counted, isFailure)) === 'fine')
    expect(tries).toBe(2)
  })

  test('stays closed while some attempts succeed', async () => {
    open()
    for (let time = 0; time < 50; time += 1) {
      const result = time % 2 === 0 ? 'fine' : 'failed'
      expect(await breakers.run('a', async () => result, isFailure)).toBe(result)
    }
  })

  test('is removed when a thousand others were used since', async () => {
    open()
    for (let time = 0; time < 10; time += 1) await breakers.run('first', fail, isFailure)
    expect(await breakers.run('first', fail, isFailure)).toBeNull()
    for (let id = 0; id < 1_500; id += 1) await breakers.run(String(id), async () => 'fine', isFailure)
    expect(breakers.size()).toBe(1_000)
    expect(await breakers.run('first', fail, isFailure)).toBe('failed')
  })

  test('throws what the work throws', async () => {
    open()
    const broken = breakers.run('a', () => Promise.reject(new Error('A bug.')), isFailure)
    await expect(broken).rejects.toThrow('A bug.')
  })
})
