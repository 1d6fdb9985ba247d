// Owns the closed list of refusal codes and the one table from code to HTTP status.
// Spec: Errors, "REST errors"; back office: Conventions. Services speak codes; only gateways read the table.
import type { Errors as MoleculerErrors } from 'moleculer'
import { Errors } from './moleculer.ts'

export type RefusalCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'limit_reached'
  | 'rate_limited'
  | 'server_error'
  | 'unavailable'

/** Code to status. `unavailable` leaves the house as `server_error`: an outage tells nothing of its cause. */
export const statusOf: Record<RefusalCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  limit_reached: 409,
  rate_limited: 429,
  server_error: 500,
  unavailable: 503,
}

export type RefusalFacts = { field?: string; retry_after_s?: number; allow?: string; [fact: string]: unknown }

/** A refusal whose words are safe for the caller. Crosses the bus as the same class, `type` holding the code. */
export function refuse(
  code: RefusalCode,
  message: string,
  facts: RefusalFacts = {},
): MoleculerErrors.MoleculerClientError {
  return new Errors.MoleculerClientError(message, statusOf[code], code, facts)
}

/** The code of a refusal, or null for a bug or an outage. Never reads `error.code`: a dead service says 404 there. */
export function refusalCode(error: unknown): RefusalCode | null {
  if (!(error instanceof Errors.MoleculerError)) return null
  return Object.hasOwn(statusOf, error.type) ? (error.type as RefusalCode) : null
}
