// The rules of the double opt-in as pure functions: mailbox, token, limits, validity. docs/spec/double-opt-in.md#token,
// docs/spec/double-opt-in.md#limits
import { createHash, randomBytes } from 'node:crypto'
import { limits } from '#contracts/limits'
import { emailKey } from '#person/person'

/** The canonical mailbox of an email in the form of `normaliseEmail`: lower case, without the plus tag. */
export function canonicalMailbox(email: string): string {
  const [local = '', domain = ''] = emailKey(email).split('@')
  const [box] = local.split('+')
  // `+tag@…` has no name before the plus; there the tag is the name.
  return `${box === '' ? local : box}@${domain}`
}

/** The digest under which a mailbox stays suppressed when its contact is deleted. */
export function mailboxDigest(mailbox: string): Buffer {
  return createHash('sha256').update(mailbox).digest()
}

/** A new token for a link, and the digest that is stored. */
export function mintToken(): { token: string; digest: Buffer } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return { token, digest: createHash('sha256').update(token).digest() }
}

/** The digest of a token from a link; null for a text without the form of a token. */
export function digestToken(token: string): Buffer | null {
  return /^[A-Za-z0-9_-]{43}$/.test(token) ? createHash('sha256').update(token).digest() : null
}

/** The instants after which mails count towards each limit. */
export function limitWindows(now: Date): { gap: Date; hour: Date; day: Date } {
  return {
    gap: before(now, limits.optInGapMinutes * MINUTE_MS),
    hour: before(now, 60 * MINUTE_MS),
    day: before(now, 24 * 60 * MINUTE_MS),
  }
}

/** Mails in the windows: to this mailbox by this shop, to this mailbox by all shops, by this shop to all mailboxes. */
export type OptInCounts = { gap_shop: number; day_shop: number; day_all: number; hour_shop: number }

/** Whether one more mail would exceed a limit. */
export function isOverLimit(counts: OptInCounts): boolean {
  return (
    counts.gap_shop >= 1 ||
    counts.day_shop >= limits.optInsPerDayShop ||
    counts.day_all >= limits.optInsPerDayAll ||
    counts.hour_shop >= limits.optInsPerHourShop
  )
}

/** The end of validity of a link that is made now. */
export function expiryOf(now: Date): Date {
  return new Date(now.getTime() + limits.optInHours * 60 * MINUTE_MS)
}

/** Requests from before this instant are deleted. */
export function oldestKept(now: Date): Date {
  return before(now, limits.optInKeptDays * 24 * 60 * MINUTE_MS)
}

const TOKEN_BYTES = 32
const MINUTE_MS = 60_000

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms)
}
