// The public event log as pages: newest first without a cursor, oldest first behind one (docs/spec/rest-api.md#list-events).
// The cursor holds a position of the shop's feed.
import type { KeyObject } from 'node:crypto'
import type { ActionParams } from '#contracts/actions'
import { refuse } from '#contracts/errors'
import type { FeedPage } from '#contracts/page-result'
import { type CursorScope, openNumberCursor, signNumberCursor } from '#paging/cursor'
import { filterText, limitOf } from '#paging/page'
import type { Database } from '#postgres/connect'
import { listAfter, listPositions } from './feed-queries.ts'
import { listEvents } from './queries.ts'

/** Every page has a `next_cursor`; that of an empty one is the cursor that was sent. */
export async function feedPage(
  db: Database,
  keys: KeyObject[],
  shopId: string,
  { limit: wanted, cursor, wait: _wait, ...filter }: ActionParams<'events.feed'>,
): Promise<FeedPage> {
  const scope: CursorScope = { keys, resource: 'event_feed', shopId, filter: filterText(filter) }
  const limit = limitOf({ limit: wanted })
  if (cursor === undefined) {
    // Read first: what is stored meanwhile is behind the cursor and not on the page.
    const [position = 0] = await listPositions(db, [shopId])
    const rows = await listEvents(db, shopId, filter, { limit, rowsMax: limit, after: null, scope }, position)
    return pageOf(rows, false, signNumberCursor(position, scope))
  }
  const after = openNumberCursor(cursor, scope)
  const rows = await listAfter(db, shopId, filter, after, limit + 1)
  if (rows.length === 0) await requirePosition(db, shopId, after)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const nextCursor = last === undefined ? cursor : signNumberCursor(last.position, scope)
  return pageOf(shown, rows.length > shown.length, nextCursor)
}

// A position that the shop does not have yet was issued before the database was restored. Behind it events would be missed.
async function requirePosition(db: Database, shopId: string, position: number): Promise<void> {
  const [last = 0] = await listPositions(db, [shopId])
  if (position <= last) return
  const words = 'cursor is newer than the last event, because the data was restored. Begin again without a cursor.'
  throw refuse('invalid_request', words, { field: 'cursor' })
}

function pageOf(rows: { document: string }[], hasMore: boolean, cursor: string): FeedPage {
  const documents = rows.map(({ document }) => document).join(',')
  const body = Buffer.from(`{"data":[${documents}],"has_more":${hasMore},"next_cursor":"${cursor}"}`)
  return { body, rows: rows.length }
}
