// A request of the benchmark in the form of the product and in that of the floor, which has neither keys of shops nor cursors and gets the
// shop in its path.
import { randomUUID } from 'node:crypto'
import { ADMIN_TOKEN } from '../cluster.ts'

/** Each gateway of each form has keys of its own, so that none holds budget of another one's key. */
export const keySets = ['one-rest', 'one-mcp', 'nats-rest', 'nats-mcp'] as const
export type KeySet = (typeof keySets)[number]

/** A shop that clients with keys call: its keys by set, some of its orders. */
export type BenchShop = { id: string; keys: Record<KeySet, string[]>; orderIds: string[] }
/** A shop that the back office writes in. */
export type OfficeShop = { id: string; productIds: string[]; membershipIds: string[] }

type Common = {
  name: string
  headers?: Record<string, string>
  /** Whether each request has an Idempotency-Key. */
  hasKey?: boolean
  /** Whether it is left out of `--check`, which shall be short. */
  isLong?: boolean
}
/** `path` is behind the prefix of the gateway; `turn` counts the requests of the run, so that each can differ. */
export type ClientScenario = Common & {
  gateway: 'rest' | 'mcp'
  path(shop: BenchShop, turn: number): string
  body?(turn: number): object
}
/** `path` is behind the path of the shop. `ships`: each request needs an order that is not shipped. */
export type OfficeScenario = Common & {
  gateway: 'admin'
  path(shop: OfficeShop, turn: number, orderId: string): string
  body(shop: OfficeShop, turn: number): object
  ships?: boolean
}
export type Scenario = ClientScenario | OfficeScenario
type Sent = { method: string; path: string; headers: Record<string, string>; body: string }

/** The request of a turn; without a key it goes to the floor. */
export function clientRequest(scenario: ClientScenario, shop: BenchShop, key: string | null, turn: number): Sent {
  const prefix = scenario.gateway === 'mcp' ? '/api' : '/api/v1'
  const path = `${key === null ? `/${shop.id}` : prefix}${scenario.path(shop, turn)}`
  return sent(scenario, path, key, scenario.body?.(turn))
}

/** The same for the back office, where the floor gets no token. */
export function officeRequest(
  scenario: OfficeScenario,
  shop: OfficeShop,
  orderId: string,
  turn: number,
  isFloor: boolean,
): Sent {
  const path = `${isFloor ? '' : '/admin/v1/shops'}/${shop.id}${scenario.path(shop, turn, orderId)}`
  return sent(scenario, path, isFloor ? null : ADMIN_TOKEN, scenario.body(shop, turn))
}

function sent(
  { headers, hasKey = false }: Common,
  path: string,
  secret: string | null,
  body: object | undefined,
): Sent {
  const text = body === undefined ? '' : JSON.stringify(body)
  const content = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
  return {
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...headers,
      ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
      ...(hasKey ? { 'idempotency-key': randomUUID() } : {}),
      ...(body === undefined ? {} : content),
    },
    body: text,
  }
}
