// The signature of Standard Webhooks and the headers of a request: docs/spec/webhooks.md#signature, #request.
import { createHmac } from 'node:crypto'
import type { AttemptReason } from '#contracts/objects/webhook'

/** The secret as it is shown to its owner: `whsec_` and padded base64. */
export function formatSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`
}

type Message = { id: string; stampS: number; body: Buffer; attempt: number; reason: AttemptReason }

/** The headers of a request that say something of the message; `host`, `connection` and `content-length` come beside them. */
export function signedHeaders(message: Omit<Message, 'body'>, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'service-webhooks/1',
    'webhook-id': message.id,
    'webhook-timestamp': String(message.stampS),
    'webhook-signature': signature,
    'service-attempt': String(message.attempt),
    'service-reason': message.reason,
  }
}

/** All headers of a request besides `host` and `connection`. Each of the secrets signs, in their order. */
export function headersOf(message: Message, secrets: Buffer[]): Record<string, string> {
  const signature = secrets.map((secret) => signatureOf(message, secret)).join(' ')
  return { ...signedHeaders(message, signature), 'content-length': String(message.body.length) }
}

/** `v1,` and the base64 HMAC of `id.timestamp.body`. */
export function signatureOf({ id, stampS, body }: Pick<Message, 'id' | 'stampS' | 'body'>, secret: Buffer): string {
  const mac = createHmac('sha256', secret).update(`${id}.${stampS}.`).update(body)
  return `v1,${mac.digest('base64')}`
}
