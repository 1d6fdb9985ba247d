// The closed list of refusal codes and the one table from code to HTTP status (docs/spec/rest-api.md#errors).
// Services refuse with codes; only gateways read the table.

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

/** Code to status. A response with 503 has the code `server_error` in its body, so that an outage does not tell its cause. */
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

/** What a gateway needs to know besides code and message: the field at fault, the seconds to wait, the allowed methods. */
export type RefusalDetails = { field?: string; retry_after_s?: number; allow?: string; [detail: string]: unknown }

/** An error whose message is safe for the caller. `type` and `data` are the names under which Moleculer carries both. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly type: RefusalCode
  readonly data: RefusalDetails

  constructor(code: RefusalCode, message: string, details: RefusalDetails = {}) {
    super(message)
    this.type = code
    this.data = details
  }
}

/** A refusal to throw. */
export function refuse(code: RefusalCode, message: string, details: RefusalDetails = {}): Refusal {
  return new Refusal(code, message, details)
}

/** The code of a refusal, or null for a bug or an outage. */
export function refusalCode(error: unknown): RefusalCode | null {
  return error instanceof Refusal ? error.type : null
}

/** Whether a call failed through no fault of its caller: a bug, or an outage. */
export function isServerFault(error: unknown): boolean {
  const code = refusalCode(error)
  return code === null || code === 'server_error' || code === 'unavailable'
}

/** Path of the page about a code. docs/spec/rest-api.md#error-fields */
export function docOf(code: string): string {
  return `/docs/errors#${code}`
}

/** Whether a code is one of the closed list. */
export function isRefusalCode(code: unknown): code is RefusalCode {
  return typeof code === 'string' && Object.hasOwn(statusOf, code)
}
