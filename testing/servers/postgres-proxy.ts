// A proxy in front of PostgreSQL that shows each message of both directions (PostgreSQL protocol 3), and lets a test change, cut or lose them.
import { createServer, connect as connectTcp, type Socket } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** `type` is the letter of the message, `text` what it carries; a start-up message has the type ''. */
export type Message = { from: 'client' | 'server'; type: string; text: string }
/** What becomes of a message: the text to send instead, or null where the connection is cut before it. Absent: it is sent as it is. */
export type OnMessage = (message: Message) => string | null | undefined

export async function startPostgresProxy(databaseUrl: string) {
  const target = new URL(databaseUrl)
  let onMessage: OnMessage = () => undefined
  let isSilent = false
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connectTcp(Number(target.port), target.hostname)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', cut).on('close', cut)
    }
    forward('client', client, upstream, cut)
    forward('server', upstream, client, cut)
  })

  function forward(from: Message['from'], source: Socket, target: Socket, cut: () => void): void {
    let waiting = Buffer.alloc(0)
    let isStart = from === 'client'
    source.on('data', (chunk: Buffer) => {
      if (isSilent) return
      waiting = Buffer.concat([waiting, chunk])
      for (;;) {
        const head = isStart ? 0 : 1
        if (waiting.length < head + 4) return
        const end = head + waiting.readUInt32BE(head)
        if (waiting.length < end) return
        const message = waiting.subarray(0, end)
        waiting = waiting.subarray(end)
        const type = isStart ? '' : String.fromCharCode(message[0] ?? 0)
        isStart = false
        const text = message.toString('latin1', head + 4)
        const instead = onMessage({ from, type, text })
        if (instead === null) {
          cut()
          return
        }
        target.write(instead === undefined ? message : framed(type, instead))
      }
    })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  url.hostname = '127.0.0.1'
  return {
    url: url.href,
    /** From now on each message is shown to this function. */
    watch(next: OnMessage): void {
      onMessage = next
    },
    /** Whether nothing arrives in either direction, without a reset. Connections from that time never work again. */
    silence(next: boolean): void {
      isSilent = next
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function framed(type: string, text: string): Buffer {
  const body = Buffer.from(text, 'latin1')
  const head = Buffer.alloc(5)
  head.write(type, 0, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
