// The form of an API key and of an operator's token: `sfk_` or `sfo_`, 43 base62 digits (256 random bits), 6 base62 digits (CRC-32 of the text before them).
// docs/spec/security.md#api-keys, docs/spec/operators-and-roles.md#operators
import { crc32 } from 'node:zlib'

/** The beginning of an API key, and that of a token. */
export type KeyPrefix = 'sfk_' | 'sfo_'

const SECRET_BYTES = 32
const SECRET_DIGITS = 43
const CHECKSUM_DIGITS = 6
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = /^sf[ko]_[0-9A-Za-z]{49}$/

/** The key of 32 random bytes. */
export function keyOf(secret: Buffer, prefix: KeyPrefix = 'sfk_'): string {
  if (secret.length !== SECRET_BYTES) throw new Error('A key has 256 random bits.')
  return withChecksum(prefix + base62(BigInt(`0x${secret.toString('hex')}`), SECRET_DIGITS))
}

/** Whether a text has the form of a key: prefix, length, digits and checksum. No key is stored that has not. */
export function isKeyForm(text: string): boolean {
  return text.startsWith('sfk_') && hasForm(text)
}

/** The same for the token of an operator. */
export function isTokenForm(text: string): boolean {
  return text.startsWith('sfo_') && hasForm(text)
}

function hasForm(text: string): boolean {
  return FORM.test(text) && withChecksum(text.slice(0, -CHECKSUM_DIGITS)) === text
}

function withChecksum(text: string): string {
  return text + base62(BigInt(crc32(text)), CHECKSUM_DIGITS)
}

function base62(value: bigint, length: number): string {
  let digits = ''
  for (let rest = value; rest > 0n; rest /= 62n) digits = BASE62.charAt(Number(rest % 62n)) + digits
  return digits.padStart(length, '0')
}
