// Lists of a service as its actions answer them: page by page, and the pages with which the plan of a list is checked.
import { createSecretKey } from 'node:crypto'
import { openPage, type PageRequest } from '#paging/page'

export type Page<Row = { id: string }> = { data: Row[]; has_more: boolean; next_cursor: string | null }

/** The page in the answer of an action: bytes, or an object with bytes as its body. */
export function pageIn<Row>(answer: unknown): Page<Row> {
  const { body } = answer as { body?: Buffer }
  return JSON.parse(String(body ?? answer)) as Page<Row>
}

/** Every row of a list, read to its end. */
export async function walkPages<Row>(read: (cursor?: string) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | undefined; ; ) {
    const { data, has_more, next_cursor } = await read(cursor)
    if (has_more !== (next_cursor !== null)) throw new Error('has_more and next_cursor differ.')
    rows.push(...data)
    if (next_cursor === null) return rows
    cursor = next_cursor
  }
}

/** The first page of a list and one after a row of that instant, each also with the upper bound that later pages have. */
export function pagesOf(resource: string, shopId: string, middle: Date): PageRequest[] {
  const first = openPage({ limit: 25 }, { keys: [createSecretKey(Buffer.alloc(32))], resource, shopId, filter: '' })
  const after = { createdAt: middle, id: '80000000-0000-4000-8000-000000000000' }
  const until = new Date()
  return [first, { ...first, until }, { ...first, after }, { ...first, after, until }]
}

/** No time, each of the four of a list, and all of them. */
export function timesOf(early: Date, middle: Date) {
  const [created, updated] = [
    { created_after: early, created_before: middle },
    { updated_after: early, updated_before: middle },
  ]
  const single = [
    { created_after: early },
    { created_before: middle },
    { updated_after: early },
    { updated_before: middle },
  ]
  return [{}, ...single, created, updated, { ...created, ...updated }]
}
