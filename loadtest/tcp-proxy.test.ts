// Guarantees of tcp-proxy.ts: a row of the fault table is worth what its fault is.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { until } from '#testing/until'
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'

let echo: Server
let proxy: TcpProxy
const ends = new Set<Socket>()

beforeEach(async () => {
  echo = createServer((socket) => {
    ends.add(socket)
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  proxy = await openTcpProxy(`tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`)
})
afterEach(async () => {
  await proxy.close()
  for (const socket of ends) socket.destroy()
  ends.clear()
  await new Promise((resolve) => echo.close(resolve))
})

/** A connection, and what it has seen so far. */
function open() {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1')
  const seen = { text: '', closed: '' }
  socket.on('data', (chunk: Buffer) => (seen.text += chunk.toString()))
  socket.once('error', (error: NodeJS.ErrnoException) => (seen.closed = error.code ?? ''))
  socket.once('close', () => (seen.closed ||= 'closed'))
  const heard = (wanted: string) => until(() => seen.text === wanted)
  return { socket, seen, heard, isReset: () => until(() => seen.closed === 'ECONNRESET') }
}

/** A connection on which this text has been echoed. */
async function openWith(text: string) {
  const opened = open()
  opened.socket.write(text)
  await opened.heard(text)
  return opened
}

test('what is sent is delayed, keeps its order, and goes at once when the delay ends', async () => {
  const { socket, heard } = await openWith('one')
  proxy.delay(300)
  const began = performance.now()
  socket.write('two')
  await heard('onetwo')
  expect(performance.now() - began).toBeGreaterThanOrEqual(299)
  proxy.delay(60_000)
  socket.write('three')
  await new Promise((resolve) => setImmediate(resolve))
  proxy.delay(0)
  socket.write('four')
  await heard('onetwothreefour')
})

test('a silent proxy closes nothing; when it heals, connections that lost bytes are reset and new ones pass', async () => {
  const old = await openWith('one')
  proxy.silence()
  old.socket.write('two')
  const late = open()
  late.socket.write('three')
  await once(late.socket, 'connect')
  for (const server of ends) server.write('four')
  await new Promise((resolve) => setTimeout(resolve, 200)) // Nothing is to happen.
  const nothing = { text: '', closed: '' }
  expect([old.seen, late.seen, ends.size]).toEqual([{ ...nothing, text: 'one' }, nothing, 1])
  proxy.heal()
  await old.isReset()
  await late.isReset()
  await openWith('five')
})

test('a refusing proxy resets open and new connections', async () => {
  const old = await openWith('one')
  proxy.refuse()
  await old.isReset()
  await open().isReset()
})
