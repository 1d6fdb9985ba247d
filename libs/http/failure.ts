// Turns a thrown error into what the caller reads: status, headers and the failure envelope (docs/spec/rest-api.md#errors). A bug or
// an outage shows the request id, not its cause.
import { docOf, isServerFault, refusalCode, type RefusalDetails, statusOf } from '#contracts/errors'
import type { Caller } from '#contracts/caller'
import type { Budget } from './exchange.ts'

/** `param`: the field at fault, as the caller wrote it. */
export type Failure = {
  status: number
  code: string
  message: string
  param?: string | null
  headers: Record<string, string>
  body: Buffer
}

const OUTAGE_RETRY_S = 2

/** The response to an error. The text of an error that is not a refusal is not in it. */
export function failureOf(error: unknown, requestId: string): Failure {
  const refusal = refusalCode(error) ?? 'server_error'
  const isOurFault = isServerFault(error)
  const code = isOurFault ? 'server_error' : refusal
  const message = isOurFault ? outageMessage(requestId) : error instanceof Error ? error.message : ''
  const details = detailsOf(error)
  const headers = headersOf(refusal, details)
  const param = (isOurFault ? null : details.field) || null // Empty where the whole body is at fault.
  return {
    status: statusOf[refusal],
    code,
    message,
    param,
    headers,
    body: failureBody({ code, message, param, requestId }),
  }
}

type FailureFacts = { code: string; message: string; param: string | null; requestId: string }

/** The failure envelope as bytes. docs/spec/rest-api.md#error-fields */
export function failureBody({ code, message, param, requestId }: FailureFacts): Buffer {
  return Buffer.from(JSON.stringify({ error: { code, message, param, requestId, doc: docOf(code) } }))
}

/** The key's budget that a refusal carries, or null. */
export function budgetOf(error: unknown): Budget | null {
  return (detailsOf(error).budget as Budget | undefined) ?? null
}

/** The caller that was known before the refusal, or null. */
export function callerOf(error: unknown): Caller | null {
  return (detailsOf(error).caller as Caller | undefined) ?? null
}

function headersOf(code: string, details: RefusalDetails): Record<string, string> {
  switch (code) {
    case 'unauthorized':
      return { 'www-authenticate': typeof details.challenge === 'string' ? details.challenge : 'Bearer' }
    case 'method_not_allowed':
      return details.allow === undefined ? {} : { allow: details.allow }
    case 'rate_limited':
      return { 'retry-after': String(details.retry_after_s ?? 1) }
    case 'unavailable':
      return { 'retry-after': String(details.retry_after_s ?? OUTAGE_RETRY_S) }
    default:
      return {}
  }
}

function outageMessage(requestId: string): string {
  return `Something went wrong on our side. Try again; if it stays, tell us the request id ${requestId}.`
}

function detailsOf(error: unknown): RefusalDetails {
  const details = (error as { data?: unknown } | null)?.data
  return typeof details === 'object' && details !== null ? (details as RefusalDetails) : {}
}
