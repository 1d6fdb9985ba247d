// Handlers of `events.*`: the event log of a shop (docs/spec/events.md#event-log).
import type { KeyObject } from 'node:crypto'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import type { ActionHandlers } from '#runtime/service'
import { happenedAtOf } from '#contracts/delivery-id'
import { feedPage } from './feed.ts'
import { listPositions } from './feed-queries.ts'
import { findEventBody, listEvents } from './queries.ts'

export function eventHandlers({ db, cursorKeys }: { db: Database; cursorKeys: KeyObject[] }): ActionHandlers {
  return {
    async 'events.list'({ params: { limit, cursor, ...filter }, locals: { caller } }) {
      const { shopId } = caller
      const page = openPage(
        { limit, cursor },
        { keys: cursorKeys, resource: 'events', shopId, filter: filterText(filter) },
      )
      return toPage(await listEvents(db, shopId, filter, page), page)
    },
    async 'events.feed'({ params, locals: { caller } }) {
      return feedPage(db, cursorKeys, caller.shopId, params)
    },
    async 'events.versions'({ params: { shop_ids } }) {
      return { versions: await listPositions(db, shop_ids) }
    },
    async 'events.get'({ params: { id }, locals: { caller } }) {
      const body = isUuid(id) ? await findEventBody(db, caller.shopId, id, happenedAtOf(id)) : null
      if (body === null) throw refuse('not_found', 'No event with that id in this shop.')
      return toSingle(body)
    },
  }
}
