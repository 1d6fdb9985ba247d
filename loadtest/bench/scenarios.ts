// The requests of the benchmark.
import { toolCall } from '../operations.ts'
import type { ClientScenario, Scenario } from './scenario.ts'
import { writes } from './writes/scenarios.ts'

const { body: listOrders, headers: mcpHeaders } = toolCall('list_orders', {}, '')
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
    // The tool has no filter by time, so this is always a repeated page.
    name: 'MCP list_orders, again',
    gateway: 'mcp',
    path: () => '/mcp',
    headers: mcpHeaders,
    body: () => listOrders,
  },
  ...writes,
]

// Gateways cache pages that are requested again. A filter that keeps every row and differs each time makes it a page that
// was not requested before. `created_after` would add the watermark of a poll, which `npm run sync` is about.
export function freshly(turn: number): string {
  return `created_before=${new Date(AFTER_ALL_MS + turn).toISOString()}`
}

function reading(name: string, path: ClientScenario['path'], headers: Record<string, string> = {}): Scenario {
  return { name, gateway: 'rest', path, headers }
}
