// Owns the making of the demo shop's past: what demo-past.ts lists is placed, signed up and moved through the back office.
// Every call carries an Idempotency-Key made of its place in the list, and its body depends on nothing but the list and
// the shop's own beginning. So a past that was cut off is told again from the start, within a day, and nothing doubles.
import { call, type Door } from './admin-client.ts'
import { type Body, memberships, orders, type PastMove, type PastOrder, people, products } from './history.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

type Made = Record<string, { id: string }>
type Shop = { door: Door; path: string; begunAt: Date }

/** `begunAt`: when the shop was made, from which all days count. Gives one line that says how much there is now. */
export async function livePast(door: Door, handle: string, begunAt: Date): Promise<string> {
  const shop = { door, path: `/shops/${handle}`, begunAt }
  const contacts = await makePeople(shop)
  const goods = { ...(await fileProducts(shop)), ...(await makeProducts(shop)) }
  for (const [index, order] of orders.entries()) await liveOrder(shop, order, index, contacts, goods)
  for (const [index, { daysAgo, who, product, terms, moves }] of memberships.entries()) {
    const [productId, clientId] = [known(goods, product), known(contacts, who)]
    const body = { ...terms, productId, clientId, createdAt: past(shop, daysAgo, index) }
    await live(shop, 'subscriptions', `membership-${index}`, body, moves)
  }
  return `its past: ${orders.length} orders, ${memberships.length} memberships, ${Object.keys(people).length} contacts`
}

async function makePeople(shop: Shop): Promise<Made> {
  const made: Made = {}
  for (const [name, { daysAgo, consentDaysAgo, contact }] of Object.entries(people)) {
    const consent = consentDaysAgo === undefined ? {} : { marketingConsentAt: past(shop, consentDaysAgo) }
    made[name] = await make(shop, 'contacts', name, { ...contact, ...consent, createdAt: past(shop, daysAgo) })
  }
  return made
}

async function makeProducts(shop: Shop): Promise<Made> {
  const made: Made = {}
  for (const [name, { startsInDays, product }] of Object.entries(products)) {
    const event = startsInDays === undefined ? {} : { event: { startsAt: past(shop, -startsInDays) } }
    made[name] = await make(shop, 'products', name, { ...product, ...event, createdAt: past(shop, 90) })
  }
  return made
}

/** The products of the product file by their slugs: they are the newest, so the first page has them. */
async function fileProducts({ door, path }: Shop): Promise<Made> {
  const page = await call(door, 'GET', `${path}/products?limit=100`)
  const listed = (page.body as { data?: { id: string; slug: string }[] }).data ?? []
  return Object.fromEntries(listed.map((product) => [product.slug, product]))
}

async function liveOrder(shop: Shop, order: PastOrder, index: number, contacts: Made, goods: Made): Promise<void> {
  const { daysAgo, who, paymentMethod, items, moves, appointment, more } = order
  known(contacts, who) // A buyer who is none of the people would be nobody's order.
  const { name, email, phone, address } = people[who]?.contact ?? {}
  const isSent = more !== undefined && 'delivery' in more && address !== undefined
  const body = {
    paymentMethod,
    customer: { name, email, phone },
    items: items.map(([product, quantity]) => ({ productId: known(goods, product), quantity })),
    createdAt: past(shop, daysAgo, index),
    ...(isSent ? { address } : {}),
    ...(appointment === undefined ? {} : { booking: booking(shop, appointment) }),
    ...more,
  }
  await live(shop, 'orders', `order-${index}`, body, moves)
}

function booking(shop: Shop, { inDays, ...rest }: NonNullable<PastOrder['appointment']>): Body {
  const day = past(shop, -inDays).slice(0, 10)
  return { scheduledFor: `${day}T10:30:00.000Z`, ...rest }
}

async function live(shop: Shop, list: string, name: string, body: Body, moves: readonly PastMove[]): Promise<void> {
  const { id } = await make(shop, list, name, body)
  for (const [step, move] of moves.entries()) {
    const [word, said] = typeof move === 'string' ? [move, {}] : move
    await post(shop, `/${list}/${id}/${word}`, said, `${name}-${step}`)
  }
}

async function make(shop: Shop, list: string, name: string, body: Body): Promise<{ id: string }> {
  return post(shop, `/${list}`, body, `${list}-${name}`)
}

async function post({ door, path }: Shop, below: string, body: Body, key: string): Promise<{ id: string }> {
  const answer = await call(door, 'POST', `${path}${below}`, body, `demo-${key}`)
  const { data } = answer.body as { data?: { id: string } }
  if (data === undefined) {
    throw new Error(`The demo shop's past stopped at ${below} (${key}): ${JSON.stringify(answer.body)}`)
  }
  return data
}

function known(made: Made, name: string): string {
  const found = made[name]
  if (found === undefined) throw new Error(`The demo shop's past names ${name}, which the shop does not have.`)
  return found.id
}

// The minutes keep a day's orders apart; they lie before the instant, so nothing is dated ahead.
function past({ begunAt }: Shop, daysAgo: number, index = 0): string {
  const minutes = (index * 37) % 480
  return new Date(begunAt.getTime() - daysAgo * DAY_MS - minutes * MINUTE_MS).toISOString()
}
