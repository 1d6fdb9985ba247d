// Owns the buyers: loops that place orders, each under an Idempotency-Key of its own, and the memory of every request and
// of every answer. The key stands in the order's note as well, so that an order is found by its request.
// Back office: POST /shops/{shop}/orders.
import { randomInt, randomUUID } from 'node:crypto'
import type { Answer, BackOffice } from './kill-back-office.ts'
import type { Ware } from './kill-shelf.ts'

/** A request; `answer` null: none came, or not all of it. */
export type Placing = { key: string; body: string; answer: Answer | null }
export type Buyers = {
  /** From now on an answer that does not come is the killer's doing. */
  expectDeath(): void
  /** Every request, once all loops have ended; throws where one was left alone before the death. */
  ended(): Promise<Placing[]>
}

const SCARCE_EVERY = 15

/** Starts so many loops; each goes on until it gets no answer any more. */
export function startBuyers(count: number, backOffice: BackOffice, shop: string, wares: Ware[]): Buyers {
  const placings: Placing[] = []
  let isDying = false
  const loops = Array.from({ length: count }, async () => {
    for (;;) {
      const placing = nextPlacing(wares)
      placings.push(placing)
      try {
        placing.answer = await place(backOffice, shop, placing)
      } catch (error) {
        if (isDying) return
        throw new Error('An order was left unanswered before the kill.', { cause: error })
      }
    }
  })
  const all = Promise.all(loops)
  all.catch(() => undefined) // Thrown again to whoever waits for the end.
  return {
    expectDeath() {
      isDying = true
    },
    async ended() {
      await all
      return placings
    },
  }
}

/** Sends the request, for the first time or again. */
export function place(backOffice: BackOffice, shop: string, { key, body }: Placing): Promise<Answer> {
  const headers = { 'idempotency-key': key, 'content-type': 'application/json' }
  return backOffice.send('POST', `/shops/${shop}/orders`, body, headers)
}

function nextPlacing(wares: Ware[]): Placing {
  const key = randomUUID()
  const isScarce = randomInt(SCARCE_EVERY) === 0
  const shelf = wares.slice(0, -1)
  const chosen = Array.from({ length: 1 + randomInt(3) }, () => pick(shelf))
  const [last] = wares.slice(-1)
  if (isScarce && last !== undefined) chosen[0] = last
  const goods = chosen.map(({ productId, variantId }) => ({ productId, variantId, quantity: 1 + randomInt(3) }))
  const free = { title: 'Gift wrapping', kind: 'service', quantity: 1 + randomInt(2), unitPrice: { cents: 250 } }
  const order = {
    paymentMethod: pick(['card', 'paypal', 'bank_transfer', 'cod']),
    customer: { name: 'Ada Lovelace', email: `buyer-${randomInt(50)}@example.com` },
    address: { line1: '1 High Street', city: 'London', postalCode: 'N1 1AA', country: 'GB' },
    discount: { cents: randomInt(100) },
    deliveryFee: { cents: pick([0, 495]) },
    items: randomInt(2) === 0 ? [...goods, free] : goods,
    note: key,
  }
  return { key, body: JSON.stringify(order), answer: null }
}

function pick<Item>(list: Item[]): Item {
  const item = list[randomInt(list.length)]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}
