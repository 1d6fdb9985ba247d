// Owns what is asked in the side-by-side benchmark: one request for each scenario, in the words of the product and in those
// of the floor, which knows neither keys nor cursors and gets the shop in its path.
import { MCP_VERSION } from '#contracts/versions'

/** A shop as the generator knows it: its keys by set, some of its orders. */
export type BenchShop = { id: string; keys: Record<KeySet, string[]>; orderIds: string[] }
export type KeySet = (typeof keySets)[number]
export type Asked = { method: string; path: string; headers: Record<string, string>; body: string | null }
export type Scenario = {
  name: string
  door: 'rest' | 'mcp'
  /** `turn` counts the requests of the run, so that each can be another one. */
  ask(shop: BenchShop, key: string, turn: number): Asked
  askFloor(shop: BenchShop, turn: number): Asked
}

/** Each door of each form has keys of its own, so that none holds units of another one's key. */
export const keySets = ['one-rest', 'one-mcp', 'nats-rest', 'nats-mcp'] as const

export const scenarios: Scenario[] = [
  reading('GET /orders (25)', (_shop, turn) => `/orders?${freshly(turn)}`),
  reading('GET /orders (25), again', () => '/orders'),
  reading('GET /orders (100)', (_shop, turn) => `/orders?limit=100&${freshly(turn)}`),
  reading('GET /orders/{id}', ({ orderIds }, turn) => `/orders/${orderIds[turn % orderIds.length]}`),
  reading('GET /products', (_shop, turn) => `/products?${freshly(turn)}`),
  reading('GET /contacts?tag=', (_shop, turn) => `/contacts?tag=vip&${freshly(turn)}`),
  {
    name: 'POST /contacts',
    door: 'rest',
    ask: (_shop, key, turn) => posted('/api/v1/contacts', person(turn), { authorization: `Bearer ${key}` }),
    askFloor: ({ id }, turn) => posted(`/${id}/contacts`, person(turn), {}),
  },
  {
    // The tool has no filter by time: a page that is asked for again.
    name: 'MCP list_orders, again',
    door: 'mcp',
    ask: (_shop, key) => posted('/api/mcp', toolCall, { ...mcpHeaders, authorization: `Bearer ${key}` }),
    askFloor: ({ id }) => posted(`/${id}/mcp`, toolCall, mcpHeaders),
  },
]

// Gateways keep pages that are asked for again. A filter that keeps every row and is another one each time makes it a page
// that nobody has asked for before.
function freshly(turn: number): string {
  return `created_after=${new Date(turn).toISOString()}`
}

function reading(name: string, pathOf: (shop: BenchShop, turn: number) => string): Scenario {
  return {
    name,
    door: 'rest',
    ask: (shop, key, turn) => got(`/api/v1${pathOf(shop, turn)}`, { authorization: `Bearer ${key}` }),
    askFloor: (shop, turn) => got(`/${shop.id}${pathOf(shop, turn)}`, {}),
  }
}

function got(path: string, headers: Record<string, string>): Asked {
  return { method: 'GET', path, headers, body: null }
}

function posted(path: string, value: object, headers: Record<string, string>): Asked {
  const body = JSON.stringify(value)
  const own = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return { method: 'POST', path, headers: { ...own, ...headers }, body }
}

const run = Date.now().toString(36)
function person(turn: number) {
  return { name: 'Ada Lovelace', email: `ada-${run}-${turn}@example.com`, tags: ['bench'] }
}

const toolCall = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'list_orders',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    },
  },
}
const mcpHeaders = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': MCP_VERSION,
  'mcp-method': 'tools/call',
  'mcp-name': 'list_orders',
}
