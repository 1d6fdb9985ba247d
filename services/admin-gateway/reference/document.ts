// The OpenAPI document of the back office, made of its route table and `reference/operations.ts`.
// docs/spec/reference.md#openapi-documents
import { z } from 'zod'
import { actions } from '#contracts/actions'
import { importQuery } from '#contracts/input/import'
import { limits } from '#contracts/limits'
import { operator } from '#contracts/objects/operator'
import { liveData } from '#contracts/objects/request'
import { single } from '#contracts/objects/scalar'
import { signInInput } from '#contracts/input/operator'
import { idempotencyKey, type Json, type Operation, openApiDocument } from '#schema/openapi'
import { backOfficeFailures, backOfficeHeaders } from '#schema/openapi-responses'
import { namesIn } from '#schema/path'
import { BASE_PATH, isBodyOptional, LIVE_PATH, type Route, routes, statusOf } from '../routes.ts'
import { examples } from './examples.ts'
import { described, tags } from './operations.ts'

const shop = z.string().meta({ description: 'Id or handle of the shop.' })
const id = z.string().meta({ description: 'Id of the object, a UUID.' })
const JSON_BODY = `A JSON object of at most ${limits.backOfficeBodyBytesMax} bytes; a field that it does not have is refused.`

/** The document that `GET /admin/v1/openapi.json` answers. */
export function backOfficeDocument(): Json {
  return openApiDocument(
    {
      title: 'Storefront back office',
      description:
        'What happens in a shop: orders are placed and moved, products edited, keys and webhook endpoints made. Field names are camelCase, query parameters snake_case; an unknown one of either is refused. A field without a value is null, never absent. What a GET answered may be sent back: read-only fields are ignored. Every GET answers HEAD as well. The console also signs in by `GET /session/oidc`, which redirects a browser.',
      basePath: BASE_PATH,
      tags,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An operator’s token, or the ADMIN_TOKEN.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'storefront_session',
          description: 'The session of the console; a change also needs the header `x-storefront-console: 1`.',
        },
      },
      headers: backOfficeHeaders,
      failures: backOfficeFailures,
    },
    [...sessionOperations, ...routes.map(toOperation), liveOperation].map((one) => ({
      ...one,
      example: examples.operations[one.id],
    })),
  )
}

function toOperation(route: Route): Operation {
  const { method, path, action, kind, body } = route
  const { about, gives, body: schema = null } = described[action] ?? { about: action, gives: single(z.unknown()) }
  const named = namesIn(path)
  return {
    ...{ method, path, about, gives, id: camelCase(action), tag: tagOf(path), body: bodyOf(route, schema) },
    params: z.object({
      ...Object.fromEntries(named.map((name) => [name, name === 'shop' ? shop : id])),
      ...(kind === 'read' ? Object.fromEntries(queryOf(route).filter(([name]) => !named.includes(name))) : {}),
      ...(body === 'file' ? importQuery.shape : {}),
    }),
    statuses: action === 'contacts.save' ? [200, 201] : [statusOf(route)],
    failures: Object.keys(backOfficeFailures)
      .map(Number)
      .filter((status) => (status !== 404 || named.length > 0) && (status !== 409 || kind !== 'read')),
    headers: method === 'POST' && body !== 'file' ? [idempotencyKey] : [],
  }
}

function bodyOf(route: Route, schema: z.ZodType | null): Operation['body'] {
  if (route.body === null) return null
  if (route.body !== 'file') return { description: JSON_BODY, required: !isBodyOptional(route), schema }
  const description = `The file, at most ${limits.importBytesMax} bytes and ${limits.importRecordsMax} records; the content type does not count.`
  return { description, required: true, schema: null, types: ['application/octet-stream'] }
}

function queryOf({ action }: Route): [string, z.ZodType][] {
  return Object.entries(actions[action].shape as Record<string, z.ZodType>)
}

function camelCase(action: string): string {
  return action.replaceAll(/[._]([a-z])/g, (_all, letter: string) => letter.toUpperCase())
}

const tagOfNoun: Record<string, string> = {
  'webhook-endpoints': 'Webhooks',
  deliveries: 'Webhooks',
  'subscription-settings': 'Subscriptions',
}

function tagOf(path: string): string {
  const [first = '', , noun] = path.split('/').slice(1)
  const word = first === 'shops' ? (noun ?? first) : first
  return tagOfNoun[word] ?? word.charAt(0).toUpperCase() + word.slice(1)
}

const session = {
  path: '/session',
  tag: 'Operators',
  gives: single(operator),
  params: z.object({}),
  body: null,
} as const

const sessionOperations: readonly Operation[] = [
  {
    ...session,
    method: 'POST',
    id: 'sessionsCreate',
    about: 'Signs an operator in by a token or by the code of a link; the answer sets the cookie of the session.',
    body: { description: JSON_BODY, required: true, schema: signInInput },
    statuses: [201],
    failures: [400, 401, 429, 500, 503],
    open: true,
  },
  {
    ...session,
    method: 'DELETE',
    id: 'sessionsEnd',
    about: 'Ends the session of this call.',
    statuses: [200],
    failures: [401, 404, 429, 500, 503],
  },
  {
    ...session,
    path: '/me',
    method: 'GET',
    id: 'operatorsMe',
    about: 'The operator who calls.',
    statuses: [200],
    failures: [401, 429, 500, 503],
  },
]

const liveOperation: Operation = {
  method: 'GET',
  path: LIVE_PATH,
  id: 'requestsLive',
  tag: 'Requests',
  about: 'Server-sent events `request`, `delivery` and `skipped`: what happens in the shop, as it happens.',
  params: z.object({ shop }),
  body: null,
  gives: liveData,
  contentType: 'text/event-stream',
  statuses: [200],
  failures: [400, 401, 403, 404, 409, 429, 500, 503],
}
