// Owns the id of an order that is not written yet: all calls of one Idempotency-Key and body mean the same order, so what
// they reserve under its id is reserved once, though they come at once or again after a crash.
// Back office: Conventions, "Idempotency-Key". Another body under the key is another order, of which at most one is written.
//
// The id is shared for half of the time that catalog keeps a reservation without an order. A later call gets a new id and
// takes stock anew, because what was taken under the old one may go back before its order is written.
import { createHash, randomUUID } from 'node:crypto'
import type { RequestInfo } from '#runtime/service'
import { limits } from '#contracts/limits'
import type { Database } from '#postgres/connect'
import { claimIntent, forgetIntents } from './queries.ts'

const SHARED_S = limits.reservationS / 2

/** The id that the order of this call will have; without an Idempotency-Key a new one each time. */
export async function orderIdOf(db: Database, { caller, idempotency }: RequestInfo): Promise<string> {
  const id = randomUUID()
  if (idempotency === null) return id
  const keyDigest = createHash('sha256').update(idempotency.key).digest()
  const { fingerprint } = idempotency
  return claimIntent(db, caller.shopId, { key_digest: keyDigest, fingerprint, order_id: id, shared_s: SHARED_S })
}

/** Forgets what is shared no more; gives how many rows went. */
export function forgetOldIntents(db: Database): Promise<number> {
  return forgetIntents(db, SHARED_S)
}
