// The floor of the benchmark: the least that can send the same bytes from the same rows. Bare node:http and pg, prepared
// statements, the finished documents joined; no keys, no budget, no validation, no log, no metrics, no other process.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'
import { readConfig } from '#config/config'
import { contactDocument } from '../../services/contacts/shape.ts'

const { databaseUrl, port, opsPort } = readConfig(process.env, 'embedded')
const pool = new pg.Pool({ connectionString: databaseUrl ?? '', max: 6, idleTimeoutMillis: 600_000 })

const list = (table: string, document: string) =>
  `select ${document}, created_at, id from ${table} where shop_id = $1 order by created_at desc, id desc limit $2`
const statements = {
  orders: list('orders.orders', 'document'),
  products: list('catalog.products', 'list_document'),
  order: 'select document from orders.orders where shop_id = $1 and id = $2',
  contacts: `select c.document, t.created_at, t.contact_id from contacts.contact_tags t
    cross join lateral (select document from contacts.contacts where shop_id = t.shop_id and id = t.contact_id offset 0) c
    where t.shop_id = $1 and t.tag = $3 order by t.created_at desc, t.contact_id desc limit $2`,
  save: `with saved as (
      insert into contacts.contacts (id, shop_id, name, email, email_key, tags, source, document, created_at, updated_at)
      values ($1, $2, $3, $4, $4, $5, 'api', $6, $7, $7))
    insert into contacts.contact_tags (shop_id, contact_id, created_at, tag) select $2, $1, $7, unnest($5::text[])`,
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
  if (id !== undefined) return Buffer.from(`{"data":${String((await rows('order', [shopId, id]))[0]?.[0])}}`)
  const limit = Number(new URLSearchParams(query).get('limit') ?? 25)
  switch (noun) {
    case 'orders':
    case 'products':
      return page(noun, [shopId, limit + 1], limit)
    case 'contacts':
      return request.method === 'POST'
        ? save(shopId, await jsonOf(request))
        : page(noun, [shopId, limit + 1, 'vip'], limit)
    default:
      return toolResult(await jsonOf(request), await page('orders', [shopId, limit + 1], limit))
  }
}

async function page(name: keyof typeof statements, values: unknown[], limit: number): Promise<Buffer> {
  const found = await rows(name, values)
  const documents = found.slice(0, limit).map(([document]) => document)
  const hasMore = found.length > limit
  const cursor = hasMore ? `"${CURSOR}"` : 'null'
  return Buffer.from(`{"data":[${documents.join(',')}],"has_more":${hasMore},"next_cursor":${cursor}}`)
}

async function save(shopId: string, { name, email, tags }: Record<string, unknown>): Promise<Buffer> {
  const now = new Date()
  const [id, nothing] = [randomUUID(), null]
  const document = contactDocument({
    id,
    shop_id: shopId,
    name: String(name),
    email: String(email),
    email_key: String(email),
    phone: nothing,
    tags: tags as string[],
    source: 'api',
    marketing_consent_at: nothing,
    private_note: nothing,
    line1: nothing,
    line2: nothing,
    city: nothing,
    region: nothing,
    postal_code: nothing,
    country: nothing,
    created_at: now,
    updated_at: now,
  })
  await rows('save', [id, shopId, name, email, tags, document, now])
  return Buffer.from(`{"data":${document.slice(0, -1)},"optInSent":false,"droppedTags":[]}}`)
}

function toolResult({ id }: Record<string, unknown>, body: Buffer): Buffer {
  const text = JSON.stringify(body.toString())
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":${text}}],`
  return Buffer.concat([Buffer.from(`${head}"structuredContent":`), body, Buffer.from(',"resultType":"complete"}}')])
}

async function rows(name: keyof typeof statements, values: unknown[]): Promise<unknown[][]> {
  return (await pool.query({ name, text: statements[name], values, rowMode: 'array' })).rows as unknown[][]
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
