// The request id, which is in every response, log line and call that the request causes (docs/spec/rest-api.md#request-id).
import { randomUUID } from 'node:crypto'

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/

/** The id of a request, from its `x-request-id` header. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID()
}
