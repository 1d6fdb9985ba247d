// The caller of an action, and what else travels in the meta of a call: docs/spec/rest-api.md#authentication. A key belongs
// to one shop, and no service looks a key up again.

/** The shop that a call is about. */
export type Shop = {
  shopId: string
  handle: string
  currency: string
  timeZone: string
  country: string | null
}

/** The caller of an action. `keyId` is null where the back office acts for the shop. */
export type Caller = Shop & { keyId: string | null; canWrite: boolean }

/** The meta of a call. */
export type CallMeta = {
  caller?: Caller
  request_id?: string
  idempotency?: { key: string; fingerprint: string } // Back office: `Idempotency-Key`, and the digest of route and body.
  traceparent?: string // The span of the caller, where calls are traced (W3C Trace Context).
  deadline_at?: number // Milliseconds since the epoch; an action refuses work whose deadline has passed.
}
