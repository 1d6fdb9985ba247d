// A form of the product, or the floor, that the benchmark measures.
import type { Client } from '../client.ts'
import type { Process } from '../process.ts'
import type { UnshippedOrders } from './writes/seed.ts'

export type FormName = 'floor' | 'one' | 'nats'
export type Form = {
  name: FormName
  ports: { rest: number; mcp: number; admin: number }
  services: Process[]
  /** Its processes by name, with the database's that work for it. */
  processes(): Promise<[name: string, pid: number][]>
  /** Resolves when no event and no message of its outboxes waits; at once for the floor, which relays nothing. */
  relayed(): Promise<void>
  /** Of its own database. */
  unshipped: UnshippedOrders
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>
}
/** A form with a back office: the floor has none. */
export type Product = Form & { client: Client }
