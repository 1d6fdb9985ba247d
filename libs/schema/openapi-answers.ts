// Owns what the OpenAPI document says of answers besides their bodies: headers, and one response for each failure.
// Spec: Response headers on every authenticated response; Errors, "REST errors".
import { SERVICE_VERSION } from '#contracts/versions'

type Header = { description: string; required?: boolean; schema: Record<string, unknown>; example?: string }

const text = { type: 'string' }

export const headerComponents: Record<string, Header> = {
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
    description: 'What is left of it: `r` calls, `t` seconds to the next window.',
    schema: text,
    example: '"default";r=239;t=60',
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'string', pattern: '^\\d+$' } },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', const: 'Bearer' } },
}

const everywhere = refsTo('service-version', 'cache-control', 'x-request-id')
const budget = refsTo('RateLimit-Policy', 'RateLimit')

/** Headers of an authenticated answer. */
export const answerHeaders = { ...everywhere, ...budget }

export const failureResponses = {
  400: failed('A parameter or cursor is wrong; the message names it.', 'invalid_request', answerHeaders),
  401: failed('No API key, or one that is not known.', 'unauthorized', {
    ...everywhere,
    ...refsTo('WWW-Authenticate'),
  }),
  403: failed('The key may not do this, or the plan of its shop excludes the API.', 'forbidden', answerHeaders),
  404: failed('No such id in this shop.', 'not_found', answerHeaders),
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
