// Signing secrets, the signature of Standard Webhooks and the headers of a request: docs/spec/webhooks.md#signature, #request.
// Secrets are encrypted with AES-256-GCM under a key derived from SECRET_KEY, with the endpoint's id as associated data, so
// that a secret copied to another row does not open. The key id is stored, so that SECRET_KEY can change.
import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import { seal, unseal } from '#config/seal'
import type { AttemptReason } from '#contracts/objects/webhook'

export type Sealed = { sealed: Buffer; keyId: string }

const SECRET_BYTES = 32

export function createSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** The secret as it is shown to its owner: `whsec_` and padded base64. */
export function formatSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`
}

/** The last four characters of the secret as it is shown, padding included. */
export function lastFourOf(secret: Buffer): string {
  return formatSecret(secret).slice(-4)
}

/** Encrypts with the first key. */
export function sealSecret(secret: Buffer, endpointId: string, keys: KeyObject[]): Sealed {
  const [key] = keys
  if (key === undefined) throw new Error('A secret needs a key to be sealed with.')
  return { sealed: seal(secret, key, Buffer.from(endpointId)), keyId: keyIdOf(key) }
}

/** Decrypts with the key of that id. Throws where the key is missing or the secret belongs to another endpoint. */
export function openSecret({ sealed, keyId }: Sealed, endpointId: string, keys: KeyObject[]): Buffer {
  const key = keys.find((candidate) => keyIdOf(candidate) === keyId)
  if (key === undefined) {
    throw new Error(`A webhook secret was sealed under another SECRET_KEY (${keyId}); set SECRET_KEY_PREVIOUS to it.`)
  }
  return unseal(sealed, key, Buffer.from(endpointId))
}

/** An id of the key that reveals nothing of it. */
export function keyIdOf(key: KeyObject): string {
  return createHmac('sha256', key).update('key id').digest('hex').slice(0, 16)
}

type Message = { id: string; stampS: number; body: Buffer; attempt: number; reason: AttemptReason }

/** All headers of a request besides `host` and `connection`. Each of the secrets signs, in their order. */
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

/** `v1,` and the base64 HMAC of `id.timestamp.body`. */
export function signatureOf({ id, stampS, body }: Pick<Message, 'id' | 'stampS' | 'body'>, secret: Buffer): string {
  const mac = createHmac('sha256', secret).update(`${id}.${stampS}.`).update(body)
  return `v1,${mac.digest('base64')}`
}
