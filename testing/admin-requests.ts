// Requests to the back office that a test looks at as HTTP: raw requests, imports of files, and whole lists of a shop.
import type { ImportRecord } from '#contracts/objects/import-record'
import { type Page, walkPages } from './lists.ts'
import { type Answer, exchange } from './product/http.ts'
import type { Stack } from './product/stack.ts'

type AdminPort = Pick<Stack, 'adminPorts'>
type Headers = Record<string, string>
/** `body`: text and bytes are sent as they are, any other value as JSON. `gateway` counts the replicas from 0. */
export type AdminAsk = { body?: unknown; headers?: Headers; gateway?: number }

/** Sends a request with the operator's token; `path` begins below `/admin/v1`. */
export function adminRequest(
  { adminPorts }: AdminPort,
  method: string,
  path: string,
  { body, headers = {}, gateway = 0 }: AdminAsk = {},
): Promise<Answer> {
  const token = { authorization: 'Bearer an-operator-token-for-tests-only' }
  const json: Headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const content = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const port = adminPorts[gateway % adminPorts.length]
  if (port === undefined) throw new Error('The stack has no admin gateway.')
  const sent = { method, headers: { ...token, ...json, ...headers } }
  return exchange(port, `/admin/v1${path}`, content === undefined ? sent : { ...sent, body: content })
}

/** Sends a file to be imported; `query` begins with `?` or is empty. */
export function sendFile(
  stack: AdminPort,
  shop: string,
  body: Buffer | string,
  query = '',
  headers: Headers = {},
): Promise<Answer> {
  const type = { 'content-type': 'text/csv', ...headers }
  return adminRequest(stack, 'POST', `/shops/${shop}/imports${query}`, { body, headers: type })
}

/** Imports a file; throws unless the answer is 201. */
export async function importFile(
  stack: AdminPort,
  shop: string,
  body: Buffer | string,
  query = '',
): Promise<ImportRecord> {
  const { status, text, body: answer } = await sendFile(stack, shop, body, query)
  if (status !== 201) throw new Error(`The import was answered ${status}: ${text}`)
  return (answer as { data: ImportRecord }).data
}

/** All rows of a list of the back office, page by page. */
export function wholeList<Row>(stack: Pick<Stack, 'admin'>, shop: string, list: string): Promise<Row[]> {
  return wholePath(stack, `/shops/${shop}/${list}`, 100)
}

/** The same for a list at any path below `/admin/v1`, in pages of this size. */
export function wholePath<Row>(stack: Pick<Stack, 'admin'>, path: string, limit: number): Promise<Row[]> {
  return walkPages(async (cursor) => {
    const next = cursor === undefined ? '' : `&cursor=${cursor}`
    return (await stack.admin('GET', `${path}?limit=${limit}${next}`)) as Page<Row>
  })
}
