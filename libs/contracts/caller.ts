// Owns what a service is told about who is calling. It travels in the call's meta; no service looks a key up again.
// Spec: Authentication, rule 1: the key scopes the request to one shop.

export type Plan = 'basic' | 'pro'
export type Access = 'read' | 'write'

export type Shop = {
  shopId: string
  handle: string
  currency: string
  timeZone: string
  country: string | null
}

/** The caller of an action. `keyId` is null where the back office acts for the shop. */
export type Caller = Shop & { keyId: string | null; canWrite: boolean }

export type CallMeta = {
  caller?: Caller
  request_id?: string
  idempotency?: { key: string; fingerprint: string } // Back office: `Idempotency-Key` and the digest of route and body.
  traceparent?: string // The span of whoever calls, where the house is traced (W3C Trace Context).
  deadline_at?: number // Milliseconds since the epoch; work whose deadline has passed is refused, not done.
}
