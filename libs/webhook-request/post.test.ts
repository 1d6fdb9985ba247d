// Tests one request against servers that answer right, wrong, slowly, endlessly or not at all. docs/spec/webhooks.md#attempt,
// #address-rules
import { describe, expect, test } from '@jest/globals'
import { gzipSync } from 'node:zlib'
import { makeCertificate } from '#testing/servers/certificate'
import { until } from '#testing/until'
import { receiversPerTest, saying } from '#testing/servers/raw-receivers'
import { drip, flood, hang, reset } from '#testing/servers/receiver'
import { type HttpOptions, post, type RequestLimits, requestLimits } from './post.ts'

/** Only the given time limits can be reached, however busy the machine is. */
function within(given: Partial<RequestLimits> = {}): HttpOptions {
  const limits = { ...requestLimits, connectMs: 120_000, headMs: 120_000, bodyMs: 120_000, ...given }
  return { limits, allowPrivate: true, resolve: async () => ['127.0.0.1'] }
}
const http = within()
const strict: HttpOptions = { ...http, allowPrivate: false }
const { listen, serveRaw } = receiversPerTest()

function send(
  url: string,
  { over = http, headers = {}, body = '{"a":1}', signal = new AbortController().signal } = {},
) {
  return post(over, {
    url,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(body),
    signal,
  })
}

describe('a request', () => {
  test('has the given bytes and headers, and adds only what HTTP/1.1 requires', async () => {
    const receiver = await listen()
    const body = '{"name":"é日本🎉\u2028"}'
    const length = String(Buffer.byteLength(body))
    await send(receiver.url, { body, headers: { 'content-length': length, 'webhook-id': 'x' } })
    expect(receiver.received[0]?.body).toBe(body)
    expect(receiver.received[0]?.headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      connection: 'close',
      'content-type': 'application/json',
      'content-length': length,
      'webhook-id': 'x',
    })
  })

  test('is not sent where a header value would be two headers', async () => {
    const receiver = await listen()
    for (const value of ['a\r\nx-evil: 1', 'a\nb', 'a\0b']) {
      expect(await send(receiver.url, { headers: { 'webhook-id': value } })).toMatchObject({ status: null })
    }
    expect(receiver.received).toEqual([])
  })

  test('has its own connection each time', async () => {
    const receiver = await listen()
    for (let time = 0; time < 3; time += 1) await send(receiver.url)
    expect(receiver.connections()).toBe(3)
  })
})

describe('a response', () => {
  test('is returned with its status, Retry-After and Date', async () => {
    for (const status of [200, 204, 404, 410, 500, 503]) {
      const receiver = await listen({ status, headers: { 'retry-after': '7' } })
      expect(await send(receiver.url)).toMatchObject({ status, error: null, retryAfter: '7', date: expect.any(String) })
    }
  })

  test('that redirects is not followed', async () => {
    const goal = await listen()
    const receiver = await listen({ status: 307, headers: { location: goal.url } })
    expect(await send(receiver.url)).toMatchObject({ status: 307, error: 'redirect' })
    expect(goal.received).toEqual([])
  })

  test('is kept with its first 2 KiB, as plain text', async () => {
    const receiver = await listen({ body: `<b>\u0000\u001b[31m\n\t${'ü'.repeat(4_000)}` })
    const { excerpt } = await send(receiver.url)
    expect(excerpt.startsWith('<b>\uFFFD\uFFFD[31m\n\tüü')).toBe(true)
    expect(Buffer.byteLength(excerpt.replaceAll('\uFFFD', '.'))).toBeLessThanOrEqual(2_048)
    expect(excerpt.isWellFormed()).toBe(true)
  })

  test('that is compressed is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const receiver = await listen((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    })
    const answer = await send(receiver.url)
    expect(answer).toMatchObject({ status: 200, error: null })
    expect(answer.excerpt.length).toBeLessThanOrEqual(2_048)
  })

  test.each([
    ['drips without end', drip],
    ['never ends', flood],
  ])('that %s counts by its status, and is aborted', async (_name, reply) => {
    const receiver = await listen(reply)
    expect(await send(receiver.url, { over: within({ bodyMs: 200 }) })).toMatchObject({ status: 200, error: null })
    await until(() => receiver.open().now === 0)
  })

  test('whose body is incomplete counts by its status', async () => {
    const { url } = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')
      setTimeout(() => socket.resetAndDestroy(), 50)
    })
    expect(await send(url)).toMatchObject({ status: 200, error: null })
  })
})

describe('a receiver that', () => {
  test('never answers times out', async () => {
    const headMs = 800
    const answer = await send((await listen(hang)).url, { over: within({ headMs }) })
    expect(answer).toMatchObject({ status: null, error: 'timeout' })
    expect(answer.durationMs).toBeGreaterThanOrEqual(headMs - 10)
  })

  test('drips its head times out', async () => {
    const { url } = await serveRaw(saying('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'))
    expect(await send(url, { over: within({ headMs: 800 }) })).toMatchObject({ status: null, error: 'timeout' })
  })

  test('breaks the connection is "reset"', async () => {
    expect(await send((await listen(reset)).url)).toMatchObject({ status: null, error: 'reset' })
    const closing = await serveRaw((socket) => socket.end())
    expect(await send(closing.url)).toMatchObject({ status: null, error: 'reset' })
  })

  test('is not there is "connection"', async () => {
    // Port 9: one that was free a moment ago may be another process's by now.
    expect(await send('http://127.0.0.1:9/')).toMatchObject({ status: null, error: 'connection' })
  })

  test.each([
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['sends a head beyond 16 KB', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`],
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['floods with interim answers', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(5_000)],
    ['contradicts itself', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n'],
  ])('%s is "bad_http"', async (_name, said) => {
    const { url } = await serveRaw(saying(said))
    expect(await send(url)).toMatchObject({ status: null, error: 'bad_http' })
  })

  test('sends some interim responses first is read to the end', async () => {
    const { url } = await serveRaw((socket) => {
      socket.write(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3)}HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n`)
    })
    expect(await send(url)).toMatchObject({ status: 202, error: null })
  })
})

