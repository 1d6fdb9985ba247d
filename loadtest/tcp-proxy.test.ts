// Guarantees of tcp-proxy.ts: a row of the fault table is worth what its fault is.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { until } from './program.ts'
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'

const WAIT_MS = 10_000
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
  proxy = await openTcpProxy((echo.address() as AddressInfo).port)
})
afterEach(async () => {
  await proxy.close()
  for (const socket of ends) socket.destroy()
  ends.clear()
  await new Promise((resolve) => echo.close(resolve))
})

function open() {
  const socket = connect(proxy.port, '127.0.0.1')
  const seen = { text: '', closed: '' }
  socket.on('data', (chunk: Buffer) => (seen.text += chunk.toString()))
  socket.once('error', (error: NodeJS.ErrnoException) => (seen.closed = error.code ?? ''))
  socket.once('close', () => (seen.closed ||= 'closed'))
  return {
    ...{ socket, seen },
    heard: (wanted: string) => until(() => seen.text === wanted, WAIT_MS, 1),
    isReset: () => until(() => seen.closed === 'ECONNRESET', WAIT_MS, 1),
  }
}

test('what is sent passes both ways', async () => {
  const { socket, heard } = open()
  socket.write('one')
  expect(await heard('one')).toBe(true)
  socket.write('two')
  expect(await heard('onetwo')).toBe(true)
  socket.destroy()
})

test('what is sent is delayed, keeps its order, and goes at once when the delay ends', async () => {
  const { socket, heard } = open()
  proxy.delay(300)
  const began = performance.now()
  socket.write('one')
  expect(await heard('one')).toBe(true)
  expect(performance.now() - began).toBeGreaterThanOrEqual(299)
  proxy.delay(60_000)
  socket.write('two')
  await new Promise((resolve) => setImmediate(resolve))
  proxy.delay(0)
  socket.write('three')
  expect(await heard('onetwothree')).toBe(true)
  socket.destroy()
})

test('a silent proxy closes nothing; when it heals, connections that lost bytes are reset and new ones pass', async () => {
  const old = open()
  old.socket.write('one')
  expect(await old.heard('one')).toBe(true)
  proxy.silence()
  old.socket.write('two')
  const late = open()
  late.socket.write('three')
  await new Promise<void>((resolve) => late.socket.once('connect', resolve))
  for (const server of ends) server.write('four')
  expect(await until(() => old.seen.closed + late.seen.closed !== '', 200)).toBe(false)
  expect([old.seen.text, late.seen.text, ends.size]).toEqual(['one', '', 1])
  proxy.heal()
  expect([await old.isReset(), await late.isReset()]).toEqual([true, true])
  const next = open()
  next.socket.write('five')
  expect(await next.heard('five')).toBe(true)
  next.socket.destroy()
})

test('a refusing proxy resets open and new connections', async () => {
  const old = open()
  old.socket.write('one')
  expect(await old.heard('one')).toBe(true)
  proxy.refuse()
  expect(await old.isReset()).toBe(true)
  expect(await open().isReset()).toBe(true)
})
