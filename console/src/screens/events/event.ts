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

/** The API lists deliveries by endpoint and by the instant of their event. */
export async function deliveriesOf(shop: string, event: ShopEvent, signal: AbortSignal): Promise<Sent> {
  const at = Date.parse(event.timestamp)
  const query = { objectId: event.data.id, createdAfter: new Date(at), createdBefore: new Date(at + 1), limit: ROWS }
  const { data: endpoints } = await firstPage(api.endpoints.list(shop, { limit: ROWS }, { signal }))
  const lists = endpoints.map(({ id }) => firstPage(api.deliveries.list(shop, id, query, { signal })))
  const deliveries = (await Promise.all(lists)).flatMap(({ data }) => data)
  return { endpoints, deliveries: deliveries.filter(({ eventId }) => eventId === event.id) }
}
