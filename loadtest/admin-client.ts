// Client of the back office for load and fault programs: rotates over the admin gateways, and makes shops with data.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

export type Json = Record<string, unknown>
/** `data` is the object of the response, or the whole body where it has none. */
export type Answer = { status: number; text: string; data: Json }
export type Shop = { id: string; handle: string; readKey: string; writeKey: string; productId: string }
export type AdminClient = {
  /** Sends once; a gateway that does not listen is skipped. Throws when there is no complete response. */
  send(method: string, path: string, body?: object | string, headers?: Record<string, string>): Promise<Answer>
  /** Sends under one Idempotency-Key until the response is not a failure of the server; throws on a refusal. */
  call(method: string, path: string, body?: object): Promise<Json>
  /** A shop with two keys, a product, contacts and so many orders. */
  shop(handle: string, orders: number, contacts?: number): Promise<Shop>
}

const CALL_ATTEMPTS = 20
const CALL_PAUSE_MS = 250

/** `urls` are the origins of the admin gateways; a request waits `timeoutMs` for its response. */
export function openAdminClient(urls: string[], token: string, timeoutMs = 12_000): AdminClient {
  let turn = 0

  async function send(method: string, path: string, body?: object | string, headers: Record<string, string> = {}) {
    for (let attempt = 1; ; attempt += 1) {
      turn += 1
      try {
        const response = await fetch(`${urls[turn % urls.length]}/admin/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
          signal: AbortSignal.timeout(timeoutMs),
        })
        const text = await response.text()
        const parsed = (text === '' ? {} : JSON.parse(text)) as { data?: Json } & Json
        return { status: response.status, text, data: parsed.data ?? parsed }
      } catch (error) {
        const { cause } = error as { cause?: { code?: string } }
        if (cause?.code !== 'ECONNREFUSED' || attempt >= urls.length) throw error
      }
    }
  }

  async function call(method: string, path: string, body?: object): Promise<Json> {
    const key = { 'idempotency-key': randomUUID() }
    for (let attempt = 1; ; attempt += 1) {
      const { status, data } = await send(method, path, body, key).catch(() => ({ status: 599, data: {} }))
      if (status < 300 || (status === 404 && method === 'DELETE')) return data
      if (status < 500 || attempt >= CALL_ATTEMPTS) {
        throw new Error(`${method} ${path} was answered with ${status}: ${JSON.stringify(data)}`)
      }
      await pause(CALL_PAUSE_MS)
    }
  }

  async function shop(handle: string, orders: number, contacts = 30): Promise<Shop> {
    const facts = { handle, name: 'Load', currency: 'GBP', timeZone: 'Europe/London', country: 'GB' }
    const { id } = await call('POST', '/shops', { ...facts, ownerEmail: 'owner@example.com', plan: 'pro' })
    const make = (path: string, body: object) => call('POST', `/shops/${handle}${path}`, body)
    const read = await make('/keys', { name: 'read', access: 'read' })
    const write = await make('/keys', { name: 'write', access: 'write' })
    const product = await make('/products', { title: 'Mug', kind: 'physical', price: { cents: 500 } })
    const place = (number: number) =>
      make('/orders', {
        paymentMethod: 'card',
        customer: { name: 'Ada Lovelace', email: `buyer-${number}@example.com` },
        items: [{ productId: product.id, quantity: 1 + (number % 3) }],
      })
    for (let from = 0; from < orders; from += 10) {
      await Promise.all(Array.from({ length: Math.min(10, orders - from) }, (_, index) => place(from + index)))
    }
    for (let number = 0; number < contacts; number += 1) {
      await make('/contacts', { name: 'Ada', email: `ada-${number}@example.com` })
    }
    return {
      ...{ id: String(id), handle, productId: String(product.id) },
      ...{ readKey: String(read.secret), writeKey: String(write.secret) },
    }
  }

  return { send, call, shop }
}
