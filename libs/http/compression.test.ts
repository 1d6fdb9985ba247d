// Compressed answers over real HTTP (docs/spec/rest-api.md#compression). What the gateways compress:
// services/rest-gateway/compressed-answers.test.ts.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import Koa from 'koa'
import { exchange } from '#testing/product/http'
import { until } from '#testing/until'
import { keepCompressed } from './compression.ts'
import type { Exchange } from './exchange.ts'
import { answerAny, answerInParts } from './large-answer.ts'
import { answer } from './respond.ts'
import { type HttpServer, openHttpServer } from './server.ts'
import { watchReaders } from './slow-readers.ts'

const text = (bytes: number) => Buffer.from('{"data":[{"id":1}]} '.repeat(bytes / 20 + 1)).subarray(0, bytes)
const noise = randomBytes(64 * 1024)
const keptBody = text(300_000)
const bodies: Record<string, Buffer> = {
  ...{ '/1024': text(1_024), '/1025': text(1_025), '/page': text(40_000), '/large': text(500_000), '/kept': keptBody },
  '/pieces': randomBytes(400_000), // Stays above what is sent as one piece.
}
let server: HttpServer
let port: number
let parts: number
let cuts: string[]
const readers = watchReaders((_response, because) => cuts.push(because), { everyMs: 20, stalledMs: 3_000 })

beforeAll(async () => {
  const app = new Koa<Exchange>()
  app.use(async (ctx) => {
    const body = bodies[ctx.path]
    if (ctx.path === '/secret') ctx.state.showsSecret = true
    if (ctx.path === '/endless') answerInParts(ctx, endless(), readers)
    else if (ctx.path === '/parts') answerInParts(ctx, [keptBody, noise, keptBody], readers)
    else if (body === undefined) await answer(ctx, text(40_000), 404)
    else await answerAny(ctx, body, readers)
  })
  app.on('error', () => undefined)
  server = openHttpServer(app.callback(), {}, readers)
  port = await server.listen(0, '127.0.0.1')
})
beforeEach(() => {
  parts = 0
  cuts = []
})
afterAll(() => server.stop())

function* endless() {
  for (;;) {
    parts += 1
    yield noise
  }
}

const ask = (target: string, accepted?: string, method = 'GET') =>
  exchange(port, target, { method, ...(accepted !== undefined && { headers: { 'accept-encoding': accepted } }) })

test.each([
  ...[
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate, zstd', undefined],
  ],
  ...[
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'gzip'],
    ['br, gzip', 'br'],
    ['*', 'br'],
  ],
  ...[
    ['gzip;q=0.5, br;q=0.9', 'br'],
    ['br;q=0.1, gzip;q=0.2', 'gzip'],
    ['gzip;q=0.5, identity', undefined],
  ],
  ...[
    ['gzip;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, br;q=0, *', undefined],
    ['*;q=0', undefined],
  ],
  ...[
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0', undefined],
    ['identity;q=0, *', 'br'],
    ['gzip;q=x', undefined],
  ],
])('accept-encoding %j gets %j, and the same bytes', async (accepted, coding) => {
  const { headers, text: decoded, bytes } = await ask('/page', accepted)
  expect(headers['content-encoding']).toBe(coding)
  expect(headers).toMatchObject({ vary: 'accept-encoding', 'content-length': String(bytes) })
  expect(decoded).toBe(text(40_000).toString())
  if (coding !== undefined) expect(bytes).toBeLessThan(2_000)
})

test.each(['/page', '/large', '/pieces', '/kept', '/parts', '/failure', '/1024'])(
  'the body of %s decodes to the very bytes, and HEAD has the headers of GET',
  async (target) => {
    const plain = await ask(target)
    expect(plain.headers).not.toHaveProperty('content-encoding')
    for (const coding of ['br', 'gzip']) {
      const get = await ask(target, coding)
      expect(get.text).toBe(plain.text)
      expect(get.headers['content-encoding']).toBe(target === '/1024' ? undefined : coding)
      const { date: _date, 'transfer-encoding': _chunked, ...headers } = get.headers
      const head = await ask(target, coding, 'HEAD')
      expect(head).toMatchObject({ status: get.status, headers, text: '' })
    }
  },
)

test('bodies of more than 1 KB are compressed, and smaller ones where the client takes no plain ones', async () => {
  expect((await ask('/1025', 'gzip')).headers['content-encoding']).toBe('gzip')
  expect((await ask('/1024', 'gzip, identity;q=0')).headers['content-encoding']).toBe('gzip')
})

test('an answer with a secret is never compressed', async () => {
  const { headers, bytes } = await ask('/secret', 'gzip, identity;q=0')
  expect(headers).not.toHaveProperty('content-encoding')
  expect(bytes).toBe(40_000)
})

test('a body that is kept is compressed once for each coding, however many ask at once', async () => {
  const made: number[] = []
  keepCompressed(keptBody, (bytes) => made.push(bytes))
  const answers = await Promise.all(['gzip', 'br', 'gzip', 'br', 'gzip'].map((coding) => ask('/kept', coding)))
  expect(new Set(answers.map(({ text: decoded }) => decoded))).toEqual(new Set([keptBody.toString()]))
  expect(made.toSorted()).toEqual([...new Set(answers.map(({ bytes }) => bytes))].toSorted())
  expect(made).toHaveLength(2)
})

test('of an answer that nobody reads little is compressed, and it is cut', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => undefined)
  socket.write('GET /endless HTTP/1.1\r\nhost: a\r\naccept-encoding: gzip\r\n\r\n')
  await until(() => cuts.length > 0)
  expect(cuts).toEqual(['stalled'])
  expect(parts * noise.length).toBeLessThan(24 * 1024 * 1024) // What the system holds for a connection, and little more.
  socket.destroy()
})
