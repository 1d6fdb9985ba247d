// The floor of the benchmark: the least that can send the same bytes from the same rows, and write the same rows in the fewest
// statements (floor/). Bare node:http and pg, prepared statements, the finished documents joined; no keys, no budget, no validation, no log,
// no metrics, no other process. What it writes for relays is relayed by nobody.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readConfig } from '#config/config'
import type { OrderInput } from '#contracts/input/order'
import { type Person, saveContact } from './floor/contacts.ts'
import { tuples } from './floor/database.ts'
import { renewMembership } from './floor/memberships.ts'
import { placeOrder, shipOrder } from './floor/orders.ts'

const { port, opsPort } = readConfig(process.env, 'embedded')

const list = (table: string, document: string) =>
  `select ${document}, created_at, id from ${table} where shop_id = $1 order by created_at desc, id desc limit $2`
const statements = {
  orders: list('orders.orders', 'document'),
  products: list('catalog.products', 'list_document'),
  order: 'select document from orders.orders where shop_id = $1 and id = $2',
  contacts: `select c.document, t.created_at, t.contact_id from contacts.contact_tags t
    cross join lateral (select document from contacts.contacts where shop_id = t.shop_id and id = t.contact_id offset 0) c
    where t.shop_id = $1 and t.tag = $3 order by t.created_at desc, t.contact_id desc limit $2`,
}
const CURSOR = 'A'.repeat(54)

// The second port answers whether it is ready, as that of every process does.
for (const on of [port, opsPort])
  createServer((request, response) => void respond(request, response)).listen(on, '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))

async function answer(request: IncomingMessage): Promise<Buffer> {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const [, shopId = '', noun = '', id] = path.split('/')
  if (shopId === 'readyz') return Buffer.from('ok')
  const limit = Number(new URLSearchParams(query).get('limit') ?? 25)
  if (noun === 'mcp') return toolResult(await jsonOf(request), await page('orders', [shopId, limit + 1], limit))
  if (request.method === 'POST') return write(request, shopId, noun, id)
  if (id !== undefined) {
    const [order] = await tuples(statements.order, [shopId, id])
    return Buffer.from(`{"data":${String(order?.[0])}}`)
  }
  if (noun === 'contacts') return page(noun, [shopId, limit + 1, 'vip'], limit)
  return page(noun === 'orders' ? noun : 'products', [shopId, limit + 1], limit)
}

async function write(request: IncomingMessage, shopId: string, noun: string, id: string | undefined): Promise<Buffer> {
  const body = await jsonOf(request)
  const { 'idempotency-key': header } = request.headers
  const key = typeof header === 'string' ? header : undefined
  if (noun === 'contacts') return saveContact(shopId, body as Person, key)
  if (noun === 'subscriptions') return renewMembership(shopId, id ?? '', key)
  if (id === undefined) return placeOrder(shopId, body as OrderInput, key)
  return shipOrder(shopId, id, body as { trackingNumber: string }, key)
}

async function page(name: keyof typeof statements, values: unknown[], limit: number): Promise<Buffer> {
  const found = await tuples(statements[name], values)
  const documents = found.slice(0, limit).map(([document]) => document)
  const hasMore = found.length > limit
  const cursor = hasMore ? `"${CURSOR}"` : 'null'
  return Buffer.from(`{"data":[${documents.join(',')}],"has_more":${hasMore},"next_cursor":${cursor}}`)
}

function toolResult({ id }: Record<string, unknown>, body: Buffer): Buffer {
  const text = JSON.stringify(body.toString())
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":${text}}],`
  return Buffer.concat([Buffer.from(`${head}"structuredContent":`), body, Buffer.from(',"resultType":"complete"}}')])
}

async function jsonOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [status, body] = await answer(request).then(
    (found) => [200, found] as const,
    (error: unknown) => [500, Buffer.from(String(error))] as const,
  )
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
  response.end(body)
}
