// Pages of rows that are numbered from 1, highest number first: the history of one object.
// A cursor holds an instant and a UUID, so the number of a row is written as a UUID.
import type { CursorScope } from './cursor.ts'
import { openPage, type PageParams, toPage } from './page.ts'

const NUMBER_MAX = 2_147_483_647

/**
 * The body of a page as bytes. `list` gives at most `rowsMax` rows numbered below `before`, highest first. Refuses
 * invalid_request for a cursor that was not issued for this list.
 */
export async function numberedPage<Row extends { position: number; at: Date }>(
  params: PageParams,
  scope: CursorScope,
  list: (before: number, rowsMax: number) => Promise<Row[]>,
  documentOf: (row: Row) => string,
): Promise<Buffer> {
  const page = openPage(params, scope)
  const before = page.after === null ? NUMBER_MAX : Number.parseInt(page.after.id.slice(-12), 16)
  const rows = await list(before, page.rowsMax)
  const idOf = (number: number) => `00000000-0000-0000-0000-${number.toString(16).padStart(12, '0')}`
  return toPage(
    rows.map((row) => ({ document: documentOf(row), created_at: row.at, id: idOf(row.position) })),
    page,
  )
}
