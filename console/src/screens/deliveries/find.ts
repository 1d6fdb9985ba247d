// Finds a delivery for the palette by its id.
import { isId, orNone } from '../../frame/or-none.ts'
import { api } from '../../frame/session.ts'
import type { Found } from '../../screens.ts'
import { words } from '../../words/en.ts'

export async function findDeliveries(shop: string, text: string, signal: AbortSignal): Promise<Found[]> {
  const found = isId(text) ? await orNone(api.deliveries.get(shop, text, { signal })) : null
  if (found === null) return []
  const { id, event, status } = found
  const href = `/s/${shop}/deliveries/${id}`
  return [{ href, title: event, about: `${words.screens.deliveries} · ${status}` }]
}
