// Owns how the back office reads what was done to a membership: the newest move first.
// Additive to the contract: GET /shops/{shop}/subscriptions/{id}/history. Moves of one membership are numbered from 1 in
// the order in which they were made, which the clocks of two processes could not tell.
import { isUuid } from '#contracts/actions/params'
import type { CursorScope } from '#paging/cursor'
import { filterText, openPage, type PageParams, toPage } from '#paging/page'
import type { Database } from '#postgres/connect'
import { notFound } from './moves.ts'
import { findDocument, listHistory } from '../queries.ts'
import { historyDocument } from '../shape.ts'

const POSITION_MAX = 2_147_483_647

/** A page as bytes. Refuses not_found, and invalid_request for a cursor that is not of this list. */
export async function historyPage(
  db: Database,
  keys: CursorScope['keys'],
  shopId: string,
  id: string,
  page: PageParams,
): Promise<Buffer> {
  if (!isUuid(id) || (await findDocument(db, shopId, id)) === null) throw notFound()
  const filter = filterText({ id: id.toLowerCase() })
  const want = openPage(page, { keys, resource: 'subscription_history', shopId, filter })
  const before = want.after === null ? POSITION_MAX : Number.parseInt(want.after.id.slice(-12), 16)
  const rows = await listHistory(db, shopId, id, before, want)
  const shown = rows.map((row) => ({ document: historyDocument(row), created_at: row.at, id: idOf(row.position) }))
  return toPage(shown, want)
}

// A cursor holds an instant and a UUID; a number is written as one.
function idOf(position: number): string {
  return `00000000-0000-0000-0000-${position.toString(16).padStart(12, '0')}`
}
