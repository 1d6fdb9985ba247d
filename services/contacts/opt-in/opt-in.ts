// Owns the rules of the double opt-in, without database and without mail: mailbox, token, limits, validity.
// Contract: states-and-events.md 11.1 and 11.2.
import { createHash, randomBytes } from 'node:crypto'
import { limits } from '#contracts/limits'
import { emailKey } from '#person/person'

/** Which mailbox an email reaches: lower case, without the tag behind a plus. Takes what `normaliseEmail` gave. */
export function canonicalMailbox(email: string): string {
  const [local = '', domain = ''] = emailKey(email).split('@')
  const [box] = local.split('+')
  // `+tag@…` has nothing in front of the plus; there it is the name itself.
  return `${box === '' ? local : box}@${domain}`
}

/** What is kept of a suppressed mailbox: enough to know it again, and no address that outlives the contact. */
export function mailboxDigest(mailbox: string): Buffer {
  return createHash('sha256').update(mailbox).digest()
}

/** A new token for a link, and the digest that is stored instead of it. */
export function mintToken(): { token: string; digest: Buffer } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return { token, digest: createHash('sha256').update(token).digest() }
}

/** The digest of a token from a link; null for a text that no token can be. */
export function digestToken(token: string): Buffer | null {
  return /^[A-Za-z0-9_-]{43}$/.test(token) ? createHash('sha256').update(token).digest() : null
}

/** Since when the mails of each limit count. A mail exactly that old counts no more. */
export function limitWindows(now: Date): { gap: Date; hour: Date; day: Date } {
  return {
    gap: before(now, limits.optInGapMinutes * MINUTE_MS),
    hour: before(now, 60 * MINUTE_MS),
    day: before(now, 24 * 60 * MINUTE_MS),
  }
}

/** Mails in the windows: to this mailbox by this shop, to this mailbox by all, by this shop to all. */
export type OptInCounts = { gap_shop: number; day_shop: number; day_all: number; hour_shop: number }

/** Whether one more mail would be too many. */
export function isOverLimit(counts: OptInCounts): boolean {
  return (
    counts.gap_shop >= 1 ||
    counts.day_shop >= limits.optInsPerDayShop ||
    counts.day_all >= limits.optInsPerDayAll ||
    counts.hour_shop >= limits.optInsPerHourShop
  )
}

/** When a link made now stops confirming. */
export function expiryOf(now: Date): Date {
  return new Date(now.getTime() + limits.optInHours * 60 * MINUTE_MS)
}

/** What is older than this is forgotten. */
export function forgottenBefore(now: Date): Date {
  return before(now, limits.optInKeptDays * 24 * 60 * MINUTE_MS)
}

const TOKEN_BYTES = 32
const MINUTE_MS = 60_000

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms)
}
