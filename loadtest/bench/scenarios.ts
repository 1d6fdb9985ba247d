// The requests of the benchmark: each in the form of the product and in that of the floor, which has neither keys nor cursors and
// gets the shop in its path.
import { toolCall } from '../operations.ts'

/** A shop of the benchmark: its keys by set, some of its orders. */
export type BenchShop = { id: string; keys: Record<KeySet, string[]>; orderIds: string[] }
export type KeySet = (typeof keySets)[number]
export type Scenario = {
  name: string
  gateway: 'rest' | 'mcp'
  /** Behind the prefix of the gateway; `turn` counts the requests of the run, so that each can differ. */
  path(shop: BenchShop, turn: number): string
  headers?: Record<string, string>
  body?(turn: number): object
}

/** Each gateway of each form has keys of its own, so that none holds budget of another one's key. */
export const keySets = ['one-rest', 'one-mcp', 'nats-rest', 'nats-mcp'] as const

const { body: listOrders, headers: mcpHeaders } = toolCall('list_orders', {}, '')
const run = Date.now().toString(36)
const AFTER_ALL_MS = Date.parse('2100-01-01')

export const scenarios: Scenario[] = [
  reading('GET /orders (25)', (_shop, turn) => `/orders?${freshly(turn)}`),
  reading('GET /orders (25), again', () => '/orders'),
  // The codings that a client accepts; the floor never compresses.
  ...['gzip', 'br'].flatMap((coding) => [
    reading(`GET /orders (25), ${coding}`, (_shop, turn) => `/orders?${freshly(turn)}`, { 'accept-encoding': coding }),
    reading(`GET /orders (25), again, ${coding}`, () => '/orders', { 'accept-encoding': coding }),
  ]),
  reading('GET /orders (100)', (_shop, turn) => `/orders?limit=100&${freshly(turn)}`),
  reading('GET /orders/{id}', ({ orderIds }, turn) => `/orders/${orderIds[turn % orderIds.length]}`),
  reading('GET /products', (_shop, turn) => `/products?${freshly(turn)}`),
  reading('GET /contacts?tag=', (_shop, turn) => `/contacts?tag=vip&${freshly(turn)}`),
  {
    ...reading('POST /contacts', () => '/contacts'),
    body: (turn) => ({ name: 'Ada Lovelace', email: `ada-${run}-${turn}@example.com`, tags: ['bench'] }),
  },
  {
    // The tool has no filter by time, so this is always a repeated page.
    name: 'MCP list_orders, again',
    gateway: 'mcp',
    path: () => '/mcp',
    headers: mcpHeaders,
    body: () => listOrders,
  },
]

// Gateways cache pages that are requested again. A filter that keeps every row and differs each time makes it a page that
// was not requested before. `created_after` would add the watermark of a poll, which `npm run sync` is about.
export function freshly(turn: number): string {
  return `created_before=${new Date(AFTER_ALL_MS + turn).toISOString()}`
}

/** The request of a turn; without a key it goes to the floor, which gets the shop in its path. */
export function requestOf(
  { gateway, path, headers, body }: Scenario,
  shop: BenchShop,
  key: string | null,
  turn: number,
) {
  const text = body === undefined ? '' : JSON.stringify(body(turn))
  const content = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
  const prefix = gateway === 'mcp' ? '/api' : '/api/v1'
  return {
    method: body === undefined ? 'GET' : 'POST',
    path: `${key === null ? `/${shop.id}` : prefix}${path(shop, turn)}`,
    headers: {
      ...headers,
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : content),
    },
    body: text,
  }
}

function reading(name: string, path: Scenario['path'], headers: Record<string, string> = {}): Scenario {
  return { name, gateway: 'rest', path, headers }
}
