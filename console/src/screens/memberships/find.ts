// Finds a membership for the palette by its id.
import { isId, orNone } from '../../frame/or-none.ts'
import { api } from '../../frame/session.ts'
import type { Found } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { priceWords } from './membership.ts'

export async function findMemberships(shop: string, text: string, signal: AbortSignal): Promise<Found[]> {
  if (!isId(text)) return []
  const found = await orNone(api.subscriptions.get(shop, text, { signal }))
  if (found === null) return []
  const about = `${words.screens.memberships} · ${found.status}`
  return [{ href: `/s/${shop}/memberships/${found.id}`, title: priceWords(found), about }]
}
