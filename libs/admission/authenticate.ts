// Owns the door of a gateway: bearer key and source address in, caller and budget out, or the refusal.
// Spec: Authentication, rules 1 to 3 and 11; Limits; Errors (401, 403, 429).
// Every call with a recognised key is counted, whatever its outcome. What is left of the budget travels with the refusal
// as well, as `budget` among its facts, so that 403 and 429 carry the same headers as 200.
import type { IncomingMessage } from 'node:http'
import type { Caller } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import type { Budget } from '#http/exchange'
import type { Verdict } from './cached-key.ts'
import type { Leases, Taken } from './lease.ts'
import type { UsageCount } from './usage.ts'

export type Admitted = { caller: Caller; budget: Budget }
export type Authenticate = (authorization: string | undefined, source: string) => Promise<Admitted>

const AUTHORIZATION = 'authorization'
const BEARER = /^Bearer +([\x21-\x2b\x2d-\x7e]{1,512}) *$/i // One token without a comma: two headers joined are none.

/**
 * The door over some leases. Refuses unauthorized, forbidden (the plan has no API; facts: `budget`), rate_limited
 * (facts: `retry_after_s`, and `budget` unless it is the failure budget), unavailable.
 */
export function authenticator(leases: Leases, usage?: UsageCount): Authenticate {
  return async (authorization, source) => {
    const key = authorization === undefined ? '' : (BEARER.exec(authorization)?.[1] ?? '')
    const taken = await leases.take(key, source)
    if (!isVerdict(taken)) throw refusalOf(taken, authorization)
    const { caller, budget, planIncludesApi, decision } = taken
    usage?.count(caller, decision === 'rate_limited')
    if (decision === 'rate_limited') {
      const words = `More than ${budget.limit} calls in a minute with this key. Try again in ${budget.resetS} s.`
      throw refuse('rate_limited', words, { retry_after_s: budget.resetS, budget })
    }
    if (!planIncludesApi) throw refuse('forbidden', "The plan of this key's shop does not include the API.", { budget })
    return { caller, budget }
  }
}

/** The Authorization header of a request; several of them come joined, and so are refused rather than chosen from. */
export function authorizationOf({ rawHeaders }: IncomingMessage): string | undefined {
  // `headers` keeps the first of several, and `headersDistinct` makes an object of all headers for each call.
  let joined: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue
    const value = rawHeaders[at + 1] ?? ''
    joined = joined === undefined ? value : `${joined}, ${value}`
  }
  return joined
}

function isVerdict(taken: Taken): taken is Verdict {
  return 'caller' in taken
}

function refusalOf(taken: Exclude<Taken, Verdict>, authorization: string | undefined) {
  if (taken.decision === 'source_limited') {
    const retryAfterS = Math.max(1, Math.ceil(taken.retry_after_ms / 1_000))
    const words = 'Too many failed authentications from this address. Check the API key'
    return refuse('rate_limited', `${words}, then try again in ${retryAfterS} s.`, { retry_after_s: retryAfterS })
  }
  if (authorization === undefined) {
    return refuse('unauthorized', 'An API key is needed: send the header "Authorization: Bearer <API_KEY>".')
  }
  return refuse('unauthorized', 'This API key is not known. It may be mistyped or revoked.')
}
