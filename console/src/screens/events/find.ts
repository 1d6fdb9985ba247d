// Finds events for the palette: one by its id, those of an order or membership by the id of that.
import { firstPage } from '../../frame/first-page.ts'
import { isId, orNone } from '../../frame/or-none.ts'
import { api } from '../../frame/session.ts'
import type { Found } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { subjectOf } from './event.ts'

const SHOWN = 5

export async function findEvents(shop: string, text: string, signal: AbortSignal): Promise<Found[]> {
  if (!isId(text)) return []
  const [own, ofObject] = await Promise.all([
    orNone(api.events.get(shop, text, { signal })),
    firstPage(api.events.list(shop, { objectId: text, limit: SHOWN }, { signal })),
  ])
  return [...(own === null ? [] : [own]), ...ofObject.data].map((event) => ({
    href: `/s/${shop}/events/${event.id}`,
    title: event.type,
    about: `${words.screens.events} · ${subjectOf(event)}`,
  }))
}
