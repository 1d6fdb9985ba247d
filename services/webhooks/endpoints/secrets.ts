// Signing secrets of endpoints: docs/spec/webhooks.md#secret. They are encrypted with AES-256-GCM under a key derived from SECRET_KEY,
// with the endpoint's id as associated data, so that a secret copied to another row does not open. The key id is stored, so that
// SECRET_KEY can change.
import { type KeyObject, randomBytes } from 'node:crypto'
import { keyIdOf, noteKeyUse } from '#config/derive-key'
import { seal, unseal } from '#config/seal'
import { formatSecret } from '#webhook-request/signature'

export type Sealed = { sealed: Buffer; keyId: string }

const SECRET_BYTES = 32

export function createSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
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
  noteKeyUse(key)
  return unseal(sealed, key, Buffer.from(endpointId))
}
