// Owns the request id: what names one request in every answer, log line and bus call that it causes.
// run.md, "Watching": taken over when well-formed, else made.
import { randomUUID } from 'node:crypto'

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/

/** The id of a request, from its `x-request-id` header. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID()
}
