// The load under which webhooks break: changes of orders through the back office at a steady rate, each of which fires an
// event. A change is never repeated; what counts is what the database says was changed.
import { randomInt } from 'node:crypto'
import { pick, word } from '../../program.ts'
import type { Order, Scene } from './scene.ts'

export type Traffic = {
  /** Changes sent; those refused with 409, as when the end of a dispute overtakes its beginning; those failed, by status or error. */
  counts(): { made: number; refused: number; failed: Map<string, number>; failedCount: number }
  /** So many changes at once, beside the steady ones. */
  burst(count: number): Promise<void>
  stop(): Promise<void>
}
type Move = { method: string; path: string; body: object }

const CONFLICT = '409'

/** Starts changing so many orders a second until stopped. */
export function startTraffic({ cluster, orders }: Scene, rate: number): Traffic {
  const underWay = new Set<Promise<void>>()
  const disputed = new Set<string>()
  const failed = new Map<string, number>()
  let made = 0
  let refused = 0
  const began = performance.now()
  let due = 0
  // By the clock, since a busy machine skips ticks.
  const timer = setInterval(() => {
    const wanted = Math.floor(((performance.now() - began) / 1_000) * rate)
    for (; due < wanted; due += 1) begin()
  }, 10)

  function begin(): void {
    const call = change(pick(orders))
    underWay.add(call)
    void call.finally(() => underWay.delete(call))
  }

  async function change(order: Order): Promise<void> {
    made += 1
    const { method, path, body } = moveOf(order)
    const outcome = await cluster.admin
      .send(method, `/shops/${order.shop.handle}/orders/${order.id}${path}`, body)
      .then(({ status }) => (status < 300 ? '' : String(status)), nameOf)
    if (outcome === CONFLICT) refused += 1
    else if (outcome !== '') failed.set(outcome, (failed.get(outcome) ?? 0) + 1)
  }

  // Moves that any order can make again and again: an address, a tracking number, a dispute and its end.
  function moveOf({ id }: Order): Move {
    const chance = Math.random()
    if (disputed.delete(id)) return { method: 'POST', path: '/resolve-dispute', body: { outcome: 'won' } }
    if (chance < 0.5) return { method: 'PATCH', path: '', body: { address: { line1: `${randomInt(999)} ${word()}` } } }
    if (chance < 0.85) return { method: 'POST', path: '/ship', body: { trackingNumber: word() } }
    disputed.add(id)
    return { method: 'POST', path: '/dispute', body: { reason: 'not received' } }
  }

  return {
    counts: () => ({ made, refused, failed, failedCount: [...failed.values()].reduce((sum, count) => sum + count, 0) }),
    async burst(count) {
      for (let index = 0; index < count; index += 1) begin()
      await new Promise((resolve) => setImmediate(resolve))
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}

function nameOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } }
  return cause?.code ?? name ?? 'error'
}
