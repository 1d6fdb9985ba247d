// The caller of an action, and what else travels in the meta of a call: docs/spec/rest-api.md#authentication. A key belongs
// to one shop, and no service looks a key up again.

import type { Operator } from './objects/operator.ts'

/** The shop that a call is about. */
export type Shop = {
  shopId: string
  handle: string
  currency: string
  timeZone: string
  country: string | null
}

/**
 * The caller of an action. `keyId` is null where the back office acts for the shop. An agent has the id of its grant as `keyId` and as
 * `grantId`, which a key has not.
 */
export type Caller = Shop & { keyId: string | null; canWrite: boolean; grantId?: string }

/** The operator behind a call of the back office. docs/spec/operators-and-roles.md#operators */
export type OperatorCaller = Pick<Operator, 'id' | 'name' | 'role' | 'shops'> & {
  via: 'token' | 'session' | 'admin_token'
}

/** Who calls, as a gateway has found out and signs it: docs/spec/internals.md#signed-claims. */
export type Claimed = { caller?: Caller; operator?: OperatorCaller }

/** Who made a change, as a history says it: the id of a key, or the name of an operator. docs/spec/audit.md */
export function actorOf({ caller, operator }: { caller: Caller; operator: OperatorCaller | null }): string {
  return caller.keyId ?? operator?.name ?? 'back office'
}

/**
 * What an audit entry says of a call beside its operator and what it changed. `id`: of the entry, made by the gateway, so that what
 * the gateway notes of this call is known by it; absent from a gateway before this field. `source`: the address of the client. `via`: how
 * somebody signs in, where no claim says it.
 */
export type AuditedCall = {
  id?: string
  action: string
  method: string
  route: string
  source: string
  via?: OperatorCaller['via']
}

/** What a gateway passes with a call beside its params. */
export type CallMeta = Omit<BusMeta, 'claim'> & Claimed

/** The meta of a call as it crosses the bus. */
export type BusMeta = {
  claim?: string
  request_id?: string
  idempotency?: { key: string; fingerprint: string } // Back office: `Idempotency-Key`, and the digest of route and body.
  traceparent?: string // The span of the caller, where calls are traced (W3C Trace Context).
  is_read?: boolean // A gateway's read: it may wait for other reads of the shop.
  is_part?: boolean // A gateway's read of a part of a large page (docs/spec/internals.md#page-parts).
  audit?: AuditedCall // Back office: a call that changes something.
  deadline_at?: number // Milliseconds since the epoch; an action refuses work whose deadline has passed.
}
