// The pages of a list: clamps the limit, opens the cursor, and joins finished documents into one body. docs/spec/rest-api.md#paging
// Nothing is parsed or rendered on a read: the rows already hold their wire JSON.
import { transcode } from 'node:buffer'
import type { CallMeta } from '#contracts/caller'
import { limits } from '#contracts/limits'
import { type CursorScope, openCursor, type Position, signCursor } from './cursor.ts'

/**
 * Which page is wanted: `rowsMax` is one more than `limit`, so that has_more needs no second query. `until`: the page
 * shows nothing that was stamped later (docs/spec/integrators.md#watermark). `size`: all of it, nothing where it is larger than a part, or
 * as many of its rows as a part may have (docs/spec/internals.md#page-parts).
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

const PAGE_START = Buffer.from('{"data":[')
const BEYOND_LATIN_1 = /[\u0100-\uffff]/
const units = Buffer.allocUnsafeSlow(256 * 1024) // Written anew for each text: allocating it each time costs more than the encoding.

/** Filters as one canonical text, so that a cursor serves only the list it was issued for. A list of one value is that value. */
export function filterText(filter: Record<string, unknown>): string {
  const set = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, unknown] => [name, Array.isArray(value) && value.length === 1 ? value[0] : value])
  return JSON.stringify(set.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Refuses invalid_request when the cursor is not ours. `meta` is that of the call. */
export function openPage(params: PageParams, scope: CursorScope, meta: CallMeta = {}): PageRequest {
  const limit = Math.min(params.limit ?? limits.pageDefault, limits.pageMax)
  const after = params.cursor === undefined ? null : openCursor(params.cursor, scope)
  return { limit, rowsMax: limit + 1, after, scope, until: after?.until, size: sizeFor(meta) }
}

// Who does not say that it reads for a gateway takes a page as one body, as gateways of older releases do.
function sizeFor({ is_read, is_part }: CallMeta): PageRequest['size'] {
  if (is_part === true) return 'part'
  return is_read === true ? 'small' : 'any'
}

/** The body of a page: `{"data":[…],"has_more":…,"next_cursor":…}` as bytes. `rows` are at most `rowsMax`. */
export function toPage(rows: PageRow[], page: PageRequest): Buffer {
  const shown = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? shown.at(-1) : undefined
  const documents = shown.map((row) => row.document)
  return pageBody(documents, last === undefined ? null : { createdAt: last.created_at, id: last.id }, page)
}

/** The same from documents that may be joined by commas already. `last`: position of the last row; null when no page follows. */
export function pageBody(
  documents: string[],
  last: Omit<Position, 'until'> | null,
  { scope, until }: Pick<PageRequest, 'scope' | 'until'>,
  isFinalPage = true,
): Buffer {
  const cursor = last === null ? 'null' : `"${signCursor({ ...last, until }, scope)}"`
  const end = `],"has_more":${last !== null},"next_cursor":${cursor}}${isFinalPage ? '' : NOT_FINAL}`
  return Buffer.concat([PAGE_START, utf8Of(documents.join(',')), Buffer.from(end)])
}

// A line feed behind the JSON tells a gateway, over any bus, that the page lacks rows which the version of its list counts already.
const NOT_FINAL = '\n'

/** Whether a later read gives the same page while the version of its list stays: whether it may be cached. */
export function isFinal(page: Buffer): boolean {
  return page.at(-1) !== NOT_FINAL.charCodeAt(0)
}

/** The body of one object: `{"data":…}` as bytes. */
export function toSingle(document: string): Buffer {
  return utf8Of(`{"data":${document}}`)
}

/**
 * The bytes of a text. The engine keeps one with a letter beyond Latin-1 as UTF-16, which transcode encodes four times as fast as
 * Buffer.from (docs/performance.md).
 */
export function utf8Of(text: string): Buffer {
  if (!BEYOND_LATIN_1.test(text)) return Buffer.from(text)
  if (2 * text.length > units.length) return transcode(Buffer.from(text, 'utf16le'), 'utf16le', 'utf8')
  return transcode(units.subarray(0, units.write(text, 'utf16le')), 'utf16le', 'utf8')
}
