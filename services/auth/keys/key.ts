// Owns what an API key is: how it is made, recognised by its form, and turned into the only thing that is stored of it.
// Spec: Authentication, rules 1 and 2. security-and-faults.md, rows "API key" and "Compare".
// Form: `sfk_`, 43 base62 digits (256 random bits), 6 base62 digits (CRC-32 of all before): what a secret scanner can
// find and a typing error cannot survive.
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'sfk_'
const SECRET_BYTES = 32
const SECRET_DIGITS = 43
const CHECKSUM_DIGITS = 6
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = /^sfk_[0-9A-Za-z]{49}$/

/** A new key, from the system's own randomness. */
export function mintKey(): string {
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_DIGITS)
  return withChecksum(PREFIX + secret)
}

/** Whether a text can be a key at all: prefix, length, digits and checksum. */
export function isKeyForm(text: string): boolean {
  return FORM.test(text) && withChecksum(text.slice(0, -CHECKSUM_DIGITS)) === text
}

/** HMAC-SHA-256 of a key under each pepper, in their order: the first is stored, every one is looked up. */
export function digestsOf(key: string, peppers: KeyObject[]): Buffer[] {
  return peppers.map((pepper) => createHmac('sha256', pepper).update(key).digest())
}

/** Which of the digests the stored one is, compared in constant time; -1 for none. */
export function matchingDigest(stored: Buffer, digests: Buffer[]): number {
  return digests.findIndex((digest) => digest.length === stored.length && timingSafeEqual(digest, stored))
}

/** What is shown of a key for ever: enough to tell two apart, nothing to guess with. */
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
