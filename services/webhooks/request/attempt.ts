// One attempt: the secrets that are valid now, the signature, the request, the span (docs/spec/webhooks.md#attempt).
import type { KeyObject } from 'node:crypto'
import type { Tracing } from '#telemetry/tracing'
import type { AttemptReason } from '#contracts/objects/webhook'
import { type AttemptResponse, type HttpOptions, post } from '#webhook-request/post'
import { headersOf } from '#webhook-request/signature'
import { openSecret } from '../endpoints/secrets.ts'
import type { Target } from '../tables.ts'

export type Sender = {
  http: HttpOptions
  keys: KeyObject[]
  tracing?: Tracing | undefined
  /** Called after every attempt. */
  onAttempt?: (request: AttemptRequest, response: AttemptResponse) => void
}
/**
 * `deliveryId` is null for a test. `nowMs` is the database's clock, so that the timestamp is right where the process's clock is
 * wrong.
 */
export type AttemptRequest = {
  shopId: string
  target: Target
  deliveryId: string | null
  eventId: string
  body: string
  attempt: number
  reason: AttemptReason
  nowMs: number
  signal: AbortSignal
}

/** `signed`: what only this attempt knows of its headers; absent where nothing was sent. */
export type Attempted = AttemptResponse & { signed?: { stampS: number; signature: string } }

/** Sends the event once. Throws only where a secret cannot be decrypted. */
export async function attempt(sender: Sender, request: AttemptRequest): Promise<Attempted> {
  const response = await sendOnce(sender, request)
  sender.onAttempt?.(request, response)
  return response
}

async function sendOnce({ http, keys, tracing }: Sender, request: AttemptRequest): Promise<Attempted> {
  const { target, eventId, attempt, reason, nowMs, signal } = request
  const body = Buffer.from(request.body)
  const message = { id: eventId, stampS: Math.floor(nowMs / 1_000), body, attempt, reason }
  const headers = headersOf(message, secretsOf(target, keys, nowMs))
  const send = () => post(http, { url: target.url, headers, body, signal })
  const response = await (tracing === undefined ? send() : traced(tracing, request, send))
  return { ...response, signed: { stampS: message.stampS, signature: headers['webhook-signature'] ?? '' } }
}

function secretsOf(target: Target, keys: KeyObject[], nowMs: number): Buffer[] {
  const secrets = [openSecret({ sealed: target.secret, keyId: target.secret_key_id }, target.id, keys)]
  const { old_secret, old_secret_key_id, old_secret_until } = target
  if (
    old_secret !== null &&
    old_secret_key_id !== null &&
    old_secret_until !== null &&
    old_secret_until.getTime() > nowMs
  ) {
    secrets.push(openSecret({ sealed: old_secret, keyId: old_secret_key_id }, target.id, keys))
  }
  return secrets
}

// The span holds ids and the status only: no address and no text of the receiver.
function traced(
  tracing: Tracing,
  { target, eventId, attempt: number, reason }: AttemptRequest,
  send: () => Promise<AttemptResponse>,
): Promise<AttemptResponse> {
  const facts = {
    'http.request.method': 'POST',
    'storefront.event_id': eventId,
    'storefront.endpoint_id': target.id,
    'storefront.attempt': number,
    'storefront.reason': reason,
  }
  return tracing.span({ kind: 'client', name: 'webhook attempt', facts }, async (span) => {
    const response = await send()
    const { status, error } = response
    span.setFacts({ 'http.response.status_code': status })
    if (error !== null) span.fail(error)
    else if (status === null || status < 200 || status > 299) span.fail(String(status))
    return response
  })
}
