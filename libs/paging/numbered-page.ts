// Pages of rows that are numbered from 1, highest number first: the history of one object.
import { type CursorScope, openNumberCursor, signNumberCursor } from './cursor.ts'
import { limitOf, pageBody, type PageParams } from './page.ts'

const NUMBER_MAX = 2_147_483_647

/**
 * The body of a page as bytes. `list` returns at most `rowsMax` rows numbered below `before`, highest first. Refuses
 * invalid_request for a cursor that was not issued for this list.
 */
export async function numberedPage<Row extends { position: number }>(
  params: PageParams,
  scope: CursorScope,
  list: (before: number, rowsMax: number) => Promise<Row[]>,
  documentOf: (row: Row) => string,
): Promise<Buffer> {
  const limit = limitOf(params)
  const before = params.cursor === undefined ? NUMBER_MAX : openNumberCursor(params.cursor, scope)
  const rows = await list(before, limit + 1)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return pageBody(shown.map(documentOf), last === undefined ? null : signNumberCursor(last.position, scope))
}
