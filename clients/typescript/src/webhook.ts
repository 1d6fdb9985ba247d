// Verifies webhooks by Standard Webhooks: docs/spec/webhooks.md#signature
import { WebhookError } from './error.ts'
import type { webhooks } from './generated/storefront.ts'

/** An event by its `type`. Later kinds are not in this union: end a `switch` with a `default`. */
export type WebhookEvent = webhooks[keyof webhooks]['post']['requestBody']['content']['application/json']

type Bytes = Uint8Array<ArrayBuffer>
type NodeHeaders = { [name: string]: string | string[] | undefined }
/** A `Request` of the platform, a request of `node:http` that was not read yet, or headers with the body exactly as it came. */
export type WebhookRequest =
  | Request
  | (AsyncIterable<Uint8Array> & { headers: NodeHeaders })
  | { headers: Headers | NodeHeaders; body: string | Uint8Array }

export type VerifyOptions = {
  /** How far `webhook-timestamp` may be from the clock of this machine; 300 s by default. */
  toleranceSeconds?: number
}

/**
 * Reads the request and returns its event. `secret` is that of the endpoint (`whsec_…`), or several of which one has to fit.
 * Throws WebhookError where a header is missing, the signature is wrong or the timestamp is too far away.
 */
export async function verifyWebhook(
  request: WebhookRequest,
  secret: string | readonly string[],
  { toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(request, name),
  ) as [string, string, string]
  const body = await bodyOf(request)
  const signed = joined([encoded(`${id}.${timestamp}.`), body])
  if (!(await isSigned(signed, signatures.split(' '), typeof secret === 'string' ? [secret] : secret)))
    throw new WebhookError('wrong_signature', 'No signature of the webhook fits the secret.')
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookError('wrong_timestamp', `The webhook was signed more than ${toleranceSeconds} s from now.`)
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
}

async function isSigned(signed: Bytes, signatures: string[], secrets: readonly string[]): Promise<boolean> {
  for (const secret of secrets) {
    const raw = fromBase64(secret.replace(/^whsec_/, ''))
    if (raw === null) throw new TypeError('The secret of a webhook endpoint is whsec_ and base64.')
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const entry of signatures) {
      const signature = entry.startsWith('v1,') ? fromBase64(entry.slice(3)) : null
      if (signature !== null && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true // In constant time.
    }
  }
  return false
}

function headerOf({ headers }: WebhookRequest, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as NodeHeaders)[name]
  if (typeof value !== 'string') throw new WebhookError('missing_header', `The header ${name} is missing.`)
  return value
}

async function bodyOf(request: WebhookRequest): Promise<Bytes> {
  if ('arrayBuffer' in request) return new Uint8Array(await request.arrayBuffer())
  if (Symbol.asyncIterator in request) {
    const parts: Uint8Array[] = []
    for await (const part of request) parts.push(part)
    return joined(parts)
  }
  if (typeof request.body === 'string') return encoded(request.body)
  if (ArrayBuffer.isView(request.body)) return new Uint8Array(request.body)
  throw new TypeError('A webhook is verified over its body as it came: a string or bytes, not parsed JSON.')
}

function encoded(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text))
}

function joined(parts: Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function fromBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
