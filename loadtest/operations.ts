// The operations of load and fault programs by name: what a client, a seller or a machine sends.
import { randomInt, randomUUID } from 'node:crypto'
import { MCP_VERSION } from '#contracts/versions'
import type { Answer, Client, Command, Shop } from './client.ts'
import { pick, word } from './program.ts'
import type { Stream } from './traffic.ts'

/** A shop with products of a known stock, a membership, a contact, and an endpoint that is off. */
export type Shelf = {
  shop: Shop
  stock: Map<string, number>
  membership: string
  contact: string
  endpoint: string
}
/** `kind` is the operation's name; `object` is the object of a move, `cents` a refund's amount. */
export type Operation = Command & { kind: string; object?: string; cents?: number }

const DAY_MS = 86_400_000
const SCARCE = 150
const mug = { title: 'Mug', kind: 'physical', price: { cents: 500 } }
export const goods = [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 500 }, quantity: 1 }]

/** Makes the shelf in a shop of this handle. */
export async function stockShelf(client: Client, handle: string): Promise<Shelf> {
  const shop = await client.shop(handle, 0, 1)
  const make = async (path: string, body: object) =>
    String((await client.call('POST', `/shops/${handle}${path}`, body)).id)
  const stock = new Map<string, number>()
  for (const units of [500_000, 400_000, 300_000, SCARCE]) {
    stock.set(await make('/products', { ...mug, title: `Mug ${units}`, trackInventory: true, stock: units }), units)
  }
  const club = { title: 'Club', kind: 'membership', price: { cents: 900 }, membership: { interval: 'month' } }
  const membership = await make('/products', club)
  const contact = await make('/contacts', { name: 'Ada', email: 'ada@example.com' })
  const endpoint = await make('/webhook-endpoints', { url: 'http://127.0.0.1:9/', enabled: false })
  return { shop, stock, membership, contact, endpoint }
}

/** An MCP tool call as clients of the newest revision send it. */
export function toolCall(name: string, given: object, key: string) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'load', version: '1' },
  }
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MCP_VERSION,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given, _meta } }
  return { gateway: 'mcp-gateway' as const, method: 'POST', path: '/api/mcp', key, headers, body }
}

/** A request of the REST API. */
export function rest(method: string, path: string, key: string, body?: object): Command {
  return { gateway: 'rest-gateway', method, path: `/api/v1${path}`, key, ...(body && { body }) }
}

const reads = ['/orders?limit=10', '/products', '/contacts?limit=10', '/shop', '/orders?status=new&limit=5']
const tools = ['get_shop', 'list_orders', 'list_products']

/** Everything that clients of one shop do: reads, tool calls, contacts, and orders of these products. */
export function clientStreams({ handle, readKey, writeKey }: Shop, productIds: string[]): Stream[] {
  const place = (mark: string) => ({
    method: 'POST',
    path: `/shops/${handle}/orders`,
    headers: { 'idempotency-key': mark },
    body: { paymentMethod: 'card', note: mark, items: [{ productId: pick(productIds), quantity: 1 }] },
  })
  const save = (mark: string) => rest('POST', '/contacts', writeKey, { name: 'Ada', email: `${mark}@example.com` })
  return [
    { kind: 'read', perSecond: 30, next: () => rest('GET', pick(reads), readKey), judge: judgeRead },
    { kind: 'agent', perSecond: 5, next: () => toolCall(pick(tools), {}, readKey), judge: judgeTool },
    { kind: 'contact', perSecond: 5, next: save },
    { kind: 'order', perSecond: 5, next: place },
  ]
}

function judgeRead({ status, data }: Answer): string {
  if (status !== 200) return String(status)
  return Array.isArray(data) && data.length === 0 ? 'an empty page' : 'ok'
}

function judgeTool({ status, data }: Answer): string {
  const { result } = data as { result?: { isError?: boolean; content: { text: string }[] } }
  if (status !== 200) return String(status)
  if (result?.isError !== true) return result === undefined ? 'no result' : 'ok'
  return (result.content[0]?.text ?? '').startsWith('server_error:') ? 'tool 500' : 'another tool error'
}

