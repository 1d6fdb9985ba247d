// The id of an order before it is written. Requests with the same Idempotency-Key and body share it, so what they reserve
// under the id is reserved once, also when they come at once or again after a crash.
// docs/spec/order-states.md#reservation
//
// An id is shared for half of the life of a reservation without an order: what was reserved under an older id may be gone
// before the order is written, so a later request gets a new id and reserves again.
import { randomUUID } from 'node:crypto'
import { limits } from '#contracts/limits'
import type { Database } from '#postgres/connect'
import { requestNames } from '#postgres/idempotency'
import type { RequestInfo } from '#runtime/service'
import { claimIntent, deleteIntents } from './queries.ts'

const SHARED_S = limits.reservationS / 2

/** The id of the order that this request places; a new one for each request without an Idempotency-Key. */
export async function orderIdOf(db: Database, { caller, idempotency }: RequestInfo): Promise<string> {
  const id = randomUUID()
  if (idempotency === null) return id
  // In turn, so that replicas that accept different secrets agree: each proposes the id that it found under the secret before.
  let shared: string = id
  for (const { digest, fingerprint } of requestNames(idempotency, caller.shopId))
    shared = await claimIntent(db, caller.shopId, {
      key_digest: digest,
      fingerprint,
      order_id: shared,
      shared_s: SHARED_S,
    })
  return shared
}

/** Deletes intents that are no longer shared, at most 1,000; returns their number. */
export function deleteOldIntents(db: Database): Promise<number> {
  return deleteIntents(db, SHARED_S)
}
