// The client of load and fault programs: sends to the gateways of a service in turn, and makes shops with data in the back office.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Process } from './process.ts'

export type Json = Record<string, unknown>
export type Gateway = 'rest-gateway' | 'mcp-gateway' | 'admin-gateway'
/** `data` is the object of the response, or the whole body where it has none; `via` the URL of the gateway. */
export type Answer = { status: number; text: string; data: Json; via: string }
export type Shop = { id: string; handle: string; readKey: string; writeKey: string; productId: string }
/** A path of the back office begins behind `/admin/v1`; `key` is an API key, null for none; `timeoutMs` bounds the answer, 15 s where it is absent. */
export type Command = {
  gateway?: Gateway
  method: string
  path: string
  body?: object | string
  headers?: Record<string, string>
  key?: string | null
  timeoutMs?: number
}
export type Client = {
  /** Sends once; a gateway that does not listen is skipped. Throws a `NoAnswer` when there is no complete response. */
  send(command: Command): Promise<Answer>
  /** Sends to the back office under one Idempotency-Key until the response is not a failure of the server; throws on a refusal. */
  call(method: string, path: string, body?: object): Promise<Json>
  /** The id of a new shop. */
  makeShop(handle: string, facts?: object): Promise<string>
  /** A shop with two keys, a product, contacts and so many orders. */
  shop(handle: string, orders: number, contacts?: number): Promise<Shop>
  /** From now on sends only to gateways whose /readyz says that they are ready, as a load balancer; returns a function that ends that. */
  watchReadiness(): () => void
}
/** Why there is no answer: `refused`, `timeout`, or `reset` with its code. */
export class NoAnswer extends Error {
  readonly via: string
  constructor(cause: unknown, via: string) {
    const code = (cause as { cause?: { code?: string } }).cause?.code
    const isTimeout = cause instanceof Error && cause.name === 'TimeoutError'
    const reset = code === undefined ? 'reset' : `reset ${code}`
    super(isTimeout ? 'timeout' : code === 'ECONNREFUSED' ? 'refused' : reset, { cause })
    this.via = via
  }
}

const ANSWER_MS = 15_000
const CALL_ATTEMPTS = 20
const CALL_PAUSE_MS = 250
const CHECK_MS = 100
const CHECK_WAIT_MS = 1_000 // A replica that does not answer for so long counts as hung.
const gateways: Gateway[] = ['rest-gateway', 'mcp-gateway', 'admin-gateway']

/** `of` returns the replicas of a service. */
export function openClient(of: (service: string) => Process[], token: string): Client {
  const unready = new Set<Process>()
  const checked = new Set<Process>()
  let turn = 0

  function next(gateway: Gateway): Process {
    turn += 1
    const ready = of(gateway).filter((replica) => !unready.has(replica))
    const candidates = ready.length > 0 ? ready : of(gateway)
    const chosen = candidates[turn % candidates.length]
    if (chosen === undefined) throw new Error(`There is no ${gateway}.`)
    return chosen
  }

  async function send(command: Command): Promise<Answer> {
    const { gateway = 'admin-gateway', method, path, body, headers, key = token, timeoutMs = ANSWER_MS } = command
    for (let attempt = 1; ; attempt += 1) {
      const { url, adminUrl } = next(gateway)
      const via = gateway === 'admin-gateway' ? adminUrl : url
      try {
        const response = await fetch(via + (gateway === 'admin-gateway' ? `/admin/v1${path}` : path), {
          method,
          headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
          signal: AbortSignal.timeout(timeoutMs),
        })
        const text = await response.text()
        const parsed = (text === '' ? {} : JSON.parse(text)) as { data?: Json } & Json
        return { status: response.status, text, data: parsed.data ?? parsed, via }
      } catch (error) {
        const failure = new NoAnswer(error, via)
        if (failure.message !== 'refused' || attempt >= of(gateway).length) throw failure
      }
    }
  }

  async function call(method: string, path: string, body?: object): Promise<Json> {
    const headers = { 'idempotency-key': randomUUID() }
    for (let attempt = 1; ; attempt += 1) {
      const { status, data } = await send({ method, path, body, headers }).catch(() => ({ status: 599, data: {} }))
      if (status < 300 || (status === 404 && method === 'DELETE')) return data
      if (status < 500 || attempt >= CALL_ATTEMPTS) {
        throw new Error(`${method} ${path} was answered with ${status}: ${JSON.stringify(data)}`)
      }
      await sleep(CALL_PAUSE_MS)
    }
  }

  async function makeShop(handle: string, facts: object = {}): Promise<string> {
    const usual = { name: 'Load', currency: 'GBP', timeZone: 'Europe/London', country: 'GB', plan: 'pro' }
    return String((await call('POST', '/shops', { handle, ...usual, ownerEmail: 'owner@example.com', ...facts })).id)
  }

  async function shop(handle: string, orders: number, contacts = 30): Promise<Shop> {
    const id = await makeShop(handle)
    const make = (path: string, body: object) => call('POST', `/shops/${handle}${path}`, body)
    const makeKey = async (access: string) => String((await make('/keys', { name: access, access })).secret)
    const keys = { readKey: await makeKey('read'), writeKey: await makeKey('write') }
    const product = await make('/products', { title: 'Mug', kind: 'physical', price: { cents: 500 } })
    const place = (number: number) => {
      const customer = { name: 'Ada Lovelace', email: `buyer-${number}@example.com` }
      const items = [{ productId: product.id, quantity: 1 + (number % 3) }]
      return make('/orders', { paymentMethod: 'card', customer, items })
    }
    for (let from = 0; from < orders; from += 10) {
      await Promise.all(Array.from({ length: Math.min(10, orders - from) }, (_, index) => place(from + index)))
    }
    for (let number = 0; number < contacts; number += 1) {
      await make('/contacts', { name: 'Ada', email: `ada-${number}@example.com` })
    }
    return { id, handle, productId: String(product.id), ...keys }
  }

  async function check(replica: Process): Promise<void> {
    if (checked.has(replica)) return
    checked.add(replica)
    if (await replica.isReady(CHECK_WAIT_MS)) unready.delete(replica)
    else unready.add(replica)
    checked.delete(replica)
  }

  function watchReadiness(): () => void {
    const timer = setInterval(() => {
      for (const replica of gateways.flatMap(of)) void check(replica)
    }, CHECK_MS)
    return () => {
      clearInterval(timer)
      unready.clear()
    }
  }

  return { send, call, makeShop, shop, watchReadiness }
}
