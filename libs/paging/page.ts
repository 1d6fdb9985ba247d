// Owns paging: clamp the limit, open the cursor, fetch one row more than asked, join finished documents into one body.
// Spec: Paging rules. Nothing is parsed or rendered on a read: the rows already hold their wire JSON.
import { limits } from '#contracts/limits'
import { release } from '#memory/release'
import { type CursorScope, openCursor, type Position, signCursor } from './cursor.ts'

/** Which page is wanted: `rowsMax` is one more than `limit`, so that has_more needs no second question. */
export type Want = { limit: number; rowsMax: number; after: Position | null; scope: CursorScope }
export type PageParams = { limit?: number | undefined; cursor?: string | undefined }
/** A row of a list: its finished JSON, and what its place in the order is made of. */
export type PageRow = { document: string; created_at: Date; id: string }

/** Filters as one canonical text, so that a cursor serves only the list it was issued for. */
export function filterText(filter: Record<string, unknown>): string {
  const set = Object.entries(filter).filter(([, value]) => value !== undefined)
  return JSON.stringify(set.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Refuses invalid_request when the cursor is not ours. */
export function openPage(params: PageParams, scope: CursorScope): Want {
  const limit = Math.min(params.limit ?? limits.pageDefault, limits.pageMax)
  const after = params.cursor === undefined ? null : openCursor(params.cursor, scope)
  return { limit, rowsMax: limit + 1, after, scope }
}

/** The body of a page: `{"data":[…],"has_more":…,"next_cursor":…}` as bytes. */
export function toPage(rows: PageRow[], want: Want): Buffer {
  const shown = rows.slice(0, want.limit)
  const last = rows.length > want.limit ? shown.at(-1) : undefined
  const documents = shown.map((row) => row.document)
  return pageBody(documents, last === undefined ? null : { createdAt: last.created_at, id: last.id }, want.scope)
}

const HEAD = '{"data":['
const COMMA = 0x2c

/**
 * The same from documents that may be joined already, as text or as bytes, which are given back; `last` is where the next page
 * begins, null where there is none.
 */
export function pageBody(documents: (string | Buffer)[], last: Position | null, scope: CursorScope): Buffer {
  const cursor = last === null ? 'null' : `"${signCursor(last, scope)}"`
  const tail = `],"has_more":${last !== null},"next_cursor":${cursor}}`
  // Written in place: joined as text first, a page would be on the heap twice.
  const commas = Math.max(0, documents.length - 1)
  const bytes = documents.reduce((sum, one) => sum + Buffer.byteLength(one), 0)
  const body = Buffer.allocUnsafeSlow(HEAD.length + bytes + commas + tail.length)
  let end = body.write(HEAD, 'latin1')
  for (const [place, one] of documents.entries()) {
    if (place > 0) end = body.writeUInt8(COMMA, end)
    if (typeof one === 'string') end += body.write(one, end)
    else {
      body.set(one, end)
      end += one.length
      release(one)
    }
  }
  body.write(tail, end, 'latin1')
  return body
}

/** The body of one object: `{"data":…}` as bytes. */
export function toSingle(document: string): Buffer {
  return Buffer.from(`{"data":${document}}`)
}
