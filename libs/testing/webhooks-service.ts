// Owns the webhooks service for a test of deliveries: alone, on a database of its own, at a pace where days are moments, with
// a shop, receivers on loopback, and events that happen when the test says so.
import { randomUUID } from 'node:crypto'
import type { ActionHandlers } from '#runtime/service'
import type { ActionInput, ActionName } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import type { WebhookDelivery, WebhookEndpoint } from '#contracts/objects/webhook'
import type { EventKind } from '#contracts/objects/webhook-event'
import { eventBody, eventId } from '#outbox/record-event'
import type { Database } from '#postgres/connect'
import { type Changes, makeWebhooks } from '../../services/webhooks/service.ts'
import { type OneService, makeCaller, openService } from './one-service.ts'
import type { Received } from './receiver.ts'

export type Happened = { id: string; shop_id: string; object_id: string; sequence: number; type: string; body: string }
export type MadeEndpoint = WebhookEndpoint & { secret: string }
type Json = { [field: string]: unknown }

export type Stage = {
  service: OneService
  db: Database
  shop: Caller
  /** Calls an action for the shop and gives the object or the list in the answer. */
  call<Name extends ActionName>(name: Name, params: ActionInput<Name>, caller?: Caller): Promise<unknown>
  endpoint(input: Json, caller?: Caller): Promise<MadeEndpoint>
  deliveries(endpointId: string, filter?: Json): Promise<WebhookDelivery[]>
  /** So many events of one object, in their order, from the given sequence on; they are stored when it returns. */
  happen(count: number, facts?: HappenFacts): Promise<Happened[]>
  close(): Promise<void>
}
type HappenFacts = { objectId?: string; from?: number; type?: EventKind; shopId?: string; at?: Date }

/** Opens the stage; `outside` answers what the service asks of others. */
export async function openStage(
  changes: Changes = {},
  outside: ActionHandlers = {},
  env: Record<string, string> = {},
): Promise<Stage> {
  const pace = { pollMs: 20, jitter: 0, ...changes.pace }
  const settings = { WEBHOOK_ALLOW_PRIVATE: 'true', ...env }
  const service = await openService(makeWebhooks({ ...changes, pace }), outside, settings)
  const shop = makeCaller()
  const call: Stage['call'] = async (name, params, caller = shop) => {
    const answer = await service.call(name, params, { caller })
    return (JSON.parse(String(answer)) as { data: unknown }).data
  }
  return {
    service,
    db: service.db,
    shop,
    call,
    endpoint: async (input, caller) => (await call('endpoints.create', { endpoint: input }, caller)) as MadeEndpoint,
    deliveries: async (endpointId, filter = {}) =>
      (await call('deliveries.list', { id: endpointId, limit: 100, ...filter })) as WebhookDelivery[],
    async happen(count, { objectId = randomUUID(), from = 1, type = 'order.updated', shopId = shop.shopId, at } = {}) {
      const events = Array.from({ length: count }, (_, index) => {
        const sequence = from + index
        const now = at ?? new Date()
        const id = eventId(now, sequence)
        const happened = { shopId, objectId, sequence, type, document: `{"id":"${objectId}"}`, now }
        const row = { id, shop_id: shopId, object_id: objectId, sequence, type, body: eventBody(id, happened) }
        return { ...row, happened_at: now.toISOString() }
      })
      await service.call('webhooks.ingest', { events })
      return events
    },
    close: () => service.close(),
  }
}

/** What of a receiver's log is not as it must be: the judge of every test that breaks something. */
export type Judgement = {
  /** Events that never came. */
  lost: string[]
  /** How often an event came again. */
  repeats: number
  /** First arrivals that came before an earlier event of their object. */
  disordered: string[]
  /** Arrivals whose body is not the event's, byte for byte. */
  changed: string[]
}

/** Compares what was expected with what came. */
export function judge(expected: Happened[], received: Received[]): Judgement {
  const events = new Map(expected.map((event) => [event.id, event]))
  const arrivals = received.filter(({ headers }) => events.has(headers['webhook-id'] ?? ''))
  const seen = new Set<string>()
  const last = new Map<string, number>()
  const judgement: Judgement = { lost: [], repeats: 0, disordered: [], changed: [] }
  for (const { headers, body } of arrivals) {
    const event = events.get(headers['webhook-id'] ?? '')
    if (event === undefined) continue
    if (event.body !== body) judgement.changed.push(event.id)
    if (seen.has(event.id)) {
      judgement.repeats += 1
      continue
    }
    seen.add(event.id)
    if (event.sequence < (last.get(event.object_id) ?? 0)) judgement.disordered.push(event.id)
    last.set(event.object_id, event.sequence)
  }
  judgement.lost = expected.filter(({ id }) => !seen.has(id)).map(({ id }) => id)
  return judgement
}
