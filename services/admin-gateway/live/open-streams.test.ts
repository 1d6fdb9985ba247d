// How live streams begin and end in one process (docs/spec/request-log.md#live-stream).
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import Koa from 'koa'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { limits } from '#contracts/limits'
import type { Exchange } from '#http/exchange'
import { commonHeaders, respond } from '#http/respond'
import { openLog } from '#telemetry/log'
import { openMetrics } from '#telemetry/metrics'
import { openLive as openReader } from '#testing/live-stream'
import { rootOperator } from '#testing/product/one-service'
import { until } from '#testing/until'
import { type Live, openLive } from './live.ts'
import { openOperatorWatch } from './operators.ts'

const operator = {
  ...rootOperator,
  object: 'operator' as const,
  email: null,
  createdAt: null,
  disabledAt: null,
  lastSeenAt: null,
}
let server: Server
let live: Live
let via: 'token' | 'admin_token'
let before: (request: IncomingMessage) => Promise<unknown>
let sockets: Socket[]
beforeEach(async () => {
  via = 'token'
  before = async () => undefined
  sockets = []
  live = openLive({ broadcast: () => undefined, call: async () => ({ operators: [] }) })
  const app = new Koa<Exchange>()
  app.use(respond({ gateway: 'admin', headers: commonHeaders, log: openLog('silent', 'live'), metrics: openMetrics() }))
  app.use(async (ctx) => {
    ctx.state.operator = { operator, via, askedAt: performance.now(), shop: null }
    await before(ctx.req)
    await live.answer(ctx, 'shop')
  })
  const handle = app.callback()
  server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  live.stop()
  for (const socket of sockets) socket.destroy()
  server.closeAllConnections()
  server.close()
})

const port = () => (server.address() as AddressInfo).port
const open = () => openReader(port(), 'shop', {})
function openRaw(): Socket {
  const socket = connect(port(), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  return socket
}

test('a refused stream is answered as JSON, not as events', async () => {
  live.stop()
  const { status, headers } = await open()
  expect([status, headers['content-type']]).toEqual([503, 'application/json; charset=utf-8'])
})

test('an operator holds 20 streams of a process, the root operator as many as there are', async () => {
  const readers = await Promise.all(Array.from({ length: limits.liveStreamsPerOperator }, open))
  expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200))
  expect((await open()).status).toBe(409)
  via = 'admin_token'
  expect((await open()).status).toBe(200)
  readers[0]?.close()
  via = 'token'
  await until(async () => (await open()).status === 200)
})

test('a reader that goes before its stream begins leaves nothing behind', async () => {
  let isGone = 0
  before = (request) =>
    new Promise<void>((resolve) => {
      request.socket.once('close', () => setImmediate(resolve))
    }).then(() => (isGone += 1))
  via = 'admin_token'
  for (let call = 0; call < limits.liveStreamsMax; call += 1) openRaw().end().destroySoon()
  await until(() => isGone === limits.liveStreamsMax)
  before = async () => undefined
  expect((await open()).status).toBe(200)
})

test('a stream whose reader has stopped reading ends at once with its connection, whatever is seen afterwards', async () => {
  const socket = openRaw()
  let answer = ''
  socket.once('data', (chunk: Buffer) => {
    answer = chunk.toString()
    socket.pause()
  })
  await until(() => answer !== '')
  const data = { object: 'request', text: 'x'.repeat(1_000_000) } as never
  const see = () => live.seen({ shop_id: 'shop', events: [{ name: 'request', data }], skipped: 1 })
  for (let call = 1; call < limits.liveEventsPerSecond; call += 1) {
    see()
    await new Promise((resolve) => setImmediate(resolve))
  }
  live.stop()
  see()
  await until(async () => (await openConnections()) === 0)
})
const openConnections = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

test('of what several processes tell at once 50 events are shown, and the others are counted', async () => {
  via = 'admin_token'
  const reader = await open()
  const events = Array.from({ length: limits.liveEventsPerSecond }, () => ({ name: 'request', data: {} }) as never)
  for (const skipped of [0, 20]) live.seen({ shop_id: 'shop', events, skipped })
  await until(() => reader.of('skipped').length > 0)
  expect([reader.of('request').length, reader.of('skipped')]).toEqual([50, [{ count: 70 }]])
})

test('a stream ends with the first question to auth that its operator is no longer in force for: one each 400 ms', async () => {
  jest.useFakeTimers()
  let isInForce = true
  const watch = openOperatorWatch(async () => ({ operators: [isInForce ? operator : null] }))
  let ends = 0
  watch.watch({ by: 'token', secret: 'a' }, { operator, confirmedAt: performance.now() }, () => (ends += 1))
  await jest.advanceTimersByTimeAsync(60_000)
  expect(ends).toBe(0)
  isInForce = false
  await jest.advanceTimersByTimeAsync(400)
  expect(ends).toBe(1)
  watch.stop()
  jest.useRealTimers()
})

test('a stream that auth did not confirm ends 1.4 s after it was asked who calls, not after the stream began', async () => {
  jest.useFakeTimers()
  const watch = openOperatorWatch(() => Promise.reject(new Error('away')))
  let ends = 0
  const confirmedAt = performance.now() - 1_100
  watch.watch({ by: 'token', secret: 'a' }, { operator, confirmedAt }, () => (ends += 1))
  jest.advanceTimersByTime(400)
  expect(ends).toBe(1)
  watch.stop()
  jest.useRealTimers()
})
