// Owns how packets leave for NATS and come from it. All that one turn of the event loop sends goes out in one write.
// nats.js writes at the end of each callback, which on a busy process is a write for every message; a write that wakes the
// server was the dearest single step of a call (docs/performance.md). An idle process sends no later than before: the turn
// ends as soon as nothing else is ready. What comes is read where it lies and then given back: memory beside the heap is what
// makes the collector run. The serializer copies the bytes that a packet carries.
import type { NatsConnection, Subscription } from 'nats'
import type { Parser } from 'nats/lib/nats-base-client/parser.js'
import { Transporters } from '#contracts/moleculer'
import { release } from '#memory/release'
import { gatherBySize, giveBackPieces } from './split-messages.ts'

gatherBySize()

const REQUEST = 'REQ' // Moleculer's name of the packet that asks.

type Leaving = { topic: string; data: Buffer; settle: { resolve(): void; reject(error: unknown): void } }
type Received = { data: Uint8Array }
/** The parts of Moleculer's transporter that its types do not show. */
type Inside = {
  client: (NatsConnection & { protocol: Parser['dispatcher'] & { outbound: { length(): number } } }) | null
  prefix: string
  subscriptions: Subscription[]
  receive(kind: string, packet: Buffer): void
}

/** Moleculer's transporter for NATS, sending the packets of one turn together. What NATS refuses is told to its sender. */
export class NatsTransporter extends Transporters.NATS {
  #leaving: Leaving[] = []

  // Moleculer's NATS transporter does what its base only names; its types know the base alone.
  override send(topic: string, data: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#leaving.push({ topic, data, settle: { resolve, reject } })
      if (this.#leaving.length === 1) setImmediate(() => this.#leave())
    })
  }

  /** Sends what waits, then ends the connection. */
  override disconnect(): Promise<void> {
    this.#leave()
    return super.disconnect()
  }

  override subscribe(kind: string, nodeID?: string): Promise<void> {
    this.#hear(this.getTopicName(kind, nodeID), kind)
    return Promise.resolve()
  }

  override subscribeBalancedRequest(action: string): Promise<void> {
    const { prefix, subscriptions } = this.#inside()
    subscriptions.push(this.#hear(`${prefix}.${REQUEST}B.${action}`, REQUEST, action))
    return Promise.resolve()
  }

  #hear(topic: string, kind: string, queue?: string): Subscription {
    const { client } = this.#inside()
    if (client === null) throw new Error('There is no connection to NATS.')
    giveBackPieces(client.protocol)
    const callback = (_error: unknown, { data }: Received) => {
      this.#inside().receive(kind, Buffer.from(data.buffer, data.byteOffset, data.byteLength))
      release(data) // Of its own only where it came in pieces.
    }
    return client.subscribe(topic, queue === undefined ? { callback } : { callback, queue })
  }

  #inside(): Inside {
    return this as unknown as Inside
  }

  // nats.js gathers what is published within one callback and writes it at its end.
  #leave(): void {
    const leaving = this.#leaving
    this.#leaving = []
    const { client } = this.#inside()
    for (const { topic, data, settle } of leaving) {
      try {
        client?.publish(topic, data)
        settle.resolve()
      } catch (error) {
        settle.reject(error)
      }
    }
    queueMicrotask(() => this.#release(leaving)) // After nats.js has written: it said so before.
  }

  // nats.js copies what it writes. What it could not write, since it is not connected, it still has.
  #release(left: Leaving[]): void {
    if (this.#inside().client?.protocol.outbound.length() !== 0) return
    for (const { data } of left) release(data)
  }
}
