// Owns how packets leave for NATS: together. All that one turn of the event loop sends goes out in one write.
// nats.js writes at the end of each callback, which on a busy process is a write for every message; a write that wakes the
// server was the dearest single step of a call (docs/performance.md). An idle process sends no later than before: the turn
// ends as soon as nothing else is ready.
import { Transporters } from 'moleculer'
import type { NatsConnection } from 'nats'

type Leaving = { topic: string; data: Buffer; settle: { resolve(): void; reject(error: unknown): void } }
type Client = { client: NatsConnection | null }

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

  // nats.js gathers what is published within one callback and writes it at its end.
  #leave(): void {
    const leaving = this.#leaving
    this.#leaving = []
    const { client } = this as unknown as Client
    for (const { topic, data, settle } of leaving) {
      try {
        client?.publish(topic, data)
        settle.resolve()
      } catch (error) {
        settle.reject(error)
      }
    }
  }
}
