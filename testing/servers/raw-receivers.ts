// Receivers of one test that answer right, wrong, slowly or not in HTTP at all; all are closed after the test.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach } from '@jest/globals'
import { openReceiver, type Receiver, type Reply } from './receiver.ts'

/** `open` is how many connections it has now. */
export type RawServer = { url: string; open(): number }
export type ReceiversPerTest = {
  /** A receiver that answers every request alike. */
  listen(reply?: Reply, options?: Parameters<typeof openReceiver>[0]): Promise<Receiver>
  /** A TCP server that calls `write` for every connection and keeps it open. */
  serveRaw(write: (socket: Socket) => void): Promise<RawServer>
}

export function receiversPerTest(): ReceiversPerTest {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  return {
    async listen(reply = {}, options = {}) {
      const receiver = await openReceiver(options)
      receiver.answer(() => reply)
      closing.push(() => receiver.close())
      return receiver
    },
    async serveRaw(write) {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on('error', () => undefined) // The sender leaves in the middle.
        socket.once('close', () => sockets.delete(socket))
        socket.resume()
        write(socket)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      closing.push(async () => {
        for (const socket of sockets) socket.destroy()
        await new Promise<void>((resolve) => server.close(() => resolve()))
      })
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, open: () => sockets.size }
    },
  }
}

/** Writes `first`, and then `again` every 20 ms. */
export const saying =
  (first: string, again: string | null = null) =>
  (socket: Socket): void => {
    socket.write(first)
    if (again === null) return
    const timer = setInterval(() => socket.write(again), 20)
    socket.once('close', () => clearInterval(timer))
  }
