// The operations of the OpenAPI document that are no rows of the table of routes: the session of an operator, and the live stream.
// docs/spec/operators-and-roles.md#sign-in, docs/spec/request-log.md#live-stream
import { z } from 'zod'
import { LIVE_PATH, PROBLEMS_PATH } from '#contracts/back-office/routes'
import { signInInput } from '#contracts/input/operator'
import { operator } from '#contracts/objects/operator'
import { liveData } from '#contracts/objects/request'
import { single } from '#contracts/objects/scalar'
import { limits } from '#contracts/limits'
import type { Operation } from '#schema/openapi'

export const JSON_BODY = `A JSON object of at most ${limits.backOfficeBodyBytesMax} bytes; a field that it does not have is refused.`
export const shop = z.string().meta({ description: 'Id or handle of the shop.' })

const session = {
  path: '/session',
  tag: 'Operators',
  answers: single(operator),
  params: z.object({}),
  body: null,
} as const

export const sessionOperations: readonly Operation[] = [
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

export const liveOperation: Operation = {
  method: 'GET',
  path: LIVE_PATH,
  id: 'requestsLive',
  tag: 'Requests',
  about: 'Server-sent events `request`, `delivery` and `skipped`: what happens in the shop, as it happens.',
  params: z.object({ shop }),
  body: null,
  answers: liveData,
  contentType: 'text/event-stream',
  statuses: [200],
  failures: [400, 401, 403, 404, 409, 429, 500, 503],
}

export const problemsOperation: Operation = {
  method: 'GET',
  path: PROBLEMS_PATH,
  id: 'importsProblems',
  tag: 'Imports',
  about: 'Every problem of an import as a CSV file with the columns `line,object,code,column,value,advice`.',
  params: z.object({ shop, id: z.string().meta({ description: 'Id of the object, a UUID.' }) }),
  body: null,
  answers: z.string(),
  contentType: 'text/csv',
  statuses: [200],
  failures: [400, 401, 403, 404, 429, 500, 503],
}
