// The OpenAPI document of the public API, made of its route table. docs/spec/reference.md#openapi-documents
import { z } from 'zod'
import { actions } from '#contracts/actions'
import { limits } from '#contracts/limits'
import { bodySchema } from '#schema/body'
import { idempotencyKey, type Json, type Operation, openApiDocument } from '#schema/openapi'
import { publicFailures, publicHeaders } from '#schema/openapi-responses'
import { namesIn } from '#schema/path'
import { examples } from './examples.ts'
import { webhooks } from './webhooks.ts'
import { BASE_PATH, type Endpoint, routes } from '../routes.ts'

const tags: Record<string, string> = {
  Orders: 'Orders with their items, newest first.',
  Products: 'Products and their variants.',
  Contacts: 'Customers and subscribers; the only objects that an integration writes.',
  Events: 'What happened in the shop: the bodies of its webhooks.',
  Shop: 'The shop of the key.',
  Webhooks: 'What we send to the webhook endpoints of the shop.',
}

/** The document that `GET /openapi.json` answers. */
export function publicDocument(): Json {
  return openApiDocument(
    {
      title: 'Storefront',
      description: `One shop's orders, products and contacts. Field names are camelCase, query parameters snake_case. A field without a value is null, never absent. Every GET answers HEAD as well. A body is a JSON object of at most 64 KB (${limits.bodyBytesMax} bytes); fields that it may not set are ignored. A key has ${limits.requestsPerMinute} calls in ${limits.windowS} seconds.`,
      basePath: BASE_PATH,
      tags,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the shop; it scopes every call to it.' },
      },
      headers: publicHeaders,
      failures: publicFailures,
      webhooks,
    },
    routes.map(toOperation),
  )
}

function toOperation({ method, path, action, returns, id, about }: Endpoint): Operation {
  const named = namesIn(path)
  const params = Object.entries(actions[action].shape as Record<string, z.ZodType>).filter(
    ([name]) => method === 'GET' || named.includes(name), // The others of a write are in its body.
  )
  const tag = tagOf(path)
  return {
    ...{ method, path, id, about, title: titleOf(id), tag, gives: returns, statuses: [200] },
    params: z.object(Object.fromEntries(params)),
    example: examples.operations[id],
    body: method === 'GET' ? null : { description: BODY, required: true, schema: bodySchema(action, named) },
    failures: Object.keys(publicFailures)
      .map(Number)
      .filter((status) => (status !== 404 || named.includes('id')) && (status !== 409 || method === 'POST')),
    headers: method === 'POST' ? [idempotencyKey] : [],
  }
}

const BODY = `A JSON object of at most ${limits.bodyBytesMax} bytes.`

// `listOrders` becomes "List orders".
function titleOf(id: string): string {
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function tagOf(path: string): string {
  const [, noun = ''] = path.split('/')
  return noun.charAt(0).toUpperCase() + noun.slice(1)
}
