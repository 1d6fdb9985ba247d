// Finds orders for the palette: one by its id, those of a buyer by the email.
import { firstPage } from '../../frame/first-page.ts'
import { isId, orNone } from '../../frame/or-none.ts'
import { api } from '../../frame/session.ts'
import type { Found } from '../../screens.ts'
import { moneyWords } from '../../parts/money.ts'
import { words } from '../../words/en.ts'
import { nameOf, type Order } from './order.ts'

const SHOWN = 5

export async function findOrders(shop: string, text: string, signal: AbortSignal): Promise<Found[]> {
  if (isId(text)) {
    const order = await orNone(api.orders.get(shop, text, { signal }))
    return order === null ? [] : [foundOf(shop, order)]
  }
  if (!/^\S+@\S+$/.test(text)) return []
  const { data } = await firstPage(api.orders.list(shop, { email: text, limit: SHOWN }, { signal }))
  return data.map((order) => foundOf(shop, order))
}

function foundOf(shop: string, order: Order): Found {
  const about = `${words.screens.orders} · ${order.status} · ${moneyWords(order.total)}`
  return { href: `/s/${shop}/orders/${order.id}`, title: nameOf(order), about }
}
