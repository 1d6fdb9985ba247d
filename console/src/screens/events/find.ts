// Finds events for the palette: one by its id, those of an order or membership by the id of that.
import { StorefrontError } from '../../../../clients/typescript/src/client.ts'
import { firstPage } from '../../frame/first-page.ts'
import { api } from '../../frame/session.ts'
import type { Found } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type ShopEvent, subjectOf } from './event.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const SHOWN = 5

export async function findEvents(shop: string, text: string, signal: AbortSignal): Promise<Found[]> {
  if (!UUID.test(text)) return []
  const [own, ofObject] = await Promise.all([
    byId(shop, text, signal),
    firstPage(api.events.list(shop, { objectId: text, limit: SHOWN }, { signal })),
  ])
  return [...own, ...ofObject.data].map((event) => ({
    href: `/s/${shop}/events/${event.id}`,
    title: event.type,
    about: `${words.screens.events} · ${subjectOf(event)}`,
  }))
}

async function byId(shop: string, id: string, signal: AbortSignal): Promise<ShopEvent[]> {
  try {
    return [await api.events.get(shop, id, { signal })]
  } catch (error) {
    if (error instanceof StorefrontError && error.code === 'not_found') return []
    throw error
  }
}
