// Handlers of `events.*`: the event log of a shop (docs/spec/events.md#event-log).
import type { KeyObject } from 'node:crypto'
import type { EventsPage } from '#contracts/actions/person-data'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { filterText, openPage, toPage, toSingle, utf8Of } from '#paging/page'
import type { Database } from '#postgres/connect'
import type { ActionHandlers } from '#runtime/service'
import { happenedAtOf } from '#contracts/delivery-id'
import { feedPage } from './feed.ts'
import { listPositions } from './feed-queries.ts'
import { findEventBody, listEvents, listEventsOf } from './queries.ts'

const EVENTS_OF_OBJECTS = 100

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
    async 'events.of_objects'({ params: { object_ids, after }, locals: { caller } }): Promise<EventsPage> {
      const rows = await listEventsOf(db, caller.shopId, object_ids, after, EVENTS_OF_OBJECTS)
      const last = rows.at(-1)
      return {
        body: utf8Of(
          '[',
          rows.map(({ object_id, body }) => `{"objectId":"${object_id}","event":${body}}`).join(','),
          ']',
        ),
        next:
          last === undefined
            ? null
            : { object_id: last.object_id, happened_at: last.happened_at.toISOString(), id: last.id },
      }
    },
    async 'events.get'({ params: { id }, locals: { caller } }) {
      const body = isUuid(id) ? await findEventBody(db, caller.shopId, id, happenedAtOf(id)) : null
      if (body === null) throw refuse('not_found', 'No event with that id in this shop.')
      return toSingle(body)
    },
  }
}
