// Owns what a gateway knows and holds of one key: who it is, until when that is believed, and units of the present window.
// Spec: Limits (240 a minute); Authentication, rules 2 and 3. Every time here is milliseconds of the gateway's monotonic
// clock, reckoned from before auth was asked: so what is held here always ends before it ends at the database.
import { isDeepStrictEqual } from 'node:util'
import type { Admission, Identity, KeyFacts } from '#contracts/admission'
import type { Caller } from '#contracts/caller'
import { limits } from '#contracts/limits'
import type { Budget } from '#http/exchange'

export type Verdict = {
  decision: 'admitted' | 'rate_limited'
  caller: Caller
  planIncludesApi: boolean
  budget: Budget
}
export type Recognised = Extract<Admission, KeyFacts>

export type HeldKey = {
  facts: KeyFacts | null
  believedUntil: number
  windowEndsAt: number
  units: number
  refusedUntil: number
  recalledWindowId: string | null
  /** Who this is was read at this version of auth's identities or a later one; null where none is known. */
  version: number | null
}

export function emptyKey(): HeldKey {
  return {
    facts: null,
    believedUntil: Number.NEGATIVE_INFINITY,
    windowEndsAt: Number.NEGATIVE_INFINITY,
    units: 0,
    refusedUntil: Number.NEGATIVE_INFINITY,
    recalledWindowId: null,
    version: null,
  }
}

/** Decides about a call from what is held; null when auth must be asked. */
export function decide(held: HeldKey, now: number): Verdict | null {
  if (held.facts === null || now >= held.believedUntil) return null
  return spend(held, now) ?? (now < held.refusedUntil ? refused(held, now) : null)
}

/** Spends one unit for a call whose identity was settled after it came; null when there is none. */
export function spend(held: HeldKey, now: number): Verdict | null {
  if (unitsAt(held, now) === 0) return null
  held.units -= 1
  return verdict('admitted', held, now)
}

export function refused(held: HeldKey, now: number): Verdict {
  return verdict('rate_limited', held, now)
}

/** Units that may still be spent. */
export function unitsAt(held: HeldKey, now: number): number {
  return now < held.windowEndsAt ? held.units : 0
}

/** Takes an answer in; `sentAt` is the time before the question left. */
export function absorb(held: HeldKey, answer: Recognised, sentAt: number): void {
  const sameWindow = held.facts?.window_id === answer.window_id
  const endsAt = sentAt + answer.window_ms_left
  if (!sameWindow) held.units = 0
  // Each answer gives an end that is too early by its own way; the latest is nearest to the truth.
  held.windowEndsAt = sameWindow ? Math.max(held.windowEndsAt, endsAt) : endsAt
  held.units += answer.decision === 'admitted' ? answer.units : 0
  if (!isSameIdentity(held, answer)) held.version = null
  held.facts = answer
  held.believedUntil = sentAt + limits.identityMs
  held.refusedUntil = answer.decision === 'rate_limited' ? Math.min(held.windowEndsAt, held.believedUntil) : sentAt
}

/** Ends the belief in who this is; the units stay, they were charged. */
export function doubt(held: HeldKey): void {
  held.believedUntil = Number.NEGATIVE_INFINITY
}

/**
 * Takes in who a key asked about at `sentAt` is: believed on where that has not changed, else doubted. `version`: of auth's
 * identities, before they were read.
 */
export function confirm(held: HeldKey, identity: Identity | undefined, version: number | null, sentAt: number): void {
  if (identity === undefined || !isSameIdentity(held, identity)) return doubt(held)
  held.version = version
  held.believedUntil = sentAt + limits.identityMs
}

/** Takes in the version of auth's identities, asked for at `sentAt`; whether this key is believed on for it. */
export function confirmUnchanged(held: HeldKey, version: number, sentAt: number): boolean {
  if (held.version !== version) return false
  held.believedUntil = Math.max(held.believedUntil, sentAt + limits.identityMs)
  return true
}

function isSameIdentity({ facts }: HeldKey, identity: Identity): boolean {
  return (
    facts !== null &&
    facts.plan_includes_api === identity.plan_includes_api &&
    isDeepStrictEqual(facts.caller, identity.caller)
  )
}

/** Gives up all units of a window; how many. */
export function surrender(held: HeldKey, windowId: string): number {
  if (held.facts?.window_id !== windowId) return 0
  const { units } = held
  held.units = 0
  held.facts = { ...held.facts, left: held.facts.left + units }
  return units
}

function verdict(decision: Verdict['decision'], held: HeldKey, now: number): Verdict {
  if (held.facts === null) throw new Error('Nothing is known of this key.')
  const { caller, plan_includes_api, left, limit } = held.facts
  const remaining = decision === 'admitted' ? left + held.units : 0
  const resetS = Math.max(1, Math.ceil((held.windowEndsAt - now) / 1_000))
  return { decision, caller, planIncludesApi: plan_includes_api, budget: { limit, remaining, resetS } }
}
