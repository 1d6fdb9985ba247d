// Finds a delivery for the palette by its id.
import { StorefrontError } from '../../../../clients/typescript/src/client.ts'
import { api } from '../../frame/session.ts'
import type { Found } from '../../screens.ts'
import { words } from '../../words/en.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export async function findDeliveries(shop: string, text: string, signal: AbortSignal): Promise<Found[]> {
  if (!UUID.test(text)) return []
  try {
    const { id, endpointId, event, status } = await api.deliveries.get(shop, text, { signal })
    const href = `/s/${shop}/deliveries/${id}?endpoint=${endpointId}`
    return [{ href, title: event, about: `${words.screens.deliveries} · ${status}` }]
  } catch (error) {
    if (error instanceof StorefrontError && error.code === 'not_found') return []
    throw error
  }
}
