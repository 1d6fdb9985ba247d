// Guarantees of nats-transporter.ts on a real nats-server: packets leave together and in their order, and what cannot leave is
// told to who sent it.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ServiceBroker as Broker } from 'moleculer'
import { connect, type NatsConnection } from 'nats'
import { ServiceBroker } from '#contracts/moleculer'
import { describeWhere } from '#testing/where-possible'
import { findNatsServer, type NatsServer, startNatsServer } from './nats-server.ts'
import { NatsTransporter } from './nats-transporter.ts'

const program = findNatsServer(process.env.PATH ?? '')

describeWhere(program !== null, 'packets that leave together need nats-server on the PATH.')('packets', () => {
  let nats: NatsServer
  let listener: NatsConnection
  let broker: Broker
  let transporter: NatsTransporter
  beforeAll(async () => {
    nats = await startNatsServer(program ?? '')
    const servers = `127.0.0.1:${nats.port}`
    listener = await connect({ servers })
    transporter = new NatsTransporter({ servers: [servers] })
    broker = new ServiceBroker({ nodeID: 'sender', logger: false, transporter, internalServices: false })
    await broker.start()
  })
  afterAll(async () => {
    await listener.close()
    await nats.stop()
  })

  test('of one turn leave in one write and arrive in their order', async () => {
    const heard = listener.subscribe('turn', { max: 500 })
    await listener.flush()
    const { client } = transporter as unknown as { client: NatsConnection & { protocol: Protocol } }
    const { transport } = client.protocol
    const send = transport.send.bind(transport)
    let writes = 0
    transport.send = (frame) => {
      writes += 1
      send(frame)
    }
    await Promise.all(Array.from({ length: 500 }, (_, n) => transporter.send('turn', Buffer.from(String(n)))))
    const numbers: number[] = []
    for await (const message of heard) numbers.push(Number(message.string()))
    expect(numbers).toEqual(Array.from({ length: 500 }, (_, n) => n))
    expect(writes).toBe(1)
  })

  test('that are too large are refused to who sent them; those beside them arrive', async () => {
    const heard = listener.subscribe('mixed', { max: 2 })
    await listener.flush()
    const sent = ['one', 'x'.repeat(2_000_000), 'two'].map((text) => transporter.send('mixed', Buffer.from(text)))
    const outcomes = await Promise.allSettled(sent)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    const texts: string[] = []
    for await (const message of heard) texts.push(message.string())
    expect(texts).toEqual(['one', 'two'])
  })

  test('that are large arrive whole, and their memory is given back once they have left', async () => {
    const heard = listener.subscribe('large', { max: 3 })
    await listener.flush()
    const pages = ['a', 'b', 'c'].map((letter) => Buffer.from(new ArrayBuffer(50_000)).fill(letter))
    await Promise.all(pages.map((page) => transporter.send('large', page)))
    const texts: string[] = []
    for await (const message of heard) texts.push(message.string())
    expect(texts).toEqual(['a', 'b', 'c'].map((letter) => letter.repeat(50_000)))
    expect(pages.map(({ buffer }) => (buffer as ArrayBuffer).detached)).toEqual([true, true, true])
  })

  test('that cannot leave yet keep their memory, and arrive whole when they can', async () => {
    const heard = listener.subscribe('later', { max: 1 })
    await listener.flush()
    const { protocol } = (transporter as unknown as { client: { protocol: Protocol } }).client
    const page = Buffer.from(new ArrayBuffer(50_000)).fill('d')
    protocol.connected = false
    await transporter.send('later', page)
    await new Promise((resolve) => setImmediate(resolve))
    expect((page.buffer as ArrayBuffer).detached).toBe(false)
    protocol.connected = true
    protocol.flushPending()
    for await (const message of heard) expect(message.string()).toBe('d'.repeat(50_000))
    expect.assertions(2)
  })

  test('that wait when the connection ends leave before it', async () => {
    const heard = listener.subscribe('last', { max: 1 })
    await listener.flush()
    void transporter.send('last', Buffer.from('word'))
    await broker.stop()
    for await (const message of heard) expect(message.string()).toBe('word')
    expect.assertions(1)
  })
})

type Protocol = { transport: { send(frame: Uint8Array): void }; connected: boolean; flushPending(): void }
