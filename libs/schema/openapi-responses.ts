// The headers and refusals of the OpenAPI documents. docs/spec/rest-api.md#errors, docs/spec/back-office.md#errors
import { docOf } from '#contracts/errors'
import { SERVICE_VERSION } from '#contracts/versions'

type Header = { description: string; required?: boolean; schema: Record<string, unknown>; example?: string }
/** Responses by status. */
export type Responses = { [status: number]: object }

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
  'storefront-api': {
    description: 'Which API answers.',
    required: true,
    schema: { type: 'string', const: 'back-office' },
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

const everywhere = ['service-version', 'cache-control', 'x-request-id']

/** Names of the headers of an answer to a key. */
export const publicHeaders = [...everywhere, 'RateLimit-Policy', 'RateLimit']
/** Names of the headers of an answer of the back office. */
export const backOfficeHeaders = [...everywhere, 'storefront-api']

const serverErrors = {
  500: { code: 'server_error', about: 'Something went wrong on our side; try again.' },
  503: { code: 'server_error', about: 'The service cannot answer right now; try again.' },
}

/** The refusals of the public API. */
export const publicFailures: Responses = responses(
  {
    400: { code: 'invalid_request', about: 'A parameter or cursor is wrong; the message names it.' },
    401: { code: 'unauthorized', about: 'No API key, or one that is not known.' },
    403: { code: 'forbidden', about: 'The key may not do this, or the plan of its shop excludes the API.' },
    404: { code: 'not_found', about: 'No such id in this shop.' },
    409: { code: 'conflict', about: 'The Idempotency-Key was used before with another request.' },
    429: { code: 'rate_limited', about: 'The budget of the key is used up.' },
    ...serverErrors,
  },
  (status) => (status === 401 ? everywhere : publicHeaders),
)

/** The refusals of the back office. */
export const backOfficeFailures: Responses = responses(
  {
    400: { code: 'invalid_request', about: 'A field, a parameter or a cursor is wrong; the message names it.' },
    401: { code: 'unauthorized', about: 'No credentials, or ones that are not known.' },
    403: { code: 'forbidden', about: 'The role of the operator does not allow this; the message names those that do.' },
    404: { code: 'not_found', about: 'No such shop or object, or it is none of the operator’s.' },
    409: {
      code: 'conflict',
      about: 'The present state of the object, a unique value or the Idempotency-Key does not allow this.',
      also: { code: 'limit_reached', about: 'The shop or the operator has the most objects of this kind.' },
    },
    429: { code: 'rate_limited', about: 'Too many failed sign-ins from this address, or too many imports at once.' },
    ...serverErrors,
  },
  () => backOfficeHeaders,
)

type Refusal = { code: string; about: string }

function responses(table: Record<number, Refusal & { also?: Refusal }>, headersOf: (status: number) => string[]) {
  return Object.fromEntries(
    Object.entries(table).map(([status, { also, ...refusal }]) => {
      const refusals = also === undefined ? [refusal] : [refusal, also]
      const further = status === '401' ? ['WWW-Authenticate'] : ['429', '503'].includes(status) ? ['Retry-After'] : []
      return [
        status,
        {
          description: refusals.map(({ code, about }) => `\`${code}\`: ${about}`).join(' '),
          headers: refsTo(...headersOf(Number(status)), ...further),
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Failure' },
              examples: Object.fromEntries(refusals.map(({ code, about }) => [code, { value: body(code, about) }])),
            },
          },
        },
      ]
    }),
  )
}

// docs/spec/rest-api.md#error-fields
function body(code: string, message: string) {
  return { error: { code, message, param: null, requestId: 'f3b1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d', doc: docOf(code) } }
}

/** References to header components. */
export function refsTo(...names: string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
