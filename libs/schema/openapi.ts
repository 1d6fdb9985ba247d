// The OpenAPI 3.1 document, rendered from the schemas that validate, so that the two agree. docs/spec/rest-api.md#endpoints
// Objects allow further fields: a client must ignore fields it does not know. docs/spec/rest-api.md#compatible-changes
import { z } from 'zod'
import { type ActionName, actions } from '#contracts/actions'
import { limits } from '#contracts/limits'
import { failure } from '#contracts/objects/scalar'
import { SERVICE_VERSION } from '#contracts/versions'
import { bodySchema } from './body.ts'
import { namesIn } from './path.ts'

export type Endpoint = {
  method: 'GET' | 'POST'
  /** In the form of the specification: `/orders/{id}`. */
  path: string
  action: ActionName
  /** How long a gateway waits: see #gateway/call. */
  asks: 'read' | 'command' | 'mailing'
  gives: z.ZodType
  id: string
  about: string
}
type Json = Record<string, unknown>

/** The document of a list of endpoints below `basePath`. */
export function openApiDocument(endpoints: readonly Endpoint[], basePath: string): Json {
  const schemas: Json = {}
  publish(failure, schemas)
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation(endpoint, schemas) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Storefront',
      version: SERVICE_VERSION,
      description:
        "One shop's orders, products and contacts. Field names are camelCase, query parameters snake_case. A field without a value is null, never absent. Every GET answers HEAD as well. A body is a JSON object of at most 64 KB; fields that it may not set are ignored.",
    },
    servers: [{ url: basePath }],
    security: [{ apiKey: [] }],
    tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      headers: headerComponents,
      responses: failureResponses,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the shop; it scopes every call to it.' },
      },
    },
  }
}

function operation(endpoint: Endpoint, schemas: Json): Json {
  const hasId = endpoint.path.includes('{id}')
  return {
    operationId: endpoint.id,
    summary: endpoint.about,
    tags: [tagOf(endpoint)],
    parameters: [...parametersOf(endpoint), ...(endpoint.method === 'POST' ? [idempotencyKey] : [])],
    ...(endpoint.method === 'GET' ? {} : { requestBody: bodyOf(endpoint) }),
    responses: {
      200: {
        description: endpoint.about,
        headers: answerHeaders,
        content: { 'application/json': { schema: publish(endpoint.gives, schemas) } },
      },
      ...Object.fromEntries(
        Object.keys(failureResponses)
          .filter((status) => (status !== '404' || hasId) && (status !== '409' || endpoint.method === 'POST'))
          .map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  }
}

function bodyOf({ action, path }: Endpoint): Json {
  const body = z.toJSONSchema(bodySchema(action, namesIn(path)), { io: 'input', override: tidyInteger })
  const { $schema: _dialect, ...schema } = body as Json
  return { required: true, content: { 'application/json': { schema } } }
}

// Params of a write that are not in its path are in its body.
function parametersOf({ method, action, path }: Endpoint): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(actions[action], { io: 'input', override: tidyInteger })
  const named = namesIn(path)
  const shown = Object.entries(properties).filter(([name]) => method === 'GET' || named.includes(name))
  return shown.map(([name, property]) => {
    const { description, ...schema } = property as Json
    const inPath = named.includes(name)
    return {
      name,
      in: inPath ? 'path' : 'query',
      required: inPath || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
    }
  })
}

// Named schemas become components; gives the rest, with references to them.
function publish(schema: z.ZodType, schemas: Json): Json {
  const override = (context: OverrideContext) => {
    if (context.jsonSchema.additionalProperties === false) delete context.jsonSchema.additionalProperties
    tidyInteger(context)
  }
  const { $schema: _dialect, $defs, ...own } = relinked(z.toJSONSchema(schema, { override })) as Json
  Object.assign(schemas, $defs)
  const { id, ...rest } = own
  if (typeof id !== 'string') return own
  schemas[id] = rest
  return { $ref: `#/components/schemas/${id}` }
}

type OverrideContext = { jsonSchema: z.core.JSONSchema.BaseSchema }

// Every whole number of JSON is within these bounds; naming them hides the bounds that matter.
function tidyInteger({ jsonSchema }: OverrideContext): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}

function relinked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

function tagOf({ path }: Endpoint): string {
  const [, noun = ''] = path.split('/')
  return noun.charAt(0).toUpperCase() + noun.slice(1)
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Within 24 hours the same key with the same request gets the first answer again; with another path or body it is 409.',
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyLengthMax, pattern: '^[ -~]+$' },
}

type Header = { description: string; required?: boolean; schema: Record<string, unknown>; example?: string }

const text = { type: 'string' }

const headerComponents: Record<string, Header> = {
  'service-version': {
    description: 'Version of the REST API, a date.',
    required: true,
    schema: { type: 'string', const: SERVICE_VERSION },
  },
  'cache-control': {
    description: 'Answers are for the caller only.',
    required: true,
    schema: { type: 'string', const: 'no-store, private' },
  },
  'x-request-id': {
    description: 'Names this request in our logs; taken over from the request when well-formed.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'RateLimit-Policy': {
    description: 'The budget of the key: `q` calls in `w` seconds.',
    schema: text,
    example: '"default";q=240;w=60',
  },
  RateLimit: {
    description:
      'What is left of it: `r` calls at least, which never rises within a window; `t` seconds to the next one.',
    schema: text,
    example: '"default";r=239;t=60',
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'string', pattern: '^\\d+$' } },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', const: 'Bearer' } },
}

const everywhere = refsTo('service-version', 'cache-control', 'x-request-id')
const budget = refsTo('RateLimit-Policy', 'RateLimit')

/** Headers of an authenticated answer. */
const answerHeaders = { ...everywhere, ...budget }

const failureResponses = {
  400: failed('A parameter or cursor is wrong; the message names it.', 'invalid_request', answerHeaders),
  401: failed('No API key, or one that is not known.', 'unauthorized', {
    ...everywhere,
    ...refsTo('WWW-Authenticate'),
  }),
  403: failed('The key may not do this, or the plan of its shop excludes the API.', 'forbidden', answerHeaders),
  404: failed('No such id in this shop.', 'not_found', answerHeaders),
  409: failed('The Idempotency-Key was used before with another request.', 'conflict', answerHeaders),
  429: failed('The budget of the key is used up.', 'rate_limited', { ...answerHeaders, ...refsTo('Retry-After') }),
  500: failed('Something went wrong on our side; try again.', 'server_error', answerHeaders),
  503: failed('The service cannot answer right now; try again.', 'server_error', {
    ...answerHeaders,
    ...refsTo('Retry-After'),
  }),
} as const

function failed(description: string, code: string, headers: object) {
  return {
    description,
    headers,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Failure' },
        example: { error: { code, message: description } },
      },
    },
  }
}

function refsTo(...names: string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
