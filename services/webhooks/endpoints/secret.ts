// Owns the signing secrets: making, showing once, and keeping them sealed. states-and-events.md 3.1 and 3.2.
// Sealed with AES-256-GCM under a key from SECRET_KEY, so that the database alone cannot sign. The endpoint's id is bound
// in: a secret copied to another row does not open. The id of the key is stored beside it, so that SECRET_KEY can change.
import { createCipheriv, createDecipheriv, createHmac, type KeyObject, randomBytes } from 'node:crypto'

export type Sealed = { sealed: Buffer; keyId: string }

const SECRET_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function mintSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** The secret as its owner sees it, once: `whsec_` and padded base64. */
export function shownSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`
}

/** What a list shows of it: the last four characters that are not padding. */
export function lastFourOf(secret: Buffer): string {
  return secret.toString('base64').replace(/=+$/, '').slice(-4)
}

/** Seals under the first key. */
export function sealSecret(secret: Buffer, endpointId: string, keys: KeyObject[]): Sealed {
  const [key] = keys
  if (key === undefined) throw new Error('A secret needs a key to be sealed with.')
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(endpointId))
  const text = Buffer.concat([cipher.update(secret), cipher.final()])
  return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]), keyId: keyIdOf(key) }
}

/** Opens with the key of that id; throws when it is not there or the row is not the secret's own. */
export function openSecret({ sealed, keyId }: Sealed, endpointId: string, keys: KeyObject[]): Buffer {
  const key = keys.find((candidate) => keyIdOf(candidate) === keyId)
  if (key === undefined) {
    throw new Error(`A webhook secret was sealed under another SECRET_KEY (${keyId}); set SECRET_KEY_PREVIOUS to it.`)
  }
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  }).setAAD(Buffer.from(endpointId))
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
}

/** Names a key without telling anything of it. */
export function keyIdOf(key: KeyObject): string {
  return createHmac('sha256', key).update('key id').digest('hex').slice(0, 16)
}
