// Owns what the callers of the chaos ask of memberships, and what they were told: the payments of each one.
import { randomUUID } from 'node:crypto'
import type { Subscription } from '#contracts/objects/subscription'
import type { Command, Commands } from './chaos-callers.ts'
import { pick } from './chance.ts'

/** The memberships that a caller was told of, and of how many payments for each. */
export type RenewalsOf = Map<string, number>

const DAY_MS = 86_400_000
const moves = [
  ...['renew', 'renew', 'renew', 'payment_failed', 'payment_failed'],
  ...['cancel', 'cancel', 'resume', 'end'],
]

export function subscriptionCommands(): Commands & { renewalsOf: RenewalsOf } {
  const renewalsOf: RenewalsOf = new Map()
  return {
    renewalsOf,
    next: () => nextCommand([...renewalsOf.keys()]),
    note({ action }, object) {
      const { id } = object as Subscription
      renewalsOf.set(id, (renewalsOf.get(id) ?? 0) + (action === 'subscriptions.renew' ? 1 : 0))
    },
  }
}

function nextCommand(ids: string[]): Command {
  const id = pick(ids.slice(-40)) // Old ones are mostly over; few at a time means moves that meet.
  if (id === undefined || ids.length < 4 || Math.random() < 0.15) return signup()
  const move = pick(moves) ?? 'renew'
  const failure = { lastAttempt: Math.random() < 0.3 }
  return {
    action: `subscriptions.${move}`,
    params: move === 'payment_failed' ? { id, failure } : { id },
  }
}

// Long ago means that its timers are due at once, in order: the period over, then the grace, or the first payment.
function signup(): Command {
  const daysAgo = pick([0, 0, 2, 33, 60]) ?? 0
  const isManual = Math.random() < 0.6
  const subscription = {
    productId: randomUUID(),
    clientId: randomUUID(),
    billingMode: isManual ? 'manual' : 'processor',
    ...(isManual ? { paymentMethod: 'cod' } : {}),
    trialDays: pick([0, 0, 14]),
    firstPayment: pick(['paid', 'paid', 'open']),
    createdAt: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
  }
  return { action: 'subscriptions.create', params: { subscription } }
}
