// Callers that place and move orders and memberships through the back office, each command under an Idempotency-Key. A caller
// repeats its command, over the deaths of processes, until there is a definite answer, as a checkout does; what the callers
// were told is remembered.
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Shop } from '../../admin-client.ts'
import type { Cluster } from '../../cluster.ts'
import { pick, word } from '../../program.ts'

/** `order` and `membership` name the object of a move; `cents` is a refund's. */
type Command = { path: string; body: object; order?: string; membership?: string; cents?: number }
export type Answered = Command & { key: string; answer: Answer }
export type Subject = 'orders' | 'subscriptions'
export type Shelf = {
  shop: Shop
  products: string[]
  initial: Map<string, number>
  membership: string
  contact: string
}
export type Callers = {
  answered: Answered[]
  /** Commands that were repeated after a death. */
  repeated(): number
  /** Resolves after so many further answers. */
  more(count: number): Promise<void>
  stop(): Promise<void>
}

const WAIT_MS = 20
const DAY_MS = 86_400_000
const SCARCE = 150
const orderMoves = [
  ...['confirm', 'mark-paid', 'payment-pending', 'payment-failed', 'complete', 'ship', 'ship', 'cancel', 'dispute'],
  ...['resolve-dispute', 'reschedule', 'refund', 'refund', 'refund', 'refund'],
]
const membershipMoves = [
  'renew',
  'renew',
  'renew',
  'payment-failed',
  'payment-failed',
  'cancel',
  'cancel',
  'resume',
  'end',
]

/** A shop with products of a known stock, the last one scarce, and one membership. */
export async function stockShelf({ admin }: Cluster, handle: string): Promise<Shelf> {
  const shop = await admin.shop(handle, 0, 1)
  const make = async (path: string, body: object) =>
    String((await admin.call('POST', `/shops/${handle}${path}`, body)).id)
  const initial = new Map<string, number>()
  for (const stock of [500_000, 400_000, 300_000, SCARCE]) {
    const product = { title: `Mug ${stock}`, kind: 'physical', price: { cents: 5_000 }, trackInventory: true, stock }
    initial.set(await make('/products', product), stock)
  }
  const club = { title: 'Club', kind: 'membership', price: { cents: 900 }, membership: { interval: 'month' } }
  const [membership, contact] = [
    await make('/products', club),
    await make('/contacts', { name: 'Ada', email: 'ada@example.com' }),
  ]
  return { shop, products: [...initial.keys()], initial, membership, contact }
}

/** Starts so many callers. */
export function startCallers({ admin }: Cluster, shelf: Shelf, subjects: Subject[], count: number): Callers {
  const answered: Answered[] = []
  const orders: string[] = []
  const memberships: string[] = []
  let repeated = 0
  let isStopped = false

  const loops = Array.from({ length: count }, async () => {
    while (!isStopped) {
      const command = pick(subjects) === 'orders' ? nextOfOrders(shelf, orders) : nextOfMemberships(shelf, memberships)
      const key = randomUUID()
      const body = command.path === '/orders' ? { ...command.body, note: key } : command.body
      const answer = await untilAnswered({ ...command, body }, key)
      answered.push({ ...command, body, key, answer })
      if (answer.status === 201 && command.path === '/orders') orders.push(String(answer.data.id))
      if (answer.status === 201 && command.path === '/subscriptions') memberships.push(String(answer.data.id))
    }
  })

  async function untilAnswered({ path, body }: Command, key: string): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await send(admin, shelf, path, body, key)
      if (answer !== null) return answer
      if (attempt === 1) repeated += 1
      await pause(WAIT_MS)
    }
  }

  return {
    answered,
    repeated: () => repeated,
    async more(wanted) {
      for (const end = answered.length + wanted; answered.length < end; ) await pause(WAIT_MS)
    },
    async stop() {
      isStopped = true
      await Promise.all(loops)
    },
  }
}

/** The definite answer, or null where there is none: no complete response, or a failure of the server. */
export async function send(admin: Cluster['admin'], { shop }: Shelf, path: string, body: object, key: string) {
  const headers = { 'idempotency-key': key }
  const answer = await admin.send('POST', `/shops/${shop.handle}${path}`, body, headers).catch(() => null)
  return answer === null || answer.status >= 500 ? null : answer
}

// Few objects at a time, so that moves meet; old ones are mostly final.
function nextOfOrders({ products }: Shelf, orders: string[]): Command {
  if (orders.length < 4 || Math.random() < 0.2) {
    const goods = Array.from({ length: 1 + randomInt(3) }, () => pick(products))
    const booking = Math.random() < 0.5 ? { serviceLocation: 'Room 1' } : null
    const items = [...new Set(goods)].map((productId) => ({ productId, quantity: 1 + randomInt(3) }))
    return { path: '/orders', body: { paymentMethod: pick(['card', 'card', 'cod', 'paypal']), booking, items } }
  }
  const [order, move, cents] = [pick(orders.slice(-60)), pick(orderMoves), 1 + randomInt(50)]
  const bodies: Record<string, object> = {
    ship: { trackingNumber: word() },
    cancel: { refund: Math.random() < 0.5 },
    'resolve-dispute': { outcome: 'won' },
    reschedule: { serviceLocation: word() },
    refund: { amount: { cents } },
  }
  const refund = move === 'refund' ? { cents } : {}
  return { path: `/orders/${order}/${move}`, body: bodies[move] ?? {}, order, ...refund }
}

// One that began long ago has timers that are due at once, in order: the period is over, then the grace.
function nextOfMemberships({ membership: productId, contact: clientId }: Shelf, memberships: string[]): Command {
  if (memberships.length < 4 || Math.random() < 0.15) {
    const createdAt = new Date(Date.now() - pick([0, 0, 2, 33, 60]) * DAY_MS).toISOString()
    const billing = Math.random() < 0.6 ? { billingMode: 'manual', paymentMethod: 'cod' } : { billingMode: 'processor' }
    const first = { trialDays: pick([0, 0, 14]), firstPayment: pick(['paid', 'paid', 'open']) }
    return { path: '/subscriptions', body: { productId, clientId, ...billing, ...first, createdAt } }
  }
  const [membership, move] = [pick(memberships.slice(-40)), pick(membershipMoves)]
  const body = move === 'payment-failed' ? { lastAttempt: Math.random() < 0.3 } : {}
  return { path: `/subscriptions/${membership}/${move}`, body, membership }
}
