// Replays the history of the demo shop (history.ts) through the back office. Every request has an Idempotency-Key derived from its
// position in the list, and its body depends only on the list and on the creation of the shop: an interrupted replay is sent
// again from the start, within a day, and creates nothing twice.
import { type AdminAccess, callOrThrow } from './admin-client.ts'
import {
  type Body,
  memberships,
  orders,
  type PastMembership,
  type PastMove,
  type PastOrder,
  people,
  products,
} from './history.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

type Created = Record<string, { id: string }>
type Shop = { admin: AdminAccess; path: string; createdAt: Date }

/** All days are counted back from `createdAt`, when the shop was created. */
export async function replayHistory(admin: AdminAccess, handle: string, createdAt: Date): Promise<void> {
  const shop = { admin, path: `/shops/${handle}`, createdAt }
  const contacts = await createPeople(shop)
  const goods = { ...(await fileProducts(shop)), ...(await createProducts(shop)) }
  for (const [index, order] of orders.entries()) await createOrder(shop, order, index, contacts, goods)
  // Those that end unpaid come first: the setting must be the usual one when timers of the others end a membership.
  await changeUnrecovered(shop, 'unpaid')
  await createMemberships(shop, (membership) => membership.endsUnpaid === true, contacts, goods)
  await changeUnrecovered(shop, 'canceled')
  await createMemberships(shop, (membership) => membership.endsUnpaid !== true, contacts, goods)
}

async function createPeople(shop: Shop): Promise<Created> {
  const created: Created = {}
  for (const [name, { daysAgo, consentDaysAgo, contact }] of Object.entries(people)) {
    const consent = consentDaysAgo === undefined ? {} : { marketingConsentAt: timeBefore(shop, consentDaysAgo) }
    created[name] = await create(shop, 'contacts', name, {
      ...contact,
      ...consent,
      createdAt: timeBefore(shop, daysAgo),
    })
  }
  return created
}

async function createProducts(shop: Shop): Promise<Created> {
  const created: Created = {}
  for (const [name, { startsInDays, product }] of Object.entries(products)) {
    const event = startsInDays === undefined ? {} : { event: { startsAt: timeBefore(shop, -startsInDays) } }
    created[name] = await create(shop, 'products', name, { ...product, ...event, createdAt: timeBefore(shop, 90) })
  }
  return created
}

/** The products of the product file by slug: they are the newest, so the first page has them. */
async function fileProducts({ admin, path }: Shop): Promise<Created> {
  const listed = await callOrThrow<{ id: string; slug: string }[]>(admin, 'GET', `${path}/products?limit=100`)
  return Object.fromEntries(listed.map((product) => [product.slug, product]))
}

async function createOrder(
  shop: Shop,
  order: PastOrder,
  index: number,
  contacts: Created,
  goods: Created,
): Promise<void> {
  const { daysAgo, who, paymentMethod, items, moves, appointment, more } = order
  idOf(contacts, who) // Throws for a name that is not in the list.
  const { name, email, phone, address } = people[who]?.contact ?? {}
  const isSent = more !== undefined && 'delivery' in more && address !== undefined
  const body = {
    paymentMethod,
    customer: { name, email, phone },
    items: items.map(([product, quantity]) => ({ productId: idOf(goods, product), quantity })),
    createdAt: timeBefore(shop, daysAgo, index),
    ...(isSent ? { address } : {}),
    ...(appointment === undefined ? {} : { booking: booking(shop, appointment) }),
    ...more,
  }
  await createAndMove(shop, 'orders', `order-${index}`, body, moves)
}

async function createMemberships(
  shop: Shop,
  isChosen: (membership: PastMembership) => boolean,
  contacts: Created,
  goods: Created,
): Promise<void> {
  for (const [index, membership] of memberships.entries()) {
    if (!isChosen(membership)) continue
    const { daysAgo, who, product, terms, moves } = membership
    const [productId, clientId] = [idOf(goods, product), idOf(contacts, who)]
    const body = { ...terms, productId, clientId, createdAt: timeBefore(shop, daysAgo, index) }
    await createAndMove(shop, 'subscriptions', `membership-${index}`, body, moves)
  }
}

async function changeUnrecovered({ admin, path }: Shop, unrecovered: string): Promise<void> {
  await callOrThrow(admin, 'PATCH', `${path}/subscription-settings`, { unrecovered })
}

function booking(shop: Shop, { inDays, ...rest }: NonNullable<PastOrder['appointment']>): Body {
  const day = timeBefore(shop, -inDays).slice(0, 10)
  return { scheduledFor: `${day}T10:30:00.000Z`, ...rest }
}

async function createAndMove(
  shop: Shop,
  list: string,
  name: string,
  body: Body,
  moves: readonly PastMove[],
): Promise<void> {
  const { id } = await create(shop, list, name, body)
  for (const [step, move] of moves.entries()) {
    const [moveName, moveBody] = typeof move === 'string' ? [move, {}] : move
    await post(shop, `/${list}/${id}/${moveName}`, moveBody, `${name}-${step}`)
  }
}

async function create(shop: Shop, list: string, name: string, body: Body): Promise<{ id: string }> {
  return post(shop, `/${list}`, body, `${list}-${name}`)
}

async function post({ admin, path }: Shop, below: string, body: Body, key: string): Promise<{ id: string }> {
  return callOrThrow<{ id: string }>(admin, 'POST', `${path}${below}`, body, `demo-${key}`)
}

function idOf(created: Created, name: string): string {
  const found = created[name]
  if (found === undefined) throw new Error(`The history of the demo shop names ${name}, which the shop does not have.`)
  return found.id
}

// The minutes give orders of one day different times; they are subtracted, so no time lies in the future.
function timeBefore({ createdAt }: Shop, daysAgo: number, index = 0): string {
  const minutes = (index * 37) % 480
  return new Date(createdAt.getTime() - daysAgo * DAY_MS - minutes * MINUTE_MS).toISOString()
}
