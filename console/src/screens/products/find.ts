// Finds a product for the palette by its id.
import { isId, orNone } from '../../frame/or-none.ts'
import { api } from '../../frame/session.ts'
import { moneyWords } from '../../parts/money.ts'
import type { Found } from '../../screens.ts'
import { words } from '../../words/en.ts'

export async function findProducts(shop: string, text: string, signal: AbortSignal): Promise<Found[]> {
  if (!isId(text)) return []
  const found = await orNone(api.products.get(shop, text, { signal }))
  if (found === null) return []
  const about = `${words.screens.products} · ${moneyWords(found.price)}`
  return [{ href: `/s/${shop}/products/${found.id}`, title: found.title, about }]
}
