// Owns what the callers of the chaos ask of orders, and what they were told: the refunds of each order.
import { randomUUID } from 'node:crypto'
import type { Order } from '#contracts/objects/order'
import type { Command, Commands } from './chaos-callers.ts'
import { pick, word } from './chance.ts'

/** The orders that a caller was told of, and for each the amounts of the refunds that it was told of. */
export type RefundsOf = Map<string, number[]>
type OrderCommand = Command & { refund: number }

export function orderCommands(): Commands & { refundsOf: RefundsOf } {
  const refundsOf: RefundsOf = new Map()
  return {
    refundsOf,
    next: () => nextCommand([...refundsOf.keys()]),
    note(command, object) {
      const { id } = object as Order
      const { refund } = command as OrderCommand
      const refunds = refundsOf.get(id) ?? []
      refundsOf.set(id, refund > 0 ? [...refunds, refund] : refunds)
    },
  }
}

const moves = [
  ...['confirm', 'mark_paid', 'payment_pending', 'payment_failed', 'complete', 'ship', 'ship', 'cancel', 'dispute'],
  ...['resolve_dispute', 'reschedule', 'change', 'refund', 'refund', 'refund', 'refund'],
]

function nextCommand(ids: string[]): OrderCommand {
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

function placing(): OrderCommand {
  const item =
    Math.random() < 0.5
      ? { productId: randomUUID(), quantity: 1 }
      : { title: 'Mug', kind: 'physical', unitPrice: { cents: 500_000 }, quantity: 1 }
  const booking = Math.random() < 0.5 ? { serviceLocation: 'Room 1' } : null
  const order = { paymentMethod: pick(['card', 'card', 'cod', 'paypal']), booking, items: [item] }
  return { action: 'orders.place', params: { order }, refund: 0 }
}
