// The requests of the benchmark: each as the product takes it and as the floor takes it, which knows neither keys nor
// cursors and gets the shop in its path.
import { toolCall } from '../operations.ts'

/** A shop of the benchmark: its keys by set, some of its orders. */
export type BenchShop = { id: string; keys: Record<KeySet, string[]>; orderIds: string[] }
export type KeySet = (typeof keySets)[number]
export type BenchRequest = { method: string; path: string; headers: Record<string, string>; body: string | null }
export type Scenario = {
  name: string
  gateway: 'rest' | 'mcp'
  /** `turn` counts the requests of the run, so that each can differ. */
  request(shop: BenchShop, key: string, turn: number): BenchRequest
  floorRequest(shop: BenchShop, turn: number): BenchRequest
}

/** Each gateway of each form has keys of its own, so that none holds budget of another one's key. */
export const keySets = ['one-rest', 'one-mcp', 'nats-rest', 'nats-mcp'] as const

/** What a client can take a body in. */
const codings = ['gzip', 'br'] as const

export const scenarios: Scenario[] = [
  reading('GET /orders (25)', (_shop, turn) => `/orders?${freshly(turn)}`),
  reading('GET /orders (25), again', () => '/orders'),
  ...codings.flatMap((coding) => [
    reading(`GET /orders (25), ${coding}`, (_shop, turn) => `/orders?${freshly(turn)}`, { 'accept-encoding': coding }),
    reading(`GET /orders (25), again, ${coding}`, () => '/orders', { 'accept-encoding': coding }),
  ]),
  reading('GET /orders (100)', (_shop, turn) => `/orders?limit=100&${freshly(turn)}`),
  reading('GET /orders/{id}', ({ orderIds }, turn) => `/orders/${orderIds[turn % orderIds.length]}`),
  reading('GET /products', (_shop, turn) => `/products?${freshly(turn)}`),
  reading('GET /contacts?tag=', (_shop, turn) => `/contacts?tag=vip&${freshly(turn)}`),
  {
    name: 'POST /contacts',
    gateway: 'rest',
    request: (_shop, key, turn) => post('/api/v1/contacts', person(turn), { authorization: `Bearer ${key}` }),
    floorRequest: ({ id }, turn) => post(`/${id}/contacts`, person(turn), {}),
  },
  {
    // The tool has no filter by time, so this is always a repeated page.
    name: 'MCP list_orders, again',
    gateway: 'mcp',
    request: (_shop, key) => post('/api/mcp', listOrders, { ...mcpHeaders, authorization: `Bearer ${key}` }),
    floorRequest: ({ id }) => post(`/${id}/mcp`, listOrders, mcpHeaders),
  },
]

// Gateways cache pages that are requested again. A filter that keeps every row and differs each time makes it a page that
// nobody has requested before.
export function freshly(turn: number): string {
  return `created_after=${new Date(turn).toISOString()}`
}

// The floor never compresses.
function reading(
  name: string,
  pathOf: (shop: BenchShop, turn: number) => string,
  headers: Record<string, string> = {},
): Scenario {
  return {
    name,
    gateway: 'rest',
    request: (shop, key, turn) => get(`/api/v1${pathOf(shop, turn)}`, { ...headers, authorization: `Bearer ${key}` }),
    floorRequest: (shop, turn) => get(`/${shop.id}${pathOf(shop, turn)}`, headers),
  }
}

function get(path: string, headers: Record<string, string>): BenchRequest {
  return { method: 'GET', path, headers, body: null }
}

function post(path: string, value: object, headers: Record<string, string>): BenchRequest {
  const body = JSON.stringify(value)
  const own = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return { method: 'POST', path, headers: { ...own, ...headers }, body }
}

const run = Date.now().toString(36)
function person(turn: number) {
  return { name: 'Ada Lovelace', email: `ada-${run}-${turn}@example.com`, tags: ['bench'] }
}

const { body: listOrders, headers: mcpHeaders } = toolCall('list_orders', {}, '')
