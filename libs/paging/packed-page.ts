// Owns the page that comes as one row: PostgreSQL joins the finished documents, which costs it less than to send them row by
// row, and the reader takes one value apart instead of three for each row (docs/performance.md). For the lists that shops
// walk day and night. Spec: Paging rules.
import { pageBody, type Want } from './page.ts'

/** `documents`: those of the page, joined by commas; `rows` counts one more where there is another page. `created_at` and `id` are of the last one shown. */
export type PackedPage = { documents: string | null; rows: number; created_at: Date | null; id: string | null }

/**
 * The statement that packs `page`, a select of `document`, `created_at` and `id` in the order of the list; `limit` is the
 * placeholder of how many are shown. Rows are numbered as they come, so nothing is sorted again.
 */
export function packed(page: string, limit: string): string {
  return `select string_agg(document, ',') filter (where place <= ${limit}) as documents, count(*)::integer as rows,
      min(created_at) filter (where place = ${limit}) as created_at, min(id::text) filter (where place = ${limit}) as id
    from (select document, created_at, id, row_number() over () as place from (${page}) as page) as placed`
}

/** The body of the page, as `toPage` gives it. */
export function toPackedPage([page]: PackedPage[], want: Want): Buffer {
  const { documents, rows, created_at: createdAt, id } = page ?? nothing
  const last = rows > want.limit && createdAt !== null && id !== null ? { createdAt, id } : null
  return pageBody(documents ?? '', last, want.scope)
}

const nothing: PackedPage = { documents: null, rows: 0, created_at: null, id: null }
