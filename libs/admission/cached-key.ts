// What a gateway knows and holds of one API key: its identity, until when that is valid, and the units of the present window
// (docs/spec/internals.md#cached-keys). Every time here is in milliseconds of the gateway's monotonic clock and is counted from
// before auth was asked, so that whatever is cached ends earlier here than at the database.
import { isDeepStrictEqual } from 'node:util'
import type { Admission, Identity, KeyFacts, Restrictions } from '#contracts/actions/auth'
import type { Caller } from '#contracts/caller'
import { limits } from '#contracts/limits'
import type { Budget } from '#http/exchange'

export type Verdict = {
  decision: 'admitted' | 'rate_limited'
  caller: Caller
  planIncludesApi: boolean
  restrictions: Restrictions | undefined
  budget: Budget
}
/** An answer of auth about a key that it knows. */
export type RecognisedKey = Extract<Admission, KeyFacts>

export type CachedKey = {
  facts: KeyFacts | null
  identityValidUntil: number
  windowEndsAt: number
  units: number
  refusedUntil: number
  recalledWindowId: string | null
  /** The most that responses of one window may show as left. */
  shown: { windowId: string | null; max: number }
  /** The version of auth's identities at which this identity was read, or a later one; null where none is known. */
  identityVersion: number | null
}

export function emptyKey(): CachedKey {
  return {
    facts: null,
    identityValidUntil: Number.NEGATIVE_INFINITY,
    windowEndsAt: Number.NEGATIVE_INFINITY,
    units: 0,
    refusedUntil: Number.NEGATIVE_INFINITY,
    recalledWindowId: null,
    shown: { windowId: null, max: Number.POSITIVE_INFINITY },
    identityVersion: null,
  }
}

/** Decides a call from the cache; null when auth must be asked. */
export function decide(key: CachedKey, now: number): Verdict | null {
  if (key.facts === null || now >= key.identityValidUntil) return null
  return spend(key, now) ?? (now < key.refusedUntil ? refused(key, now) : null)
}

/** Spends one unit for a call whose identity is known to be valid; null when there is none. */
export function spend(key: CachedKey, now: number): Verdict | null {
  if (unitsAt(key, now) === 0) return null
  key.units -= 1
  return verdict('admitted', key, now)
}

export function refused(key: CachedKey, now: number): Verdict {
  return verdict('rate_limited', key, now)
}

/** Units that may still be spent. */
export function unitsAt(key: CachedKey, now: number): number {
  return now < key.windowEndsAt ? key.units : 0
}

/** Takes an answer of auth into the cache; `sentAt` is the time before the question was sent. */
export function applyAnswer(key: CachedKey, answer: RecognisedKey, sentAt: number): void {
  const sameWindow = key.facts?.window_id === answer.window_id
  const endsAt = sentAt + answer.window_ms_left
  if (!sameWindow) key.units = 0
  // Each answer gives an end that is early by its own round trip; the latest is the most exact.
  key.windowEndsAt = sameWindow ? Math.max(key.windowEndsAt, endsAt) : endsAt
  key.units += answer.decision === 'admitted' ? answer.units : 0
  noteShown(key, answer.window_id, answer.decision === 'rate_limited' ? 0 : (answer.shown ?? Number.POSITIVE_INFINITY))
  if (!isSameIdentity(key, answer)) key.identityVersion = null
  key.facts = answer
  key.identityValidUntil = sentAt + limits.identityTrustedMs
  key.refusedUntil = answer.decision === 'rate_limited' ? Math.min(key.windowEndsAt, key.identityValidUntil) : sentAt
}

/** Takes in what responses of a window may show as left; within a window it only falls. */
export function noteShown(key: CachedKey, windowId: string | null, max: number): void {
  const before = key.shown.windowId === windowId ? key.shown.max : Number.POSITIVE_INFINITY
  key.shown = { windowId, max: Math.min(before, max) }
}

/** Makes the next call ask auth for the identity. The units stay: they were charged. */
export function expireIdentity(key: CachedKey): void {
  key.identityValidUntil = Number.NEGATIVE_INFINITY
}

/**
 * Takes in the identity of a key that auth was asked about at `sentAt`: valid for longer where it has not changed, else expired.
 * `version` is the version of auth's identities from before they were read.
 */
export function confirmIdentity(
  key: CachedKey,
  identity: Identity | undefined,
  version: number,
  sentAt: number,
): void {
  if (identity === undefined || !isSameIdentity(key, identity)) return expireIdentity(key)
  key.identityVersion = version
  key.identityValidUntil = sentAt + limits.identityTrustedMs
}

/** Takes in the version of auth's identities, asked for at `sentAt`; gives whether it confirms this identity. */
export function confirmVersion(key: CachedKey, version: number, sentAt: number): boolean {
  if (key.identityVersion !== version) return false
  key.identityValidUntil = Math.max(key.identityValidUntil, sentAt + limits.identityTrustedMs)
  return true
}

function isSameIdentity({ facts }: CachedKey, identity: Identity): boolean {
  return (
    facts !== null &&
    facts.plan_includes_api === identity.plan_includes_api &&
    isDeepStrictEqual(facts.restrictions, identity.restrictions) &&
    isDeepStrictEqual(facts.caller, identity.caller)
  )
}

/** Takes all units of a window out of the cache; gives how many. */
export function surrenderUnits(key: CachedKey, windowId: string): number {
  if (key.facts?.window_id !== windowId) return 0
  const { units } = key
  key.units = 0
  key.facts = { ...key.facts, left: key.facts.left + units }
  return units
}

function verdict(decision: Verdict['decision'], key: CachedKey, now: number): Verdict {
  if (key.facts === null) throw new Error('Nothing is known of this key.')
  const { caller, plan_includes_api, restrictions, left, limit } = key.facts
  const remaining = decision === 'admitted' ? Math.min(left + key.units, key.shown.max) : 0
  const resetS = Math.max(1, Math.ceil((key.windowEndsAt - now) / 1_000))
  return { decision, caller, planIncludesApi: plan_includes_api, restrictions, budget: { limit, remaining, resetS } }
}
