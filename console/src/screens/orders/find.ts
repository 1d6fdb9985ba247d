// Finds orders for the palette: one by its id, those of a buyer by the email.
import { StorefrontError } from '../../../../clients/typescript/src/client.ts'
import { firstPage } from '../../frame/first-page.ts'
import { api } from '../../frame/session.ts'
import type { Found } from '../../screens.ts'
import { moneyWords } from '../../parts/money.ts'
import { words } from '../../words/en.ts'
import { nameOf, type Order } from './order.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const SHOWN = 5

export async function findOrders(shop: string, text: string, signal: AbortSignal): Promise<Found[]> {
  if (UUID.test(text)) return (await byId(shop, text, signal)).map((order) => foundOf(shop, order))
  if (!/^\S+@\S+$/.test(text)) return []
  const { data } = await firstPage(api.orders.list(shop, { email: text, limit: SHOWN }, { signal }))
  return data.map((order) => foundOf(shop, order))
}

async function byId(shop: string, id: string, signal: AbortSignal): Promise<Order[]> {
  try {
    return [await api.orders.get(shop, id, { signal })]
  } catch (error) {
    if (error instanceof StorefrontError && error.code === 'not_found') return []
    throw error
  }
}

function foundOf(shop: string, order: Order): Found {
  const about = `${words.screens.orders} · ${order.status} · ${moneyWords(order.total)}`
  return { href: `/s/${shop}/orders/${order.id}`, title: nameOf(order), about }
}
