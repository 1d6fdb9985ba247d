// Authenticates a request: bearer key and source address in, caller and budget out, or the refusal
// (docs/spec/rest-api.md#authentication). The refusal of a known key carries its caller, for which the call counts, and what is left of the
// budget, so that 403 and 429 have the same budget headers as 200.
import type { IncomingMessage } from 'node:http'
import { isAgentTokenForm } from '#contracts/agents/token-form'
import type { Caller } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import type { Restrictions } from '#contracts/actions/auth'
import type { Resource } from '#contracts/objects/shop'
import { isWithin } from '#network/client-address'
import type { Budget, Exchange } from '#http/exchange'
import type { Verdict } from './cached-key.ts'
import type { Decision, Leases } from './lease.ts'

/** `resources`: what the key reaches; null: everything. */
export type Authenticated = { caller: Caller; budget: Budget; resources: readonly Resource[] | null }
/** What an endpoint accepts: API keys, or tokens of agents as well (docs/spec/agents-access.md#tokens). */
export type Credentials = 'keys' | 'keys and tokens'
export type Authenticate = (
  authorization: string | undefined,
  source: string,
  address?: string | null,
  takes?: Credentials,
) => Promise<Authenticated>

const AUTHORIZATION = 'authorization'
const BEARER = /^Bearer +([\x21-\x2b\x2d-\x7e]{1,512}) *$/i // One token without a comma: two joined headers do not match.

/**
 * Authenticates by the given leases. Refuses unauthorized, forbidden (the plan has no API; details: `budget`), rate_limited
 * (details: `retry_after_s`, and `budget` unless it is the failure budget), unavailable. Details with `budget` have `caller` too.
 */
export function authenticator(leases: Leases): Authenticate {
  return async (authorization, source, address = null, takes = 'keys') => {
    const sent = authorization === undefined ? '' : (BEARER.exec(authorization)?.[1] ?? '')
    const key = takes === 'keys' && isAgentTokenForm(sent) ? '' : sent
    const decided = await leases.take(key, source)
    if (!isVerdict(decided)) throw refusalOf(decided, authorization)
    const { caller, budget, planIncludesApi, decision, restrictions } = decided
    if (isOver(restrictions)) throw unknownKey()
    if (decision === 'rate_limited') {
      const message = `More than ${budget.limit} calls in a minute with this key. Try again in ${budget.resetS} s.`
      throw refuse('rate_limited', message, { retry_after_s: budget.resetS, budget, caller })
    }
    if (!planIncludesApi) throw noApi(budget, caller)
    const allowed = restrictions?.allowed_sources ?? null
    if (allowed !== null && !isWithin(address, allowed)) {
      throw refuse('forbidden', 'This API key may not be used from this address.', { budget, caller })
    }
    return { caller, budget, resources: restrictions?.resources ?? null }
  }
}

export function noApi(budget: Budget | undefined, caller?: Caller) {
  return refuse('forbidden', "The plan of this key's shop does not include the API.", { budget, caller })
}

/** The Authorization header of a request; several are joined, and a joined header holds no valid key. */
export function authorizationOf({ rawHeaders }: IncomingMessage): string | undefined {
  // `headers` keeps the first of several, and `headersDistinct` builds an object of all headers for each request.
  let joined: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue
    const value = rawHeaders[at + 1] ?? ''
    joined = joined === undefined ? value : `${joined}, ${value}`
  }
  return joined
}

/** Refuses forbidden where the key reads only. Gateways call it before they read a body. */
export function requireWrite(caller: Caller | undefined): void {
  if (caller?.canWrite === true) return
  throw refuse('forbidden', 'This API key reads only. A key with write access is needed.')
}

/** Refuses forbidden where the key does not reach the first step of the path below `/api/v1`. */
export function requireResource({ resources }: Pick<Exchange, 'resources'>, path: string): void {
  if (reaches(resources, path.split('/')[1] ?? '')) return
  throw refuse('forbidden', `This API key reaches ${resources?.join(', ') ?? 'nothing'} only.`)
}

/** Whether a key reaches a resource. */
export function reaches(resources: Exchange['resources'], resource: string): boolean {
  return resources === undefined || resources === null || (resources as readonly string[]).includes(resource)
}

/** Whether a key has ended. Its row does not change then, so the gateway compares the clock with every call. */
export function isOver(restrictions: Restrictions | undefined): boolean {
  const endsAt = restrictions?.expires_at ?? null
  return endsAt !== null && Date.now() >= endsAt
}

function isVerdict(decided: Decision): decided is Verdict {
  return 'caller' in decided
}

function refusalOf(decided: Exclude<Decision, Verdict>, authorization: string | undefined) {
  if (decided.decision === 'source_limited') {
    const retryAfterS = Math.max(1, Math.ceil(decided.retry_after_ms / 1_000))
    const message = 'Too many failed authentications from this address. Check the API key'
    return refuse('rate_limited', `${message}, then try again in ${retryAfterS} s.`, { retry_after_s: retryAfterS })
  }
  if (authorization === undefined) {
    return refuse('unauthorized', 'An API key is needed: send the header "Authorization: Bearer <API_KEY>".')
  }
  return unknownKey()
}

function unknownKey() {
  return refuse('unauthorized', 'This API key is not known. It may be mistyped or revoked.')
}
