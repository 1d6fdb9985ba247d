// Guarantees of gate.ts: a row of the fault table is worth what its fault is.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type Gate, openGate } from './gate.ts'

let echo: Server
let gate: Gate
const ends = new Set<Socket>()

beforeEach(async () => {
  echo = createServer((socket) => {
    ends.add(socket)
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  gate = await openGate((echo.address() as AddressInfo).port)
})
afterEach(async () => {
  await gate.close()
  for (const socket of ends) socket.destroy()
  ends.clear()
  await new Promise((resolve) => echo.close(resolve))
})

function open() {
  const socket = connect(gate.port, '127.0.0.1')
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

test('what is sent is held for so long, keeps its order, and goes at once when the delay ends', async () => {
  const { socket, until } = open()
  gate.delay(300)
  const began = performance.now()
  socket.write('one')
  await until('one')
  expect(performance.now() - began).toBeGreaterThanOrEqual(299)
  gate.delay(60_000)
  socket.write('two')
  await new Promise((resolve) => setImmediate(resolve))
  gate.delay(0)
  socket.write('three')
  await until('onetwothree')
  socket.destroy()
})

test('a silent way tells nobody; when it heals, connections that lost bytes are reset and new ones pass', async () => {
  const old = open()
  old.socket.write('one')
  await old.until('one')
  gate.silence()
  old.socket.write('two')
  const late = open()
  late.socket.write('three')
  const [server] = ends
  await new Promise<void>((resolve) => late.socket.once('connect', resolve))
  server?.write('four')
  await expect(Promise.race([old.closed, late.closed, pause(200)])).resolves.toBe('nothing')
  expect([old.heard(), late.heard(), ends.size]).toEqual(['one', '', 1])
  gate.heal()
  expect([await old.closed, await late.closed]).toEqual(['ECONNRESET', 'ECONNRESET'])
  const next = open()
  next.socket.write('five')
  await next.until('five')
  next.socket.destroy()
})

test('a refusing way resets what is open and what comes', async () => {
  const old = open()
  old.socket.write('one')
  await old.until('one')
  gate.refuse()
  expect(await old.closed).toBe('ECONNRESET')
  expect(await open().closed).toBe('ECONNRESET')
})

function pause(ms: number): Promise<string> {
  return new Promise((resolve) => setTimeout(() => resolve('nothing'), ms))
}
