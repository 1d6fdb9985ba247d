// A new API key, and its digests. docs/spec/security.md#api-keys
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { isOutdated } from '#config/derive-key'
import { type KeyPrefix, keyOf } from '#contracts/key-form'

const SECRET_BYTES = 32

/** A new random key; a token of an operator begins with `sfo_`. */
export function mintKey(prefix?: KeyPrefix): string {
  return keyOf(randomBytes(SECRET_BYTES), prefix)
}

/** HMAC-SHA-256 of a key under each pepper, newest first. The first digest is stored, all are looked up. */
export function digestsOf(key: string, peppers: KeyObject[]): Buffer[] {
  return peppers.map((pepper) => createHmac('sha256', pepper).update(key).digest())
}

/** Those of the digests that are under a pepper which is to be replaced. */
export function outdatedOf(digests: Buffer[], peppers: KeyObject[]): Buffer[] {
  return digests.filter((_digest, index) => {
    const pepper = peppers[index]
    return pepper !== undefined && isOutdated(pepper)
  })
}

/** Index of the digest that equals the stored one, compared in constant time; -1 for none. */
export function matchingDigest(stored: Buffer, digests: Buffer[]): number {
  return digests.findIndex((digest) => digest.length === stored.length && timingSafeEqual(digest, stored))
}

/** The parts of a key that lists show. */
export function shownParts(key: string): { prefix: string; lastFour: string } {
  return { prefix: key.slice(0, 12), lastFour: key.slice(-4) }
}
