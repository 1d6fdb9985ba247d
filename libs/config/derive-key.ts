// Owns the keys that are made from SECRET_KEY, one for each purpose, so that no two uses share key material.
// Rotation: the first key of the list signs, every key of it verifies (SECRET_KEY, then SECRET_KEY_PREVIOUS).
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

export type Secrets = { secretKey: string; secretKeyPrevious: string | null }
export type KeyPurpose = 'cursor' | 'api-key' | 'webhook-secret'

/** 32-byte keys for one purpose, the signing key first. Key objects: an HMAC under raw bytes costs five times as much. */
export function deriveKeys(secrets: Secrets, purpose: KeyPurpose): KeyObject[] {
  const sources = [secrets.secretKey, secrets.secretKeyPrevious].filter((source) => source !== null)
  return sources.map((source) => createSecretKey(Buffer.from(hkdfSync('sha256', source, 'storefront', purpose, 32))))
}
