// Derives one key for each purpose from SECRET_KEY, so that no two uses share key material.
// Rotation: the key from SECRET_KEY signs; it and the key from SECRET_KEY_PREVIOUS verify.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

export type Secrets = { secretKey: string; secretKeyPrevious: string | null }
export type KeyPurpose =
  | 'cursor'
  | 'api-key'
  | 'webhook-secret'
  | 'idempotency-key'
  | 'idempotent-answer'
  | 'operator-secret'
  | 'caller-claim'
  | 'sign-in-flow'
  | 'agent-token'
  | 'agent-cookie'

// Key objects, since an HMAC with raw bytes takes five times as long.
/** The 32-byte keys for one purpose, the signing key first. */
export function deriveKeys(secrets: Secrets, purpose: KeyPurpose): KeyObject[] {
  const sources = [secrets.secretKey, secrets.secretKeyPrevious].filter((source) => source !== null)
  return sources.map((source) => createSecretKey(Buffer.from(hkdfSync('sha256', source, 'storefront', purpose, 32))))
}
