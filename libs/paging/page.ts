// The pages of a list: clamps the limit, opens the cursor, and joins finished documents into one body. docs/spec/rest-api.md#paging
// Of orders, products, contacts and shops nothing is parsed or rendered on a read: the rows already hold their wire JSON.
import { transcode } from 'node:buffer'
import type { CallMeta } from '#contracts/caller'
import { limits } from '#contracts/limits'
import { type CursorScope, openCursor, type Position, signCursor } from './cursor.ts'

/**
 * Which page is wanted: `rowsMax` is one more than `limit`, so that has_more needs no second query. `until`: the page
 * shows nothing that was stamped later (docs/spec/sync.md#watermark). `size`: all of it, no rows where it is
 * larger than `pageWholeBytes`, or as many of its rows as a part may have (docs/spec/internals.md#page-parts).
 */
export type PageRequest = {
  limit: number
  rowsMax: number
  after: Position | null
  scope: CursorScope
  until?: Date | undefined
  size?: 'any' | 'small' | 'part'
}
export type PageParams = { limit?: number | undefined; cursor?: string | undefined }
/** A row of a list: its finished JSON, and its position in the order of the list. */
export type PageRow = { document: string; created_at: Date; id: string }

const BEYOND_LATIN_1 = /[\u0100-\uffff]/
// Written anew each time and then copied: allocating the memory costs more than the encoding. Enough for every page that is one body.
const scratch = Buffer.allocUnsafeSlow(2 * limits.busBytesMax)

/** Filters as one canonical text, so that a cursor serves only the list it was issued for. A list of one value is that value. */
export function filterText(filter: Record<string, unknown>): string {
  const set = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, unknown] => [name, Array.isArray(value) && value.length === 1 ? value[0] : value])
  return JSON.stringify(set.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** How many rows a page may have. docs/spec/rest-api.md#paging */
export function limitOf({ limit = limits.pageDefault }: PageParams): number {
  return Math.min(limit, limits.pageMax)
}

/** Refuses invalid_request when the cursor is not ours. `meta` is that of the call. */
export function openPage(params: PageParams, scope: CursorScope, meta: CallMeta = {}): PageRequest {
  const limit = limitOf(params)
  const after = params.cursor === undefined ? null : openCursor(params.cursor, scope)
  return { limit, rowsMax: limit + 1, after, scope, until: after?.until, size: sizeFor(meta) }
}

// A caller that does not read for a gateway takes the page as one body.
function sizeFor({ is_read, is_part }: CallMeta): PageRequest['size'] {
  if (is_part === true) return 'part'
  return is_read === true ? 'small' : 'any'
}

/** The body of a page. `rows` are at most `rowsMax`. */
export function toPage(rows: PageRow[], page: PageRequest): Buffer {
  const shown = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? shown.at(-1) : undefined
  const documents = shown.map((row) => row.document)
  return pageBody(
    documents,
    last === undefined ? null : cursorBehind({ createdAt: last.created_at, id: last.id }, page),
  )
}

/** The cursor of the page that follows a row, with the upper bound of its walk. */
export function cursorBehind(last: Omit<Position, 'until'>, { scope, until }: PageRequest): string {
  return signCursor({ ...last, until }, scope)
}

/**
 * `{"data":[…],"has_more":…,"next_cursor":…}` as bytes. Documents may be joined by commas already. `nextCursor` is null when no page
 * follows.
 */
export function pageBody(documents: string[], nextCursor: string | null): Buffer {
  const end = `],"has_more":${nextCursor !== null},"next_cursor":${JSON.stringify(nextCursor)}}`
  return utf8Of('{"data":[', documents.join(','), end)
}

/** The body of one object: `{"data":…}` as bytes. */
export function toSingle(document: string): Buffer {
  return utf8Of('{"data":', document, '}')
}

/**
 * The bytes of texts that follow each other. The engine keeps a text with a letter beyond Latin-1 as UTF-16, which transcode encodes
 * four times as fast as Buffer.from (docs/performance.md).
 */
export function utf8Of(...texts: string[]): Buffer {
  const encoding = texts.some((text) => BEYOND_LATIN_1.test(text)) ? 'utf16le' : 'utf8'
  const bytes = encoded(texts, encoding)
  return encoding === 'utf8' ? Buffer.from(bytes) : transcode(bytes, encoding, 'utf8')
}

// Either way a letter takes at most two bytes.
function encoded(texts: string[], encoding: 'utf8' | 'utf16le'): Buffer {
  const letters = texts.reduce((sum, { length }) => sum + length, 0)
  if (2 * letters > scratch.length) return Buffer.from(texts.join(''), encoding)
  let end = 0
  for (const text of texts) end += scratch.write(text, end, encoding)
  return scratch.subarray(0, end)
}
