// Owns what auth and the gateways tell each other about one key: the answer of `auth.admit`, and the name of the action by
// which auth asks one gateway for its unused units.
// Spec: Authentication, rules 1 to 6 and 11; Limits, rules 1 and 2.
import type { Caller } from './caller.ts'

/**
 * What is known of a recognised key and its window. `left`: units nobody holds. `window_ms_left`: at the database.
 * `recalled`: nobody may keep units of this window beyond those wanted.
 */
export type KeyFacts = Identity & {
  window_id: string | null
  window_ms_left: number
  left: number
  limit: number
  recalled: boolean
}
/** Who calls with a key, and whether the shop's plan lets it. */
export type Identity = { caller: Caller; plan_includes_api: boolean }
/**
 * The answer of `auth.recognise`: those of the keys that are in force now. `version` changes whenever who any key is, or whether
 * it is in force, may have; it was read before the identities were. An auth of an earlier release does not tell it.
 */
export type Recognition = { identities: Identity[]; version?: number | undefined }

/**
 * `admitted`: `units` calls may be let through until the window ends (0 only where none were wanted).
 * `source_limited`: the key is not known, and neither is any more guess of that source welcome.
 */
export type Admission =
  | ({ decision: 'admitted'; units: number } & KeyFacts)
  | ({ decision: 'rate_limited' } & KeyFacts)
  | { decision: 'unauthorized' }
  | { decision: 'source_limited'; retry_after_ms: number }

/** What a gateway is asked back: `grant_ids` are the newest grants, so that it can wait for one that is on its way. */
export type Recall = { key_id: string; window_id: string; grant_ids: string[] }
export type Returned = { units: number }

export type LeaseAction = `lease-of-${string}`

/** The name of the action that only this holder of leases answers. */
export function leaseActionOf(nodeId: string): LeaseAction {
  return `lease-of-${nodeId.replaceAll(/[^A-Za-z0-9-]/g, '-')}`
}
