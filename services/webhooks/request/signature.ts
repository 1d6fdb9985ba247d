// Owns the signature of Standard Webhooks and the headers of a request. states-and-events.md 2 and 3.
// The bytes that are signed are the bytes that are sent; with two secrets valid both sign, the newer first.
import { createHmac } from 'node:crypto'
import type { AttemptReason } from '#contracts/objects/webhook'

type Message = { id: string; stampS: number; body: Buffer; attempt: number; reason: AttemptReason }

/** Every header that a request carries besides those of HTTP itself. */
export function headersOf(message: Message, secrets: Buffer[]): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'service-webhooks/1',
    'webhook-id': message.id,
    'webhook-timestamp': String(message.stampS),
    'webhook-signature': secrets.map((secret) => signatureOf(message, secret)).join(' '),
    'service-attempt': String(message.attempt),
    'service-reason': message.reason,
    'content-length': String(message.body.length),
  }
}

/** `v1,` and the MAC of `id.stamp.body`. */
export function signatureOf({ id, stampS, body }: Pick<Message, 'id' | 'stampS' | 'body'>, secret: Buffer): string {
  const mac = createHmac('sha256', secret).update(`${id}.${stampS}.`).update(body)
  return `v1,${mac.digest('base64')}`
}
