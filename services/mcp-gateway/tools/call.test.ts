// Guarantees of tools/call that need no service: the text copy of a result, and the end of a call that takes too long.
import { afterEach, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { openLog } from '#telemetry/log'
import { limits } from '#contracts/limits'
import { openToolCaller } from './call.ts'

const exchange = () => ({ requestId: 'r-1', route: '/api/mcp tools/call' })

/** Calls get_shop, whose action answers with `answer`. Returns the result object as it is sent. */
async function resultOf(answer: () => Promise<unknown>): Promise<Record<string, unknown>> {
  const calls = { read: answer, command: answer, mailing: answer, batch: answer, slow: answer }
  const members = await openToolCaller(calls, openLog('silent', 'test'))({ name: 'get_shop' }, exchange())
  return JSON.parse(`{${[members].flat().map(String).join('')}}`) as Record<string, unknown>
}

const copies = async (document: string) => {
  const { content, structuredContent } = await resultOf(async () => Buffer.from(document))
  expect(content).toEqual([{ type: 'text', text: document }])
  expect(structuredContent).toEqual(JSON.parse(document))
}

afterEach(() => void jest.useRealTimers())

test('the text is the document of the action, for any document in any layout', async () => {
  const documents = fc
    .tuple(fc.json({ stringUnit: 'binary' }), fc.constantFrom(0, 2))
    .filter(([json]) => !json.includes('__proto__'))
    .map(([json, spaces]) => JSON.stringify(JSON.parse(json), null, spaces))
  await fc.assert(fc.asyncProperty(documents, copies))
})

test.each(['""', '"\\""', '{"a":"ä\\\\ 漢 🎉\\n\\u2028"}', '[\n\t1 ]', `["${'x'.repeat(50_000)}"]`])(
  'the text is the document: %.40s',
  copies,
)

test('a call without an answer ends with a tool error after its time limit, and a late failure is ignored', async () => {
  jest.useFakeTimers()
  const { promise, reject } = Promise.withResolvers<never>()
  const result = resultOf(() => promise)
  await jest.advanceTimersByTimeAsync(limits.toolCallMs)
  expect(await result).toEqual({
    content: [{ type: 'text', text: expect.stringMatching(/^server_error: /) }],
    isError: true,
  })
  reject(new Error('too late'))
})
