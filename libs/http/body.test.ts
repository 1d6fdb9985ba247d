// Tests the reading of JSON bodies over real HTTP: what passes, what is refused, and that bytes beyond the bound are not kept.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { request as openRequest } from 'node:http'
import { connect } from 'node:net'
import { collectGarbage } from '#testing/garbage'
import { parseObject, readBody, readBytes } from './body.ts'
import { failureOf } from './failure.ts'
import { type HttpServer, openHttpServer } from './server.ts'
import { wholePace } from './slow-body.ts'

let server: HttpServer
let port: number

beforeAll(async () => {
  server = openHttpServer((request, response) => {
    readBody({ req: request, res: response }).then(
      (body) => response.end(JSON.stringify(echo(body))),
      (error: unknown) => response.writeHead(failureOf(error, 'r').status).end(failureOf(error, 'r').body),
    )
  })
  port = await server.listen(0, '127.0.0.1')
})
afterAll(() => server.stop())

function echo(body: Buffer): unknown {
  try {
    return { bytes: body.length, object: parseObject(body) }
  } catch (error) {
    return JSON.parse(failureOf(error, 'r').body.toString())
  }
}

type Sent = { headers?: Record<string, string>; chunks: (string | Buffer)[] }

function send({ headers = { 'content-type': 'application/json' }, chunks }: Sent): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const outgoing = openRequest({ port, method: 'POST', headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve(JSON.parse(text)))
    })
    outgoing.on('error', reject)
    for (const chunk of chunks) outgoing.write(chunk)
    outgoing.end()
  })
}

const refusal = (message: string) => ({ error: expect.objectContaining({ code: 'invalid_request', message }) })
const held = () => {
  collectGarbage()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}
const filled = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`

describe('size', () => {
  test('65,536 bytes pass, 65,537 do not: with a length and in chunks without one', async () => {
    const whole = (bytes: number) => ({
      headers: { 'content-type': 'application/json', 'content-length': String(bytes) },
      chunks: [filled(bytes)],
    })
    const chunked = (bytes: number) => ({ chunks: [filled(bytes).slice(0, 40_000), filled(bytes).slice(40_000)] })
    expect(await send(whole(65_536))).toMatchObject({ bytes: 65_536 })
    expect(await send(chunked(65_536))).toMatchObject({ bytes: 65_536 })
    expect(await send(whole(65_537))).toEqual(refusal('The body is larger than 65536 bytes.'))
    expect(await send(chunked(65_537))).toEqual(refusal('The body is larger than 65536 bytes.'))
  })

  test('a body many times too large is answered, and the answer is not lost', async () => {
    const chunks = Array.from({ length: 200 }, () => 'x'.repeat(64 * 1024))
    expect(await send({ chunks })).toEqual(refusal('The body is larger than 65536 bytes.'))
  })

  test('and bytes beyond the bound are not kept: 100 MB leave the memory as it was', async () => {
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.on('data', (bytes: Buffer) => (heard += bytes.toString()))
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'x'), Buffer.from('\r\n')])
    const before = held()
    for (let sent = 0; sent < 1_600; sent += 1) {
      if (!socket.write(chunk)) await new Promise((resolve) => socket.once('drain', resolve))
    }
    const kept = held() - before
    socket.end('0\r\n\r\n')
    await new Promise((resolve) => socket.once('close', resolve))
    expect(heard).toMatch(/^HTTP\/1\.1 400 /)
    expect(kept).toBeLessThan(30_000_000)
  })
})

test('a body that drips is 400 when its time is over, also where the server waits for files, and the connection ends', async () => {
  const patient = openHttpServer(
    (request, response) => {
      readBytes({ req: request, res: response }, 1_000, { ...wholePace, everyMs: 300 }).catch((error: unknown) =>
        response.writeHead(failureOf(error, 'r').status).end(failureOf(error, 'r').body),
      )
    },
    { requestTimeout: 900_000 },
  )
  const socket = connect(await patient.listen(0, '127.0.0.1'), '127.0.0.1')
  let heard = ''
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString()))
  socket.on('error', () => undefined)
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n')
  const drip = setInterval(() => socket.write(' '), 20)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(drip)
  expect(heard).toMatch(/^HTTP\/1\.1 400 [^]*connection: close[^]*took too long to arrive/i)
  await patient.stop()
})

describe('form', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
    'application/json; charset=utf8',
    'application/json; profile="a;b"; charset=utf-8; q=1',
  ])('content-type %s passes', async (type) => {
    expect(await send({ headers: { 'content-type': type }, chunks: ['{"a":1}'] })).toEqual({
      bytes: 7,
      object: { a: 1 },
    })
  })

  test.each([
    'text/plain',
    'application/json; charset=latin1',
    'application/jsonp',
    'json',
    'application/json, text/plain',
    'multipart/form-data; boundary=x',
  ])('content-type %s is refused', async (type) => {
    expect(await send({ headers: { 'content-type': type }, chunks: ['{}'] })).toEqual(
      refusal('The body must be JSON in UTF-8: send content-type application/json.'),
    )
  })

  test('a compressed body is refused', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    expect(await send({ headers, chunks: ['{}'] })).toEqual(refusal('The body must not be compressed.'))
  })
})

describe('content', () => {
  test.each([
    ['not JSON', '{"a":', 'The body is not valid JSON.'],
    ['nothing', '', 'The body is not valid JSON.'],
    ['a byte order mark', '\ufeff{}', 'The body is not valid JSON.'],
    ['a list', '[]', 'The body must be a JSON object.'],
    ['null', 'null', 'The body must be a JSON object.'],
    ['100,000 brackets', '['.repeat(65_000), 'The body is nested deeper than 32 levels.'],
    ['a field twice', '{"email":"a","email":"b"}', 'The body has the field "email" twice.'],
    [
      'U+0000 deep inside',
      '{"items":[{"title":"a"},{"title":"a\\u0000"}]}',
      'items[1].title must be text without U+0000 or broken characters.',
    ],
    ['a lone surrogate', '{"a":{"b":"\\ud800"}}', 'a.b must be text without U+0000 or broken characters.'],
    ['a broken field name', '{"a":{"\\ud800":1}}', 'A field name in a has U+0000 or broken characters.'],
  ])('%s is refused with its place', (_name, text, message) => {
    expect(echo(Buffer.from(text))).toEqual(refusal(message))
  })

  test('bytes that are not UTF-8 are refused', () => {
    expect(echo(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toEqual(refusal('The body is not valid UTF-8.'))
  })

  test('no body changes what every object has', () => {
    echo(Buffer.from('{"__proto__":{"x":1}}'))
    echo(Buffer.from('{"constructor":{"prototype":{"x":1}}}'))
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })
})
