// The form of an API key, and its digests. docs/spec/security.md#api-keys
// `sfk_`, 43 base62 digits (256 random bits), 6 base62 digits (CRC-32 of the text before them).
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'sfk_'
const SECRET_BYTES = 32
const SECRET_DIGITS = 43
const CHECKSUM_DIGITS = 6
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = /^sfk_[0-9A-Za-z]{49}$/

/** A new random key. */
export function mintKey(): string {
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_DIGITS)
  return withChecksum(PREFIX + secret)
}

/** Whether a text has the form of a key: prefix, length, digits and checksum. */
export function isKeyForm(text: string): boolean {
  return FORM.test(text) && withChecksum(text.slice(0, -CHECKSUM_DIGITS)) === text
}

/** HMAC-SHA-256 of a key under each pepper, newest first. The first digest is stored, all are looked up. */
export function digestsOf(key: string, peppers: KeyObject[]): Buffer[] {
  return peppers.map((pepper) => createHmac('sha256', pepper).update(key).digest())
}

/** Index of the digest that equals the stored one, compared in constant time; -1 for none. */
export function matchingDigest(stored: Buffer, digests: Buffer[]): number {
  return digests.findIndex((digest) => digest.length === stored.length && timingSafeEqual(digest, stored))
}

/** The parts of a key that lists show. */
export function shownParts(key: string): { prefix: string; lastFour: string } {
  return { prefix: key.slice(0, 12), lastFour: key.slice(-4) }
}

function withChecksum(text: string): string {
  return text + base62(BigInt(crc32(text)), CHECKSUM_DIGITS)
}

function base62(value: bigint, length: number): string {
  let digits = ''
  for (let rest = value; rest > 0n; rest /= 62n) digits = BASE62.charAt(Number(rest % 62n)) + digits
  return digits.padStart(length, '0')
}
