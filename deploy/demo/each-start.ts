// What each start does in the demo shop, filled or not, so that its last hour has requests of keys, an event and deliveries on every day.
import { type AdminAccess, callOrThrow } from './admin-client.ts'
import type { DemoShop } from './demo.ts'
import { callWithKeys, type Gateways } from './key-calls.ts'

/** Makes a few requests with the keys, and gives the newest order that is on its way another tracking number. */
export async function showLife(admin: AdminAccess, shop: DemoShop, gateways: Gateways, now: Date): Promise<void> {
  await changeTracking(admin, shop, now)
  await callWithKeys(admin, shop, gateways, 1)
}

async function changeTracking(admin: AdminAccess, { handle }: DemoShop, now: Date): Promise<void> {
  const path = `/shops/${handle}/orders`
  const [order] = await callOrThrow<{ id: string }[]>(admin, 'GET', `${path}?status=shipped&limit=1`)
  if (order === undefined) return
  const trackingNumber = `DEMO${now.toISOString().replaceAll(/\D/g, '')}`
  await callOrThrow(admin, 'POST', `${path}/${order.id}/ship`, { trackingNumber })
}
