// Owns the one crossing from a thrown error to what the caller reads: status, headers and the failure envelope.
// Spec: Errors, "REST errors"; Envelope, row "Failure". A bug or an outage names no cause, only the request id.
import { refusalCode, type RefusalDetails, statusOf } from '#contracts/errors'
import type { Budget } from './exchange.ts'

export type Failure = { status: number; code: string; message: string; headers: Record<string, string>; body: Buffer }

const OUTAGE_RETRY_S = 2

/** What the caller is answered; never a word of an error that is no refusal. */
export function failureOf(error: unknown, requestId: string): Failure {
  const refusal = refusalCode(error) ?? 'server_error'
  const isOutage = refusal === 'server_error' || refusal === 'unavailable'
  const code = isOutage ? 'server_error' : refusal
  const message = isOutage ? outageWords(requestId) : error instanceof Error ? error.message : ''
  const headers = headersOf(refusal, factsOf(error))
  return { status: statusOf[refusal], code, message, headers, body: failureBody(code, message) }
}

/** The failure envelope as bytes. */
export function failureBody(code: string, message: string): Buffer {
  return Buffer.from(JSON.stringify({ error: { code, message } }))
}

/** What a refusal knows of the key's budget, or null. */
export function budgetOf(error: unknown): Budget | null {
  return (factsOf(error).budget as Budget | undefined) ?? null
}

function headersOf(code: string, facts: RefusalDetails): Record<string, string> {
  switch (code) {
    case 'unauthorized':
      return { 'www-authenticate': 'Bearer' }
    case 'method_not_allowed':
      return facts.allow === undefined ? {} : { allow: facts.allow }
    case 'rate_limited':
      return { 'retry-after': String(facts.retry_after_s ?? 1) }
    case 'unavailable':
      return { 'retry-after': String(facts.retry_after_s ?? OUTAGE_RETRY_S) }
    default:
      return {}
  }
}

function outageWords(requestId: string): string {
  return `Something went wrong on our side. Try again; if it stays, tell us the request id ${requestId}.`
}

function factsOf(error: unknown): RefusalDetails {
  const facts = (error as { data?: unknown } | null)?.data
  return typeof facts === 'object' && facts !== null ? (facts as RefusalDetails) : {}
}
