// Tests the end of work that takes too long. Spec: MCP endpoint, transport rule 6.
import { expect, test } from '@jest/globals'
import { endBy } from './end-by.ts'

test('work that is never done ends with an error', async () => {
  const never = new Promise<string>(() => undefined)
  await expect(endBy(5, never)).rejects.toThrow('Not answered within 5 ms.')
})

test('work that is done in time gives its answer, or its error', async () => {
  await expect(endBy(60_000, Promise.resolve('done'))).resolves.toBe('done')
  await expect(endBy(60_000, Promise.reject(new Error('refused')))).rejects.toThrow('refused')
})

test('an error that comes too late troubles nobody', async () => {
  const { promise, reject } = Promise.withResolvers<string>()
  await expect(endBy(1, promise)).rejects.toThrow('Not answered')
  reject(new Error('too late'))
})
