// The public event log as pages: newest first without a cursor, oldest first behind one (docs/spec/rest-api.md#list-events).
// The cursor holds a position of the shop's feed, written as a UUID, since a cursor holds an instant and a UUID.
import type { KeyObject } from 'node:crypto'
import type { ActionParams } from '#contracts/actions'
import { type CursorScope, signCursor } from '#paging/cursor'
import { filterText, openPage } from '#paging/page'
import type { Database } from '#postgres/connect'
import { listAfter, listPositions } from './feed-queries.ts'
import { listEvents } from './queries.ts'

const NO_TIME = new Date(0)

/** The page as bytes. Every page has a `next_cursor`; that of an empty one is the cursor that was asked with. */
export async function feedPage(
  db: Database,
  keys: KeyObject[],
  shopId: string,
  { limit, cursor, wait: _wait, ...filter }: ActionParams<'events.feed'>,
): Promise<Buffer> {
  const scope: CursorScope = { keys, resource: 'event_feed', shopId, filter: filterText(filter) }
  const page = openPage({ limit, cursor }, scope)
  if (page.after === null || cursor === undefined) {
    // Read first: what is stored meanwhile is behind the cursor and not on the page.
    const [position = 0] = await listPositions(db, [shopId])
    const rows = await listEvents(db, shopId, filter, { ...page, rowsMax: page.limit }, position)
    return bodyOf(rows, false, cursorAt(position, scope))
  }
  const rows = await listAfter(db, shopId, filter, positionOf(page.after.id), page.rowsMax)
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  return bodyOf(shown, rows.length > shown.length, last === undefined ? cursor : cursorAt(last.position, scope))
}

function bodyOf(rows: { document: string }[], hasMore: boolean, cursor: string): Buffer {
  const documents = rows.map(({ document }) => document).join(',')
  return Buffer.from(`{"data":[${documents}],"has_more":${hasMore},"next_cursor":"${cursor}"}`)
}

function cursorAt(position: number, scope: CursorScope): string {
  const id = `00000000-0000-0000-0000-${position.toString(16).padStart(12, '0')}`
  return signCursor({ createdAt: NO_TIME, id }, scope)
}

function positionOf(id: string): number {
  return Number.parseInt(id.slice(-12), 16)
}
