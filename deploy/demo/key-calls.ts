// Requests that the keys of the demo shop make over REST and MCP, so that usage and the request log show something: most are answered,
// some are refused, and one key uses up its budget. The process calls its own gateways and nobody else.
import { type AdminAccess, callOrThrow } from './admin-client.ts'
import { createKey, type DemoShop } from './demo.ts'

/** Origins of the gateways. */
export type Gateways = { restUrl: string; mcpUrl: string }

const ROUNDS = 6
const AT_ONCE = 6
const REFUSED = 12 // Requests of one key that are refused by its budget.
const BURST_MAX = 400 // Where the budget is larger than 240.
const NOWHERE = '7f1c9b52-6f0e-4a41-9d3c-0a4c8a3f7c11' // The id of nothing.
const MCP_REVISION = '2025-11-25'

/** Makes the keys that are missing and many requests, as a part of filling the shop. */
export async function makeKeyCalls(admin: AdminAccess, shop: DemoShop, gateways: Gateways): Promise<void> {
  await createRetiredKey(admin, shop)
  await callWithKeys(admin, shop, gateways, ROUNDS)
}

/** Makes the refused requests, `rounds` times those that are answered, and uses up the budget of one key. */
export async function callWithKeys(
  admin: AdminAccess,
  shop: DemoShop,
  gateways: Gateways,
  rounds: number,
): Promise<void> {
  const prices = await createKey(admin, shop.handle, 'price-list', {
    name: 'price list',
    access: 'read',
    resources: ['products'],
  })
  const { read, write } = shop.keys
  const send = openSender(admin)
  const rest = (key: string, target: string, body?: object) =>
    send(`${gateways.restUrl}/api/v1${target}`, key, {}, body)
  const tool = (key: string, name: string, given: object = {}) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
    return send(`${gateways.mcpUrl}/api/mcp`, key, mcpHeaders, body)
  }

  // Refused ones first: the request log keeps ten of a second.
  await rest(read, `/orders/${NOWHERE}`)
  await rest(read, '/orders?status=open')
  await rest(read, '/contacts', { name: 'Alma Reed', email: 'alma.reed@example.com' })
  await rest(write, '/contacts', { name: 'Alma Reed', email: 'alma.reed at example.com' })
  await rest(write, `/contacts/${NOWHERE}/tags`, { add: ['regular'] })
  await rest(prices, '/orders?limit=5')
  await tool(read, 'get_order', { id: NOWHERE })
  await tool(read, 'list_orders', { status: 'open' })
  for (let round = 0; round < rounds; round += 1) {
    await rest(read, '/shop')
    for (const list of ['orders?limit=25', 'orders?status=new', 'products', 'contacts?tag=regular']) {
      await rest(read, `/${list}`)
    }
    await tool(read, 'get_shop')
    await tool(read, 'list_orders', { status: 'shipped', limit: 5 })
    await rest(write, '/contacts?limit=10')
    await tool(write, 'list_contacts', { tag: 'club' })
    await tool(write, 'list_products', { limit: 5 })
  }
  await useUp(() => rest(prices, '/products?limit=1'))
}

const mcpHeaders = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': MCP_REVISION }

/** Calls until the budget of the key has refused some; a key that is not accepted has none. */
async function useUp(call: () => Promise<number>): Promise<void> {
  let [made, refused] = [0, 0]
  while (refused < REFUSED && made < BURST_MAX) {
    const statuses = await Promise.all(Array.from({ length: AT_ONCE }, call))
    if (statuses.includes(401)) return
    made += statuses.length
    refused += statuses.filter((status) => status === 429).length
  }
}

// The list of keys also shows one that was revoked.
async function createRetiredKey(admin: AdminAccess, { handle }: DemoShop): Promise<void> {
  const key = { name: 'old till', access: 'write' }
  const keys = await callOrThrow<{ id: string; name: string }[]>(admin, 'GET', `/shops/${handle}/keys`)
  const found = keys.find(({ name }) => name === key.name)
  const { id } = found ?? (await callOrThrow<{ id: string }>(admin, 'POST', `/shops/${handle}/keys`, key))
  await callOrThrow(admin, 'DELETE', `/shops/${handle}/keys/${id}`)
}

type Send = (url: string, key: string, headers: Record<string, string>, body?: object) => Promise<number>

/**
 * The function sends a GET, or with a body a POST, and returns the status. A key that somebody has revoked is not used again: failed
 * authentications use up a budget that belongs to this machine.
 */
function openSender({ signal }: AdminAccess): Send {
  const refused = new Set<string>()
  return async (url, key, headers, body) => {
    signal?.throwIfAborted()
    if (refused.has(key)) return 401
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${key}`, ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    })
    await response.arrayBuffer()
    if (response.status === 401) refused.add(key)
    return response.status
  }
}
