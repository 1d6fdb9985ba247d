// The OpenAPI document of the back office, made of its table of routes.
// docs/spec/reference.md#openapi-documents
import { z } from 'zod'
import { actions } from '#contracts/actions'
import { bodySchemaOf, isBodyOptional, queryNamesOf, type Route } from '#contracts/back-office/route'
import { BASE_PATH, routes, tags } from '#contracts/back-office/routes'
import { importQuery } from '#contracts/input/import'
import { limits } from '#contracts/limits'
import { idempotencyKey, type Json, type Operation, openApiDocument } from '#schema/openapi'
import { backOfficeFailures, backOfficeHeaders } from '#schema/openapi-responses'
import { namesIn } from '#schema/path'
import { archiveOperations } from './archive-operations.ts'
import { examples } from './examples.ts'
import { JSON_BODY, liveOperation, problemsOperation, sessionOperations, shop } from './session-operations.ts'

const id = z.string().meta({ description: 'Id of the object, a UUID.' })

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
    [...sessionOperations, ...routes.map(toOperation), problemsOperation, ...archiveOperations, liveOperation].map(
      (one) => ({
        ...one,
        example: examples.operations[one.id],
      }),
    ),
  )
}

function toOperation(route: Route): Operation {
  const { method, path, action, kind, body, about, answers, preview, statuses } = route
  const named = namesIn(path)
  return {
    method,
    path,
    about,
    answers,
    preview,
    id: camelCase(action),
    tag: tagOf(path),
    body: bodyOf(route),
    params: z.object({
      ...Object.fromEntries(named.map((name) => [name, paramOf(route, name)])),
      ...(body === 'file' ? importQuery.shape : queryOf(route)),
    }),
    statuses,
    failures: Object.keys(backOfficeFailures)
      .map(Number)
      .filter((status) => (status !== 404 || named.length > 0) && (status !== 409 || kind !== 'read')),
    headers: method === 'POST' && body !== 'file' ? [idempotencyKey] : [],
  }
}

function paramOf({ action }: Route, name: string): z.ZodType {
  if (name === 'shop') return shop
  const own = (actions[action].shape as Record<string, z.ZodType>)[name]
  return own?.description === undefined ? id : own
}

function bodyOf(route: Route): Operation['body'] {
  if (route.body === null) return null
  if (route.body !== 'file')
    return { description: JSON_BODY, required: !isBodyOptional(route), schema: bodySchemaOf(route) }
  const description = `The file, at most ${limits.importBytesMax} bytes and ${limits.importRecordsMax} records; the content type does not count.`
  return { description, required: true, schema: null, types: ['application/octet-stream'] }
}

function queryOf(route: Route): Record<string, z.ZodType> {
  const params = actions[route.action].shape as Record<string, z.ZodType>
  return Object.fromEntries(queryNamesOf(route).map((name) => [name, params[name] ?? z.never()]))
}

function camelCase(action: string): string {
  return action.replaceAll(/[._]([a-z])/g, (_all, letter: string) => letter.toUpperCase())
}

const tagOfNoun: Record<string, string> = {
  me: 'Operators',
  'webhook-endpoints': 'Webhooks',
  deliveries: 'Webhooks',
  'subscription-settings': 'Subscriptions',
  'secret-key': 'Installation',
}

function tagOf(path: string): string {
  const [first = '', , noun] = path.split('/').slice(1)
  const word = first === 'shops' ? (noun ?? first) : first
  return tagOfNoun[word] ?? word.charAt(0).toUpperCase() + word.slice(1)
}
