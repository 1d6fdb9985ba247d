// Tests the HTTP server as a rude client meets it, through raw sockets, and its end as a polite one does.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { connect, type Socket } from 'node:net'
import type { ServerResponse } from 'node:http'
import { readBody } from './body.ts'
import { type HttpServer, openHttpServer } from './server.ts'

let server: HttpServer
let port: number
let held: ServerResponse[]

beforeEach(() => serve())
async function serve(limits: Parameters<typeof openHttpServer>[1] = {}): Promise<void> {
  held = []
  server = openHttpServer((request, response) => {
    if (request.url === '/held') held.push(response)
    else if (request.method === 'POST')
      readBody({ req: request, res: response }).then(
        () => response.end('read'),
        () => response.writeHead(400).end(),
      )
    else response.end('fine')
  }, limits)
  port = await server.listen(0, '127.0.0.1')
}
afterEach(async () => {
  for (const response of held) response.end()
  await server.stop()
})

/** Sends raw text and returns everything that came back until the server closed the connection. */
function talk(text: string): Promise<string> {
  const { socket, heard } = open()
  socket.write(text)
  return heard
}

function open(): { socket: Socket; heard: Promise<string>; until(pattern: string): Promise<void> } {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let check = () => undefined as void
  socket.on('data', (chunk) => {
    text += chunk.toString()
    check()
  })
  socket.on('error', () => undefined) // What was heard before it counts.
  const heard = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  const until = (pattern: string) =>
    new Promise<void>((resolve) => {
      check = () => {
        if (text.includes(pattern)) resolve()
      }
      check()
    })
  return { socket, heard, until }
}

function parsed(raw: string) {
  const [head = '', body = ''] = raw.split('\r\n\r\n')
  const [status, ...lines] = head.split('\r\n')
  return { status, headers: Object.fromEntries(lines.map((line) => line.split(': '))), body: JSON.parse(body) }
}

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'service-version': '2026-08-12',
  'cache-control': 'no-store, private',
  'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  'content-length': expect.any(String),
  connection: 'close',
}

describe('bytes that are not a request', () => {
  test.each([
    ['garbage', '\x16\x03\x01\x02\x00garbage\r\n\r\n'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\nhost: a\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nhost: a\r\n: b\r\n\r\n'],
    [
      'a length and chunks at once',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n',
    ],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd'],
    ['a folded header', 'GET / HTTP/1.1\r\nhost: a\r\nx-a: b\r\n c\rd\r\n\r\n'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n'],
  ])('%s is answered 400 in the envelope, and the connection ends', async (_name, text) => {
    const { status, headers, body } = parsed(await talk(text))
    expect({ status, headers }).toEqual({ status: 'HTTP/1.1 400 Bad Request', headers: HEADERS })
    const message = 'This is not a request in HTTP/1.1 form.'
    const about = { param: null, requestId: headers['x-request-id'], doc: '/docs/errors#invalid_request' }
    expect(body).toEqual({ error: { code: 'invalid_request', message, ...about } })
  })

  test('headers above 16 KB are answered 400 in the envelope', async () => {
    const raw = await talk(`GET / HTTP/1.1\r\nhost: a\r\nx-long: ${'x'.repeat(17_000)}\r\n\r\n`)
    expect(parsed(raw)).toEqual({
      status: 'HTTP/1.1 400 Bad Request',
      headers: HEADERS,
      body: {
        error: expect.objectContaining({
          code: 'invalid_request',
          message: 'The request line and headers are larger than 16384 bytes.',
        }),
      },
    })
  })

  test('garbage behind a request that is still being answered ends the connection without a word in between', async () => {
    const { socket, heard } = open()
    socket.write('GET /held HTTP/1.1\r\nhost: a\r\n\r\nGARBAGE\r\n\r\n')
    expect(await heard).toBe('')
  })

  test('an unknown Expect is answered as if it were absent', async () => {
    const raw = await talk('GET / HTTP/1.1\r\nhost: a\r\nexpect: tea\r\nconnection: close\r\n\r\n')
    expect(raw).toContain('HTTP/1.1 200 OK')
  })
})

describe('a client that waits with its body', () => {
  const ask = (headers: string) =>
    open2(`POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`)
  const open2 = (text: string) => {
    const opened = open()
    opened.socket.write(text)
    return opened
  }

  test('gets 100 Continue when the body is read', async () => {
    const { socket, heard, until } = ask('content-length: 2')
    await until('HTTP/1.1 100 Continue')
    socket.write('{}GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    expect(await heard).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK[\s\S]*read[\s\S]*fine/)
  })

  test('gets the final status at once where the body is refused unread, and the connection ends', async () => {
    expect(await ask('content-length: 65537').heard).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close/)
  })
})

describe('slow clients', () => {
  beforeEach(async () => {
    await server.stop()
    await serve({ headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 100 })
  })

  const late = {
    error: expect.objectContaining({ code: 'invalid_request', message: 'The request took too long to arrive.' }),
  }

  test('a connection on which nothing was sent ends without an answer, which a request that is just being sent would take for its own', async () => {
    expect(await open().heard).toBe('')
  })

  test('headers that drip are cut off', async () => {
    expect(parsed(await talk('GET / HTTP/1.1\r\nhost: a\r\nx-slow: '))).toMatchObject({ headers: HEADERS, body: late })
  })

  test('a body that drips is cut off', async () => {
    const raw = await talk('POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{')
    expect(parsed(raw)).toMatchObject({ headers: HEADERS, body: late })
  })

  test('others are served meanwhile', async () => {
    const slow = talk('GET / HTTP/1.1\r\nhost: a\r\n')
    expect(await talk('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).toContain('fine')
    await slow
  })
})

describe('the end', () => {
  test('requests in flight are finished and close their connections; after that connections are refused', async () => {
    const { socket, heard } = open()
    socket.write('GET /held HTTP/1.1\r\nhost: a\r\n\r\n')
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const stopped = server.stop()
    held.pop()?.end('done')
    expect(await heard).toMatch(/^HTTP\/1\.1 200 OK\r\nconnection: close\r\n[\s\S]*done$/)
    await stopped
    await expect(refused()).resolves.toBe('ECONNREFUSED')
  })

  test('a connection that was opened ahead and never used does not delay it by the 10 s of its headers', async () => {
    const patient = openHttpServer((_request, response) => void response.end('fine'))
    const unused = connect(await patient.listen(0, '127.0.0.1'), '127.0.0.1')
    await new Promise((resolve) => unused.once('connect', resolve))
    const cut = new Promise((resolve) => unused.once('close', resolve))
    const began = performance.now()
    await patient.stop()
    await cut
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  test('an idle connection may send one more request, whose response closes it', async () => {
    const { socket, heard, until } = open()
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    await until('fine')
    const stopped = server.stop()
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    expect((await heard).split('HTTP/1.1 200 OK')[2]).toMatch(/connection: close/i)
    await stopped
  })

  function refused(): Promise<string | undefined> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve('connected'))
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    })
  }
})
