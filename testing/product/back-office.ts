// Creates data for tests by calls of the back office.
import { randomUUID } from 'node:crypto'
import { exchange } from './http.ts'

type Json = { [field: string]: unknown }
export type Made<Extra = object> = { id: string } & Extra & Json

export type BackOffice = {
  /** Calls the back office and returns the whole answer's body; throws when it refuses. */
  admin(method: string, path: string, body?: Json): Promise<Json>
  /** A shop in pounds whose plan includes the API, unless told otherwise. */
  makeShop(facts?: Json): Promise<Made<{ handle: string }>>
  /** The secret of a new key. */
  makeKey(shopId: string, access?: 'read' | 'write'): Promise<Made<{ secret: string }>>
  makeProduct(shopId: string, product: Json): Promise<Made>
  makeContact(shopId: string, contact: Json): Promise<Made>
  makeOrder(shopId: string, order: Json): Promise<Made>
}

export function openBackOffice(port: number, token: string): BackOffice {
  const admin: BackOffice['admin'] = async (method, path, body) => {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const sent = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const answer = await exchange(port, `/admin/v1${path}`, sent)
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
    return answer.body as Json
  }
  const make = async <Extra>(path: string, body: Json) => (await admin('POST', path, body)).data as Made<Extra>
  return {
    admin,
    makeShop(facts = {}) {
      const handle = `shop-${randomUUID().slice(0, 8)}`
      return make('/shops', {
        handle,
        name: 'A shop',
        currency: 'GBP',
        timeZone: 'Europe/London',
        plan: 'pro',
        ...facts,
      })
    },
    makeKey: (shopId, access = 'read') => make(`/shops/${shopId}/keys`, { name: 'test', access }),
    makeProduct: (shopId, product) => make(`/shops/${shopId}/products`, product),
    makeContact: (shopId, contact) => make(`/shops/${shopId}/contacts`, contact),
    makeOrder: (shopId, order) => make(`/shops/${shopId}/orders`, order),
  }
}
