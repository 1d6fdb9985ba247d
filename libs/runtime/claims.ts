// Callers across the bus: docs/spec/internals.md#signed-claims. A gateway signs the caller, and a service accepts no other, so that access to
// the bus is not enough to act for a shop. A claim is the caller or operator as JSON with its expiry, behind an HMAC under each key
// that derives from an accepted secret: during a rotation some replicas know only one of them.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { deriveKeys, type Secrets } from '#config/derive-key'
import type { Claimed } from '#contracts/caller'
import { refuse } from '#contracts/errors'

export type Claims = {
  /** The claim of a caller, an operator or both, valid for 40 to 60 s. */
  sign(claimed: Claimed): string
  /** The caller and operator of a claim. Refuses server_error where it is forged or has expired. */
  verify(claim: string): Claimed
}
type Verified = { claimed: Claimed; endsAt: number }
type Signed = Claimed & { claim: string; endsAt: number }

const VALID_MS = 60_000
// Claims of one caller are equal for this long: signed once for many calls, and verified once by each replica.
const STEP_MS = 20_000
const VERIFIED_MAX = 5_000 // About 1 KB each.

/** `now` returns milliseconds since the epoch. */
export function openClaims(secrets: Secrets, now = Date.now): Claims {
  const keys = deriveKeys(secrets, 'caller-claim')
  const signed = new WeakMap<object, Signed>() // By caller, else by operator.
  const verified = new LRUCache<string, Verified>({ max: VERIFIED_MAX })
  const macsOf = (text: string) => keys.map((key) => createHmac('sha256', key).update(text).digest())

  function check(claim: string): Verified {
    const [, macs = '', text = '', end = '', json = ''] = /^([\w,-]{1,200})\.((\d{1,15})\.(.+))$/s.exec(claim) ?? []
    const own = macsOf(text)
    const isSigned = macs.split(',').some((mac) => {
      const given = Buffer.from(mac, 'base64url')
      return own.some((digest) => given.length === digest.length && timingSafeEqual(given, digest))
    })
    if (!isSigned) throw refused()
    return { claimed: JSON.parse(json) as Claimed, endsAt: Number(end) }
  }

  return {
    sign({ caller, operator }) {
      const at = now()
      const endsAt = at - (at % STEP_MS) + VALID_MS
      const named = caller ?? operator
      const before = named === undefined ? undefined : signed.get(named)
      if (before?.endsAt === endsAt && before.operator === operator) return before.claim
      const text = `${endsAt}.${JSON.stringify({ caller, operator })}`
      const macs = macsOf(text).map((mac) => mac.toString('base64url'))
      const claim = `${macs.join(',')}.${text}`
      if (named !== undefined) signed.set(named, { caller, operator, claim, endsAt })
      return claim
    },
    verify(claim) {
      const known = verified.get(claim)
      const { claimed, endsAt } = known ?? check(claim)
      if (now() >= endsAt) throw refused()
      if (known === undefined) verified.set(claim, { claimed, endsAt })
      return claimed
    },
  }
}

/** Not the fault of the client of the gateway, so neither 401 nor 403: see the service's log. */
export function refused() {
  return refuse(
    'server_error',
    'This call has no caller that a gateway of this SECRET_KEY has signed in the last minute.',
  )
}
