// What a slow reader costs, and what a stream sends while nothing happens (docs/spec/request-log.md#live-stream).
import { afterEach, expect, test } from '@jest/globals'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits } from '#contracts/limits'
import { openLive } from '#testing/live-stream'
import { until } from '#testing/until'
import { frameOf, openStream } from './stream.ts'

let server: Server
afterEach(() => {
  server.close()
})

async function serve() {
  let response: ServerResponse | undefined
  server = createServer((_request, answer) => {
    response = answer
    answer.flushHeaders()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const reader = await openLive((server.address() as AddressInfo).port, 'shop', {})
  const answered = await until(() => response)
  return { reader, response: answered, stream: openStream(answered) }
}

test('what a reader does not take is counted, not kept; once it reads again it learns how many it missed', async () => {
  const { reader, response, stream } = await serve()
  reader.pause()
  const frame = frameOf('request', { text: 'x'.repeat(1_000) })
  const events = 50_000
  for (let sent = 0; sent < events; sent += 1) {
    stream.send(frame, 1)
    if (sent % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(response.writableLength).toBeLessThanOrEqual(limits.liveUnreadBytes + frame.length + 100)
  reader.resume()
  await until(() => response.writableLength === 0)
  stream.skip(0)
  stream.send(frame, 1)
  stream.end()
  await until(() => reader.isEnded())
  const missed = reader.of('skipped').reduce((all, { count }) => all + Number(count), 0)
  expect([reader.of('request').length + missed, missed > 0]).toEqual([events + 1, true])
  reader.close()
})

test('a heartbeat is a comment, which carries no event', async () => {
  const { reader, stream } = await serve()
  stream.begin()
  stream.heartbeat()
  await until(() => reader.text() === 'retry: 1000\n\n:\n\n')
  reader.close()
})
