// The event as the back office answers it, and its deliveries at each endpoint.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { firstPage } from '../../frame/first-page.ts'
import { api } from '../../frame/session.ts'
import type { Delivery } from '../../parts/events/delivery.tsx'
import { moneyWords } from '../../parts/money.ts'

export type ShopEvent = BackOfficeSchemas['Event']
type Endpoint = BackOfficeSchemas['WebhookEndpoint']
export type Sent = { endpoints: Endpoint[]; deliveries: Delivery[] }

const ROWS = 100

/** What a person calls the object of the event. */
export function subjectOf({ data }: ShopEvent): string {
  if (data.object !== 'order') return data.id
  const { customer, items, total } = data
  return `${customer.name ?? customer.email ?? customer.phone ?? items[0]?.title ?? data.id}, ${moneyWords(total)}`
}

export async function deliveriesOf(shop: string, { id }: ShopEvent, signal: AbortSignal): Promise<Sent> {
  const [endpoints, deliveries] = await Promise.all([
    firstPage(api.endpoints.list(shop, { limit: ROWS }, { signal })),
    firstPage(api.deliveries.listAll(shop, { eventId: id, limit: ROWS }, { signal })),
  ])
  return { endpoints: endpoints.data, deliveries: deliveries.data }
}
