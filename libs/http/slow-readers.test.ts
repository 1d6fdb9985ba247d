// Which answers are cut because of their readers, over real sockets (docs/spec/rest-api.md#unread-answers).
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import Koa from 'koa'
import { until } from '#testing/until'
import type { Exchange } from './exchange.ts'
import { answerAny } from './large-answer.ts'
import { type HttpServer, openHttpServer } from './server.ts'
import { type SlowReaders, watchReaders } from './slow-readers.ts'

const MB = 1024 * 1024
const BODY = Buffer.alloc(24 * MB, 'x') // More than the system takes for a reader that reads nothing.
let server: HttpServer
let port: number
let readers: SlowReaders
let cuts: string[]
let sockets: Socket[]

/** The path is the key; its answer is `BODY`. */
async function serve(bounds: Parameters<typeof watchReaders>[1]): Promise<void> {
  readers = watchReaders((response, because) => cuts.push(`${String(response.getHeader('x-key'))} ${because}`), {
    everyMs: 20,
    stalledMs: 60_000,
    ownerBytes: 1_000 * MB,
    processBytes: 1_000 * MB,
    allBytes: 1_000 * MB,
    ...bounds,
  })
  const app = new Koa<Exchange>()
  app.use(async (ctx) => {
    ctx.state.caller = { keyId: ctx.path } as never
    ctx.set('x-key', ctx.path)
    await answerAny(ctx, BODY, readers)
  })
  app.on('error', () => undefined)
  server = openHttpServer(app.callback(), {}, readers)
  port = await server.listen(0, '127.0.0.1')
}

/** Asks for an answer and reads nothing until it is told to. */
function ask(key: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => undefined)
  socket.write(`GET ${key} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
  sockets.push(socket)
  return socket
}

/** Reads all that comes and gives how many bytes that were. */
function readAll(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
    socket.once('close', () => resolve(bytes))
    socket.resume()
  })
}

beforeEach(() => {
  cuts = []
  sockets = []
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await server.stop()
})

test('an answer that makes no progress is cut; one that is read slowly arrives whole', async () => {
  await serve({ stalledMs: 3_000 })
  ask('/stalled')
  const slow = ask('/slow')
  let read = 0
  const timer = setInterval(() => {
    const chunk = slow.read() as Buffer | null
    read += chunk?.length ?? 0
  }, 10)
  await until(() => read > BODY.length && cuts.length > 0)
  clearInterval(timer)
  expect(cuts).toEqual(['/stalled stalled'])
})

test('above the bytes of a key its slowest reader is cut, and no answer of another key', async () => {
  await serve({ ownerBytes: 50 * MB })
  const first = ask('/a')
  const other = ask('/b')
  await until(() => first.bytesWritten > 0 && other.bytesWritten > 0)
  const second = readAll(ask('/a'))
  await second
  const [third] = [ask('/a'), ask('/a')]
  await until(() => cuts.length > 0)
  expect(cuts).toEqual(['/a key'])
  expect(await readAll(first)).toBeLessThan(BODY.length)
  expect(await second).toBeGreaterThan(BODY.length)
  expect(await readAll(other)).toBeGreaterThan(BODY.length)
  expect(await readAll(third)).toBeGreaterThan(BODY.length)
})

test('above the bytes of the process its slowest readers are cut, whatever their keys', async () => {
  await serve({ processBytes: 30 * MB })
  for (let key = 0; key < 3; key += 1) {
    ask(`/${key}`)
    await until(() => sockets.every((socket) => socket.bytesWritten > 0))
  }
  await until(() => cuts.length === 2)
  expect(cuts).toEqual(['/0 process', '/1 process'])
})

test('an answer that waits for its service is not cut', async () => {
  await serve({ stalledMs: 50 })
  let held: ServerResponse | undefined
  const quiet = openHttpServer((_request, response) => void (held = response), {}, readers)
  const quietPort = await quiet.listen(0, '127.0.0.1')
  const socket = connect(quietPort, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  await until(() => held)
  held?.write('begun')
  ask('/stalled') // Is cut after the time that the other has waited.
  await until(() => cuts.length > 0)
  held?.end(' and done')
  expect(await readAll(socket)).toBeGreaterThan(0)
  expect(cuts).toEqual(['/stalled stalled'])
  await quiet.stop()
})