describe('TLS', () => {
  const own = makeCertificate('hooks.example.com')

  test('is verified against the name, on the address that was checked', async () => {
    const receiver = await listen({}, { tls: own })
    const at = (name: string) => `https://${name}:${receiver.port}/hook`
    const trusting = { ...http, ca: own.cert }
    expect(await send(at('hooks.example.com'), { over: trusting })).toMatchObject({ status: 200, error: null })
    expect(await send(at('other.example.com'), { over: trusting })).toMatchObject({ status: null, error: 'tls' })
    expect(await send(at('hooks.example.com'))).toMatchObject({ status: null, error: 'tls' })
    expect(receiver.received).toHaveLength(1)
  })

  test('with a server that does not speak it is "tls"', async () => {
    const receiver = await listen()
    expect(await send(`https://hooks.example.com:${receiver.port}/`)).toMatchObject({ status: null, error: 'tls' })
  })

  test('that never begins times out with the connection', async () => {
    const { url } = await serveRaw(() => undefined)
    const over = within({ connectMs: 400 })
    const answer = await send(url.replace('http:', 'https:'), { over })
    expect(answer).toMatchObject({ status: null, error: 'timeout' })
  })
})

describe('the address', () => {
  test.each([
    ...['http://127.0.0.1', 'https://127.0.0.1', 'https://[::1]', 'https://[::ffff:7f00:1]', 'https://2130706433'],
    ...['https://user@hooks.example.com'],
  ])('%s is blocked before a packet is sent', async (origin) => {
    const receiver = await listen()
    expect(await send(`${origin}:${receiver.port}/`, { over: strict })).toMatchObject({
      status: null,
      error: 'blocked_address',
    })
    expect(receiver.connections()).toBe(0)
  })

  test('of the allowed origin is not blocked; every other one is', async () => {
    const [receiver, other] = [await listen(), await listen()]
    const over = { ...strict, allowedOrigin: new URL(receiver.url).origin }
    expect(await send(receiver.url, { over })).toMatchObject({ status: 200, error: null })
    for (const url of [other.url, `http://user@127.0.0.1:${receiver.port}/`, `https://127.0.0.1:${receiver.port}/`]) {
      expect(await send(url, { over })).toMatchObject({ status: null, error: 'blocked_address' })
    }
    expect([receiver.connections(), other.connections()]).toEqual([1, 0])
  })

  test.each([[['127.0.0.1']], [['8.8.8.8', '127.0.0.1']], [['2606:4700:4700::1111', 'fd00::1']], [['not an address']]])(
    'a name that leads to %p is blocked: one bad answer refuses all',
    async (addresses) => {
      const receiver = await listen()
      const over = { ...strict, resolve: async () => addresses }
      const answer = await send(`https://hooks.example.com:${receiver.port}/`, { over })
      expect(answer).toMatchObject({ status: null, error: 'blocked_address' })
      expect(receiver.connections()).toBe(0)
    },
  )

  test('of a name that answers public first and loopback later: resolved once, and never connected to loopback', async () => {
    const receiver = await listen()
    let lookups = 0
    const rebinding = async () => {
      lookups += 1
      return lookups === 1 ? ['240.0.0.1'] : ['127.0.0.1']
    }
    // All addresses are allowed here, so only the pinned lookup prevents the connection. 240.0.0.1 is unused.
    const over = { ...within({ connectMs: 400 }), resolve: rebinding }
    const answer = await send(`http://hooks.example.com:${receiver.port}/`, { over })
    expect(answer.status).toBeNull()
    expect(lookups).toBe(1)
    expect(receiver.connections()).toBe(0)
  })

  test('of an unknown name is "dns", of one whose server does not answer "timeout"', async () => {
    expect(await send('https://hooks.example.com/', { over: { ...strict, resolve: async () => [] } })).toMatchObject({
      error: 'dns',
    })
    const broken = { ...strict, resolve: () => Promise.reject(new Error('SERVFAIL')) }
    expect(await send('https://hooks.example.com/', { over: broken })).toMatchObject({ error: 'dns' })
    const silent = { ...within({ connectMs: 400 }), resolve: () => new Promise<string[]>(() => undefined) }
    expect(await send('https://hooks.example.com/', { over: silent })).toMatchObject({ error: 'timeout' })
  })
})

describe('the abort signal', () => {
  test('ends a request under way, and one that has not begun', async () => {
    const receiver = await listen(hang)
    const end = new AbortController()
    const answer = send(receiver.url, { signal: end.signal })
    await until(() => receiver.open().now === 1)
    end.abort()
    expect(await answer).toMatchObject({ status: null, error: 'interrupted' })
    await until(() => receiver.open().now === 0)
    expect(await send(receiver.url, { signal: end.signal })).toMatchObject({ error: 'interrupted' })
    expect(receiver.received).toHaveLength(1)
  })
})
