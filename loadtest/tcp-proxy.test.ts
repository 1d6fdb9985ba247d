// Guarantees of tcp-proxy.ts: a row of the fault table is worth what its fault is.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
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
  let text = ''
  let look = () => undefined as void
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    look()
  })
  const closed = new Promise<string>((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    socket.once('close', () => resolve('closed'))
  })
  const until = (wanted: string) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (text === wanted) resolve()
      }
      look()
    })
  return { socket, closed, until, heard: () => text }
}

test('what is sent passes both ways', async () => {
  const { socket, until } = open()
  socket.write('one')
  await until('one')
  socket.write('two')
  await until('onetwo')
  socket.destroy()
})

test('what is sent is delayed, keeps its order, and goes at once when the delay ends', async () => {
  const { socket, until } = open()
  proxy.delay(300)
  const began = performance.now()
  socket.write('one')
  await until('one')
  expect(performance.now() - began).toBeGreaterThanOrEqual(299)
  proxy.delay(60_000)
  socket.write('two')
  await new Promise((resolve) => setImmediate(resolve))
  proxy.delay(0)
  socket.write('three')
  await until('onetwothree')
  socket.destroy()
})

test('a silent proxy closes nothing; when it heals, connections that lost bytes are reset and new ones pass', async () => {
  const old = open()
  old.socket.write('one')
  await old.until('one')
  proxy.silence()
  old.socket.write('two')
  const late = open()
  late.socket.write('three')
  const [server] = ends
  await new Promise<void>((resolve) => late.socket.once('connect', resolve))
  server?.write('four')
  await expect(Promise.race([old.closed, late.closed, pause(200)])).resolves.toBe('nothing')
  expect([old.heard(), late.heard(), ends.size]).toEqual(['one', '', 1])
  proxy.heal()
  expect([await old.closed, await late.closed]).toEqual(['ECONNRESET', 'ECONNRESET'])
  const next = open()
  next.socket.write('five')
  await next.until('five')
  next.socket.destroy()
})

test('a refusing proxy resets open and new connections', async () => {
  const old = open()
  old.socket.write('one')
  await old.until('one')
  proxy.refuse()
  expect(await old.closed).toBe('ECONNRESET')
  expect(await open().closed).toBe('ECONNRESET')
})

function pause(ms: number): Promise<string> {
  return new Promise((resolve) => setTimeout(() => resolve('nothing'), ms))
}
