// The webhooks of the OpenAPI document: every event kind with its body. docs/spec/events.md#event-kinds,
// docs/spec/webhooks.md#request
import { z } from 'zod'
import { event, eventKinds, type EventKind } from '#contracts/objects/webhook-event'
import { order } from '#contracts/objects/order'
import { subscription } from '#contracts/objects/subscription'
import type { Json, Publish } from '#schema/openapi'
import { examples } from './examples.ts'

const orderEvent = event.extend({ data: order }).meta({ id: 'OrderEvent' })
const subscriptionEvent = event.extend({ data: subscription }).meta({ id: 'SubscriptionEvent' })

/** The member `webhooks`, by event kind. */
export function webhooks(publish: Publish): Json {
  return Object.fromEntries(eventKinds.map((kind) => [kind, { post: operationOf(kind, publish) }]))
}

function operationOf(kind: EventKind, publish: Publish): Json {
  const body = publish(kind.startsWith('subscription.') ? subscriptionEvent : orderEvent)
  const schema = { allOf: [body, { type: 'object', properties: { type: { const: kind } }, required: ['type'] }] }
  const name = kind.replaceAll(/(?:^|[._])([a-z])/g, (_all, letter: string) => letter.toUpperCase())
  return {
    operationId: `on${name}`,
    summary: kind,
    tags: ['Webhooks'],
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema, example: examples.events[kind] } } },
    responses: {
      '2XX': { description: 'Delivered. Any answer of 200 to 299 will do.' },
      410: { description: 'Failed for good: the endpoint is disabled.' },
    },
  }
}

const parameters = [
  header('webhook-id', 'The id of the event: the same on every retry.', 'uuid'),
  header('webhook-timestamp', 'Unix time of the attempt in seconds; part of what is signed.'),
  header('webhook-signature', 'Signatures by Standard Webhooks, `v1,…`, separated by spaces.'),
]

function header(name: string, description: string, format?: string): Json {
  return { name, in: 'header', required: true, description, schema: z.toJSONSchema(z.string().meta({ format })) }
}
