// Guarantees of tcp-proxy.ts: a row of the fault table is worth what its fault is.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
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

const connectToProxy = () => connect(Number(new URL(proxy.url).port), '127.0.0.1')

/** A connection on which this text has been echoed. */
async function openWith(text: string) {
  const socket = connectToProxy()
  const seen = { text: '', closed: '' }
  socket.on('data', (chunk: Buffer) => (seen.text += chunk.toString()))
  socket.once('error', (error: NodeJS.ErrnoException) => (seen.closed = error.code ?? ''))
  socket.once('close', () => (seen.closed ||= 'closed'))
  const heard = (wanted: string) => until(() => seen.text === wanted)
  const isReset = () => until(() => seen.closed === 'ECONNRESET')
  socket.write(text)
  await heard(text)
  return { socket, seen, heard, isReset }
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
  const late = connectToProxy()
  let [lateEnd, lateText] = ['', '']
  late.on('data', (chunk: Buffer) => (lateText += chunk.toString()))
  late.once('error', (error: NodeJS.ErrnoException) => (lateEnd = error.code ?? ''))
  late.write('three')
  await new Promise<void>((resolve) => late.once('connect', resolve))
  for (const server of ends) server.write('four')
  await new Promise((resolve) => setTimeout(resolve, 200)) // Nothing is to happen.
  expect({ old: old.seen, late: lateText + lateEnd, ends: ends.size }).toEqual({
    ...{ old: { text: 'one', closed: '' }, late: '', ends: 1 },
  })
  proxy.heal()
  await old.isReset()
  await until(() => lateEnd === 'ECONNRESET')
  await openWith('five')
})

test('a refusing proxy resets open and new connections', async () => {
  const old = await openWith('one')
  proxy.refuse()
  await old.isReset()
  const late = connectToProxy()
  expect(await new Promise((resolve) => late.once('error', resolve))).toMatchObject({ code: 'ECONNRESET' })
})
