// Requests of the import tests: sends a file to the back office, and reads whole lists of a shop.
import type { ImportRecord } from '#contracts/objects/import-record'
import { type Answer, exchange } from './http.ts'
import type { Stack } from './stack.ts'

/** Sends a file; `query` begins with `?` or is empty. */
export function sendFile(
  stack: Stack,
  shop: string,
  body: Buffer | string,
  query = '',
  headers: Record<string, string> = {},
): Promise<Answer> {
  const token = { authorization: 'Bearer an-operator-token-for-tests', 'content-type': 'text/csv' }
  const sent = { method: 'POST', headers: { ...token, ...headers }, body }
  return exchange(stack.adminPorts[0] ?? 0, `/admin/v1/shops/${shop}/imports${query}`, sent)
}

/** Imports a file; throws unless the answer is 201. */
export async function importFile(stack: Stack, shop: string, body: Buffer | string, query = ''): Promise<ImportRecord> {
  const { status, text, body: answer } = await sendFile(stack, shop, body, query)
  if (status !== 201) throw new Error(`The import was answered ${status}: ${text}`)
  return (answer as { data: ImportRecord }).data
}

/** All rows of a list of the back office, page by page. */
export async function wholeList<Row>(stack: Stack, shop: string, list: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await stack.admin('GET', `/shops/${shop}/${list}?limit=100${cursor && `&cursor=${cursor}`}`)
    rows.push(...(page.data as Row[]))
    cursor = page.next_cursor as string | null
  }
  return rows
}
