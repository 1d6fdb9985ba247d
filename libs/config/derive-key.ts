// Derives one key for each purpose from SECRET_KEY, so that no two uses share key material, and counts the uses of the keys from
// another secret. docs/spec/running.md#rotation-of-the-secret-key
// The key from SECRET_KEY signs and seals; those from SECRET_KEY_NEXT and SECRET_KEY_PREVIOUS verify and open.
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

export type Secrets = { secretKey: string; secretKeyNext?: string | null; secretKeyPrevious: string | null }
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
  | 'kept-key'
  | 'key-id'
/** Which secret a key is from. `kept`: a secret before SECRET_KEY that is no longer set, whose derived key the database holds. */
export type KeySource = 'current' | 'next' | 'previous' | 'kept'
/** A key that is not from SECRET_KEY, and how often something was found to be under it. */
export type KeyUse = { source: KeySource; purpose: KeyPurpose; uses: number }

// Both end with the keys and the settings that they are about.
const useOfKey = new WeakMap<KeyObject, KeyUse>()
const usesOfSecrets = new WeakMap<Secrets, KeyUse[]>()

// Key objects, since an HMAC with raw bytes takes five times as long.
/** The 32-byte keys for one purpose: the signing key first, then the next one, then the previous one. */
export function deriveKeys(secrets: Secrets, purpose: KeyPurpose): KeyObject[] {
  const { secretKey, secretKeyNext = null, secretKeyPrevious } = secrets
  const others: [KeySource, string | null][] = [
    ['next', secretKeyNext],
    ['previous', secretKeyPrevious === secretKeyNext ? null : secretKeyPrevious],
  ]
  const keys = [deriveKey(secretKey, purpose)]
  for (const [source, secret] of others) {
    if (secret === null || secret === secretKey) continue
    const key = deriveKey(secret, purpose)
    watchKey(secrets, key, source, purpose)
    keys.push(key)
  }
  return keys
}

/** The same keys, that from the newest secret first: an order that replicas agree on in every step of a rotation. */
export function newestFirst(keys: readonly KeyObject[]): KeyObject[] {
  const next = keys.filter((key) => sourceOf(key) === 'next')
  return [...next, ...keys.filter((key) => !next.includes(key))]
}

/** Which secret the key is from. */
export function sourceOf(key: KeyObject): KeySource {
  return useOfKey.get(key)?.source ?? 'current'
}

/** Whether what is stored under the key is to be stored under SECRET_KEY instead. */
export function isOutdated(key: KeyObject): boolean {
  return ['previous', 'kept'].includes(sourceOf(key))
}

/** Notes that something was found to be under the key. */
export function noteKeyUse(key: KeyObject): void {
  const use = useOfKey.get(key)
  if (use !== undefined) use.uses += 1
}

/** The keys that were derived from these secrets and are not from SECRET_KEY, with their uses so far. */
export function keyUsesOf(secrets: Secrets): readonly KeyUse[] {
  return usesOfSecrets.get(secrets) ?? []
}

/** Counts the uses of a key from now on. */
export function watchKey(secrets: Secrets, key: KeyObject, source: KeySource, purpose: KeyPurpose): void {
  const use = { source, purpose, uses: 0 }
  useOfKey.set(key, use)
  usesOfSecrets.set(secrets, [...(usesOfSecrets.get(secrets) ?? []), use])
}

/** An id of the key that reveals nothing of it: 16 hexadecimal digits. */
export function keyIdOf(key: KeyObject): string {
  return createHmac('sha256', key).update('key id').digest('hex').slice(0, 16)
}

/** An id of a secret, which is the same in all processes and reveals nothing of it. */
export function secretIdOf(secret: string): string {
  return keyIdOf(deriveKey(secret, 'key-id'))
}

function deriveKey(secret: string, purpose: KeyPurpose): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, 'storefront', purpose, 32)))
}