/** Moves that any order can make again and again, each with an event: an address, a tracking number, a dispute and its end. */
export function changeStream(orders: { id: string; shop: Shop }[], perSecond: number): Stream {
  const disputed = new Set<string>()
  function next(): Command {
    const { id, shop } = pick(orders)
    const path = `/shops/${shop.handle}/orders/${id}`
    const chance = Math.random()
    if (disputed.delete(id)) return { method: 'POST', path: `${path}/resolve-dispute`, body: { outcome: 'won' } }
    if (chance < 0.5) return { method: 'PATCH', path, body: { address: { line1: `${randomInt(999)} ${word()}` } } }
    if (chance < 0.85) return { method: 'POST', path: `${path}/ship`, body: { trackingNumber: word() } }
    disputed.add(id)
    return { method: 'POST', path: `${path}/dispute`, body: { reason: 'not received' } }
  }
  return { kind: 'change', perSecond, next }
}

const orderMoves = [
  ...['confirm', 'mark-paid', 'payment-pending', 'payment-failed', 'complete', 'ship', 'ship', 'cancel', 'dispute'],
  ...['resolve-dispute', 'reschedule', 'refund', 'refund', 'refund', 'refund'],
]
const membershipMoves = [
  ...['renew', 'renew', 'renew', 'payment-failed', 'payment-failed', 'cancel', 'cancel', 'resume', 'end'],
]

/** A random command of the back office; `orders` and `memberships` are the ids of those that were made so far. */
export function officeCommand(shelf: Shelf, orders: string[], memberships: string[], mark: string): Operation {
  const inShop = (kind: string, path: string, body: object) => {
    return { kind, method: 'POST', path: `/shops/${shelf.shop.handle}${path}`, body }
  }
  const kinds: (() => Operation)[] = [
    () => {
      const body = { name: 'Mina', email: `${word()}@shop.example`, role: 'viewer', shops: [] }
      return { kind: 'operator', method: 'POST', path: '/operators', body }
    },
    () => inShop('product', '/products', { ...mug, title: word() }),
    () => inShop('contact', '/contacts', { name: 'Ada', email: `${mark}@example.com` }),
    () => inShop('secret', `/webhook-endpoints/${shelf.endpoint}/rotate-secret`, { overlapSeconds: 0 }),
    () => {
      const chosen = new Set(Array.from({ length: 1 + randomInt(3) }, () => pick([...shelf.stock.keys()])))
      const items = [...chosen].map((productId) => ({ productId, quantity: 1 + randomInt(3) }))
      const booking = Math.random() < 0.5 ? { serviceLocation: 'Room 1' } : null
      return inShop('order', '/orders', { paymentMethod: pick(['card', 'cod', 'paypal']), note: mark, booking, items })
    },
    () => inShop('membership', '/subscriptions', newMembership(shelf)),
    // Few objects at a time, so that moves meet; old ones are mostly final.
    ...Array.from({ length: 5 }, () => () => {
      const [object, move, cents] = [pick([...orders.slice(-40), randomUUID()]), pick(orderMoves), 1 + randomInt(50)]
      const bodies: Record<string, object> = {
        ship: { trackingNumber: word() },
        cancel: { refund: Math.random() < 0.5 },
        'resolve-dispute': { outcome: 'won' },
        reschedule: { serviceLocation: word() },
        refund: { amount: { cents } },
      }
      const operation = { ...inShop('move', `/orders/${object}/${move}`, bodies[move] ?? {}), object }
      return move === 'refund' ? { ...operation, cents } : operation
    }),
    ...Array.from({ length: 4 }, () => () => {
      const [object, move] = [pick([...memberships.slice(-40), randomUUID()]), pick(membershipMoves)]
      const body = move === 'payment-failed' ? { lastAttempt: Math.random() < 0.3 } : {}
      return { ...inShop('move', `/subscriptions/${object}/${move}`, body), object }
    }),
  ]
  return pick(kinds)()
}

// One that began long ago has timers that are due at once, in order: the period is over, then the grace.
function newMembership({ membership: productId, contact: clientId }: Shelf): object {
  const createdAt = new Date(Date.now() - pick([0, 0, 2, 33, 60]) * DAY_MS).toISOString()
  const billing = Math.random() < 0.6 ? { billingMode: 'manual', paymentMethod: 'cod' } : { billingMode: 'processor' }
  const first = { trialDays: pick([0, 0, 14]), firstPayment: pick(['paid', 'paid', 'open']) }
  return { productId, clientId, ...billing, ...first, createdAt }
}
