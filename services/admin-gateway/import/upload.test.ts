// The body of an import as a file: how fast it must come (docs/spec/imports.md#size).
import { afterEach, expect, jest, test } from '@jest/globals'
import { connect } from 'node:net'
import { failureOf } from '#http/failure'
import { type HttpServer, openHttpServer } from '#http/server'
import { until } from '#testing/until'
import { receiveUpload, withUpload } from './upload.ts'

let server: HttpServer
afterEach(() => server.stop())

const pace = { everyMs: 1_000, bytes: 20, bytesMax: 1_000 }

/**
 * Sends a file of 1,000 bytes to an upload with that pace, `bytes` in each of its periods; returns the response. A period ends when its
 * bytes were taken, so that the outcome does not depend on how busy the machine is.
 */
async function sent(bytes: number): Promise<string> {
  const real = ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setTimeout'] as const
  jest.useFakeTimers({ doNotFake: [...real, 'clearImmediate', 'clearTimeout'] })
  try {
    let taken = 0
    server = openHttpServer((req, res) => {
      const answer = (status: number, body: unknown) => res.writeHead(status).end(String(body))
      receiveUpload({ req, res }, async ({ length }) => (taken += length), pace).then(
        (all) => answer(201, all),
        (error: unknown) => answer(failureOf(error, 'r').status, failureOf(error, 'r').body),
      )
    })
    const socket = connect(await server.listen(0, '127.0.0.1'), '127.0.0.1')
    let heard = ''
    let isClosed = false
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()))
    socket.on('error', () => undefined)
    socket.once('close', () => (isClosed = true))
    socket.write('POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 1000\r\n\r\n')
    for (let written = bytes; written <= 1_000 && !isClosed; written += bytes) {
      socket.write('x'.repeat(bytes))
      await until(() => taken >= written || isClosed)
      jest.advanceTimersByTime(pace.everyMs)
    }
    await until(() => isClosed)
    return heard
  } finally {
    jest.useRealTimers()
  }
}

test('a file that goes on coming is taken however long it takes', async () => {
  expect(await sent(40)).toMatch(/^HTTP\/1\.1 201 [^]*\r\n1000\r\n/)
})

test('a file that stalls or drips is 400, and its place is free again', async () => {
  expect(await sent(1)).toMatch(/^HTTP\/1\.1 400 [^]*took too long to arrive/)
})

test.each([10, 1_000])(
  'a connection that ends after 10 of %d bytes, before they are read, is 400 and no failure of the server',
  async (length) => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    server = openHttpServer((request, response) => {
      response.once('close', () => {
        withUpload({ req: request, res: response }, async () => 'stored', pace).then(resolve, resolve)
      })
    })
    const socket = connect(await server.listen(0, '127.0.0.1'), '127.0.0.1')
    socket.end(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n${'x'.repeat(10)}`, () =>
      socket.destroy(),
    )
    const outcome = await promise
    expect(failureOf(outcome, 'r').status).toBe(400)
    expect(failureOf(outcome, 'r').message).toBe('The body broke off.')
  },
)

test('a file that turns out to be larger than is allowed is 400, although its length was not announced', async () => {
  server = openHttpServer((req, res) => {
    const answer = (status: number, body: unknown) => res.writeHead(status).end(String(body))
    withUpload({ req, res }, async () => answer(201, 'stored'), pace).catch((error: unknown) =>
      answer(failureOf(error, 'r').status, failureOf(error, 'r').message),
    )
  })
  const url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}/`
  const send = async (bytes: number) => {
    const body = new Blob([Buffer.alloc(bytes)]).stream() // Sent in chunks, without a length.
    const answer = await fetch(url, { method: 'POST', body, duplex: 'half' })
    return [answer.status, await answer.text()]
  }
  expect(await send(1_000)).toEqual([201, 'stored'])
  expect(await send(1_001)).toEqual([400, 'The file is larger than 1000 bytes.'])
})
