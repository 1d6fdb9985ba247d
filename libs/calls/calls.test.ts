// Tests how long the calls of a gateway may take while nobody answers. The service that does not answer is the world outside.
import { afterEach, expect, jest, test } from '@jest/globals'
import type { Call, CallOptions } from '#runtime/service'
import { openMetrics } from '#telemetry/metrics'
import { openCalls } from './calls.ts'

// Answers nobody, and remembers how long each call would have waited.
function hung() {
  const given: number[] = []
  const call = (async (_name: string, _params: object, meta: CallOptions = {}) => {
    given.push(meta.timeoutMs ?? 0)
    expect(meta.deadline_at).toBeGreaterThanOrEqual(Date.now())
    throw new Error('No answer.')
  }) as Call
  return { given, calls: openCalls({ call, metrics: openMetrics() }) }
}

afterEach(() => void jest.restoreAllMocks())

test('a read gets 2.4 s, then the rest of 5 s; a command gets 5 s', async () => {
  jest.spyOn(Date, 'now').mockReturnValue(Date.now()) // No time passes.
  const { given, calls } = hung()
  await expect(calls.read('orders.get', { id: 'a' })).rejects.toThrow('No answer.')
  await expect(calls.command('orders.confirm', { id: 'a' })).rejects.toThrow('No answer.')
  expect(given).toEqual([2_400, 5_000, 5_000])
})

test('a command that may send a mail gets 10 s, however long a batch may take', async () => {
  const { given, calls } = hung()
  const person = { email: 'ada@example.com' }
  const asked = { ...person, send_opt_in: true }
  await expect(calls.commandWithMail('contacts.upsert', asked)).rejects.toThrow('No answer.')
  await expect(calls.commandWithMail('contacts.signup', { ...person, name: null })).rejects.toThrow('No answer.')
  expect(given).toEqual([10_000, 10_000])
})

test('a save of a contact that asks for no mail gets 5 s', async () => {
  jest.spyOn(Date, 'now').mockReturnValue(Date.now()) // No time passes.
  const { given, calls } = hung()
  await expect(calls.commandWithMail('contacts.upsert', { email: 'ada@example.com' })).rejects.toThrow('No answer.')
  expect(given).toEqual([5_000])
})

test('a call gets no more than the time left of its request', async () => {
  jest.spyOn(Date, 'now').mockReturnValue(Date.now()) // No time passes.
  const { given, calls } = hung()
  const meta = { deadline_at: Date.now() + 1_000 }
  await expect(calls.read('orders.get', { id: 'a' }, meta)).rejects.toThrow('No answer.')
  await expect(calls.command('orders.confirm', { id: 'a' }, meta)).rejects.toThrow('No answer.')
  expect(given).toEqual([1_000, 1_000, 1_000])
})
