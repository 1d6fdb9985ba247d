// Owns the page that comes in few rows: PostgreSQL joins the finished documents, which costs it less than to send them row by
// row, and the reader takes few values apart instead of three for each row (docs/performance.md). For the lists that shops
// walk day and night. Spec: Paging rules.
import { pageBody, type Want } from './page.ts'

/**
 * A part of a page, by its place. `documents` are joined by commas; `rows` counts one more in the last part where there is another
 * page. `created_at` and `id` are of the last row of a whole page.
 */
export type PagePart = {
  part: number
  documents: string | null
  rows: number
  created_at: Date | null
  id: string | null
}

const ROWS_WHOLE_MAX = 50 // A longer page comes in parts: one value of hundreds of kilobytes costs its reader more than it spares.
const ROWS_IN_PART = 25

/**
 * The statement that packs `page`, a select of `document`, `created_at` and `id` in the order of the list. `limitAt` is the
 * placeholder of `limit`, how many are shown. Rows are numbered as they come, so nothing is sorted again.
 */
export function packed(page: string, limit: number, limitAt: string): string {
  const isWhole = limit <= ROWS_WHOLE_MAX
  const part = isWhole ? '0' : `least(place - 1, ${limitAt} - 1)::integer / ${ROWS_IN_PART}`
  const onLast = `filter (where place = ${limitAt})`
  return `select ${part} as part, count(*)::integer as rows,
      string_agg(document, ',') filter (where place <= ${limitAt}) as documents,
      min(created_at) ${onLast} as created_at, min(id::text) ${onLast} as id
    from (select document, created_at, id, row_number() over () as place from (${page}) as page) as placed
    ${isWhole ? '' : 'group by 1'}`
}

/** The body of the page, as `toPage` gives it. */
export function toPackedPage(parts: PagePart[], want: Want): Buffer {
  const inOrder = parts.toSorted((one, other) => one.part - other.part)
  const { created_at: createdAt, id } = inOrder.at(-1) ?? { created_at: null, id: null }
  const hasMore = parts.reduce((sum, { rows }) => sum + rows, 0) > want.limit
  const last = hasMore && createdAt !== null && id !== null ? { createdAt, id } : null
  const documents = inOrder.map((part) => part.documents).filter((part) => part !== null)
  return pageBody(documents, last, want.scope)
}
