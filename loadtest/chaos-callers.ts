// Owns the callers of the chaos: each makes one command after the other on orders of one shop, and repeats a command under
// its Idempotency-Key, over the deaths of the service, until it hears a definite answer. They count what they were told.
import { randomUUID } from 'node:crypto'
import type { ServiceBroker } from 'moleculer'
import { refusalCode } from '#contracts/errors'
import type { Order } from '#contracts/order'
import type { OrdersProcess } from './chaos-process.ts'

export const shop = {
  shopId: '0b5e7a52-5a3f-4c0e-9f43-1f6f4a5f2c11',
  handle: 'chaos',
  currency: 'GBP',
  timeZone: 'Europe/London',
  country: 'GB',
  keyId: null,
  canWrite: true,
}

export type Tally = {
  done: number
  refused: number
  repeated: number
  /** The orders that a caller was told of, and for each the amounts of the refunds that it was told of. */
  refundsOf: Map<string, number[]>
}
export type Callers = {
  /** Settles after so many further definite answers. */
  answered(count: number): Promise<void>
  stop(): Promise<void>
  tally(): Tally
}
type Command = { action: string; params: Record<string, unknown>; refund: number }

const TIMEOUT_MS = 3_000

export function startCallers(broker: ServiceBroker, count: number, service: () => OrdersProcess): Callers {
  const tally: Tally = { done: 0, refused: 0, repeated: 0, refundsOf: new Map() }
  const waiting: { at: number; reached: () => void }[] = []
  let isStopped = false

  const work = Array.from({ length: count }, async () => {
    while (!isStopped) {
      const command = nextCommand([...tally.refundsOf.keys()])
      await untilAnswered(command)
      const answers = tally.done + tally.refused
      for (const one of waiting.filter(({ at }) => at <= answers)) {
        waiting.splice(waiting.indexOf(one), 1)
        one.reached()
      }
    }
  })

  async function untilAnswered(command: Command): Promise<void> {
    const idempotency = { key: randomUUID(), fingerprint: JSON.stringify(command) }
    for (let attempt = 1; ; attempt += 1) {
      if (attempt === 2) tally.repeated += 1
      const { nodeId, gone } = service()
      const options = { nodeID: nodeId, timeout: TIMEOUT_MS, meta: { caller: shop, idempotency } }
      const call = broker.call(command.action, command.params, options)
      call.catch(() => undefined) // When the process dies first, nobody waits for this answer any more.
      try {
        const answer = await Promise.race([call, gone.then(() => null)])
        if (answer !== null) return note(command, JSON.parse(Buffer.from(answer as Uint8Array).toString()).data)
      } catch (error) {
        if (refusalCode(error) === 'conflict' || refusalCode(error) === 'invalid_request') {
          tally.refused += 1
          return
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  function note(command: Command, order: Order): void {
    tally.done += 1
    const refunds = tally.refundsOf.get(order.id) ?? []
    tally.refundsOf.set(order.id, command.refund > 0 ? [...refunds, command.refund] : refunds)
  }

  return {
    answered: (more) =>
      new Promise((resolve) => waiting.push({ at: tally.done + tally.refused + more, reached: resolve })),
    async stop() {
      isStopped = true
      await Promise.all(work)
    },
    tally: () => tally,
  }
}

const moves = [
  ...['confirm', 'mark_paid', 'payment_pending', 'payment_failed', 'complete', 'ship', 'ship', 'cancel', 'dispute'],
  ...['resolve_dispute', 'reschedule', 'change', 'refund', 'refund', 'refund', 'refund'],
]

function nextCommand(ids: string[]): Command {
  const id = pick(ids.slice(-60)) // Old orders are mostly final; few orders at a time means moves that meet.
  if (id === undefined || ids.length < 4 || Math.random() < 0.06) return placing()
  const move = pick(moves) ?? 'confirm'
  if (move === 'change') {
    return { action: 'orders.change', params: { id, change: { address: { line1: word() } } }, refund: 0 }
  }
  const cents = 1 + Math.floor(Math.random() * 50)
  const bodies: Record<string, object> = {
    ship: { trackingNumber: word() },
    cancel: { refund: Math.random() < 0.5 },
    resolve_dispute: { outcome: 'won' },
    reschedule: { serviceLocation: word() },
    refund: { amount: { cents } },
  }
  return {
    action: `orders.${move}`,
    params: { id, move: bodies[move] ?? {} },
    refund: move === 'refund' ? cents : 0,
  }
}

function placing(): Command {
  const item =
    Math.random() < 0.5
      ? { productId: randomUUID(), quantity: 1 }
      : { title: 'Mug', kind: 'physical', unitPrice: { cents: 500_000 }, quantity: 1 }
  const booking = Math.random() < 0.5 ? { serviceLocation: 'Room 1' } : null
  const order = { paymentMethod: pick(['card', 'card', 'cod', 'paypal']), booking, items: [item] }
  return { action: 'orders.place', params: { order }, refund: 0 }
}

function word(): string {
  return randomUUID().slice(0, 8)
}

function pick<Item>(list: Item[]): Item | undefined {
  return list[Math.floor(Math.random() * list.length)]
}
