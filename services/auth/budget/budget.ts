// The two budgets of auth: requests of an API key, and failed authentications of a source address.
// docs/spec/internals.md#budget-leases, docs/spec/security.md#auth-failure-budget; the gateways' half: libs/admission/lease.ts
//
// State: one row of `budgets` per key, with its window, the units granted in it (`used`), the gateways that hold a lease, the
// last 16 grants and the recall. A window opens with the first call after the last window ended. PostgreSQL's clock counts.
// Messages:
//   auth.admit       A gateway asks for units. It gets those that it wants now and a lease: a slice that it may spend without
//                    asking. The same `grant_id` again gets the same units, charged once. `want` 0 only refreshes the identity.
//   lease-of-<node>  The recall: auth asks a gateway for its unused units. It happens once per window, when the row has fewer
//                    units than are wanted while other gateways hold leases. From then on grants are exact, without a lease.
//                    Requests that come during a recall wait for it.
//   auth.give_back   A gateway returns unused units: it stops, evicts the key, or got units after their recall.
//   lease-of-<node>  Also tells a gateway what responses may show as left, after another gateway was granted units and before it is answered.
//   auth.find_keys   A gateway asks which keys are in force, for sources that have used their failure budget up. Charges nothing.
//   auth.note_failures  A gateway reports failures that it found itself.
//   auth.recognise   A gateway confirms cached identities. Charges nothing.
//   key.changed      A broadcast that may be lost: the identity of a key or of a shop's keys has changed.
// Crashes: `used` counts what was granted, never less than what was admitted, so no window admits call 241. The unused units of
// a gateway that dies are lost until the window ends. Replicas of auth hold no state; a recall whose replica died is repeated
// after a second. A crash of PostgreSQL empties the table, which opens every window anew.
//
// The failure budget: the statement that looks a key up charges the source when it finds none, so charge and refund are one.
import type { KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOutdated, noteKeyUse } from '#config/derive-key'
import type { ServiceContext } from '#runtime/service'
import type { ActionParams } from '#contracts/actions'
import {
  type Admission,
  type FailureCount,
  type Identity,
  leaseActionOf,
  type Recall,
  type Recognition,
  type Returned,
  type Shown,
} from '#contracts/actions/auth'
import { refuse } from '#contracts/errors'
import { isAgentTokenForm } from '#contracts/agents/token-form'
import { isKeyForm } from '#contracts/key-form'
import { limits } from '#contracts/limits'
import type { Database } from '#postgres/connect'
import { agentDigests } from '../agents/agent.ts'
import { listLiveTokens } from '../agents/token-queries.ts'
import { digestsOf, matchingDigest } from '../keys/key.ts'
import { redigestKey } from '../keys/queries.ts'
import { includesApi } from '../shops/shop.ts'
import { addFailures, listLiveDigests } from './failure-queries.ts'
import {
  type Grant,
  grantUnits,
  grantUnitsShort,
  identityVersion,
  type IdentityRow,
  listIdentities,
  noteUse,
  readBudget,
  returnUnits,
} from './queries.ts'

const RECALL_MS = 300 // A gateway that has not answered by then keeps its units.
const SHOW_MS = 20 // A gateway that has not answered by then is hung or gone.
const WAIT_MS = 700 // Longer than a recall with its two statements; then the request gets what is there.
const WAIT_STEP_MS = 15
const STATEMENTS_MAX = 100 // More than one admission needs; bounds the loop.

type AdmitParams = ActionParams<'auth.admit'>
export type Budget = {
  /** Decides about one request of a gateway. Refuses unavailable when a recall does not end. */
  admit(params: AdmitParams): Promise<Admission>
  /** The identities of those keys that are in force, and the version of all identities. */
  recognise(keyIds: string[]): Promise<Recognition>
  /** Which of the keys are in force. */
  findKeys(keys: string[]): Promise<{ found: boolean[] }>
  /** Adds failed authentications to the budgets of their sources. */
  noteFailures(failures: ActionParams<'auth.note_failures'>['failures']): Promise<{ sources: FailureCount[] }>
  /** Takes unused units back. */
  giveBack(params: ActionParams<'auth.give_back'>): Promise<Returned>
}

/** `peppers` and `tokenKeys`: the keys of the digests of API keys and of tokens of agents, that of new ones first. */
export function openBudget(
  context: ServiceContext,
  db: Database,
  peppers: KeyObject[],
  tokenKeys: KeyObject[],
): Budget {
  const { requestsPerMinute, authFailuresPerMinute } = context.settings
  const agents = agentDigests(tokenKeys)

  return {
    async admit(params) {
      if (isAgentTokenForm(params.key)) return admitByWholeStatement(params, agents.toFind(params.key), 'agent')
      const digests = isKeyForm(params.key) ? digestsOf(params.key, peppers) : []
      if (digests.length > 0 && params.want === 0) {
        const row = await readBudget(db, { digests, grantId: params.grant_id })
        if (row !== null) return admitted(row, params, digests)
      }
      if (digests.length > 0 && params.want > 0) {
        const grant = await grantUnitsShort(db, grantRequest(params, digests, false))
        if (grant !== null) {
          if (grant.unnoted) noteUseInBackground(grant)
          return admitted(grant, params, digests)
        }
      }
      return admitByWholeStatement(params, digests)
    },
    async recognise(keyIds) {
      const version = await identityVersion(db.reads) // Read first, so that the identities are of this version or a later one.
      return { version, identities: keyIds.length === 0 ? [] : (await listIdentities(db, keyIds)).map(identityOf) }
    },
    async findKeys(keys) {
      const digests = keys.map((key) => (isKeyForm(key) ? digestsOf(key, peppers) : []))
      const tokens = keys.map((key) => (isAgentTokenForm(key) ? agents.toFind(key) : []))
      const found = await Promise.all([
        listLiveDigests(db.reads, digests.flat()),
        tokens.some((own) => own.length > 0) ? listLiveTokens(db.reads, tokens.flat()) : [],
      ])
      const live = new Set(found.flat().map((digest) => digest.toString('hex')))
      return {
        found: digests.map((own, at) =>
          [...own, ...(tokens[at] ?? [])].some((digest) => live.has(digest.toString('hex'))),
        ),
      }
    },
    async noteFailures(failures) {
      return { sources: await addFailures(db, failures, limits.windowS * 1_000) }
    },
    async giveBack({ key_id, window_id, units }) {
      await returnUnits(db, key_id, window_id, units, false)
      return { units }
    },
  }

  async function admitByWholeStatement(
    params: AdmitParams,
    digests: Buffer[],
    of: 'key' | 'agent' = 'key',
  ): Promise<Admission> {
    const waitUntil = performance.now() + WAIT_MS
    for (let statement = 0; statement < STATEMENTS_MAX; statement += 1) {
      const grant = await grantUnits(db, grantRequest(params, digests, performance.now() >= waitUntil), of)
      if (grant.key_id === null) return failureOf(grant)
      if (grant.step === 'granted') return admitted(grant, params, digests)
      if (grant.step === 'recall') await recall(grant)
      if (grant.step === 'wait') await sleep(WAIT_STEP_MS)
    }
    throw refuse('unavailable', 'The budget of this key cannot be settled right now.', { retry_after_s: 1 })
  }

  async function admitted(grant: Grant, { want }: AdmitParams, digests: Buffer[]): Promise<Admission> {
    if (want > 0) await showOthers(grant)
    const pepper = (grant.grant_id === undefined ? peppers : agents.keys)[matchingDigest(grant.digest, digests)]
    if (pepper === undefined) throw new Error('The key that was found is not the one that was looked for.')
    noteKeyUse(pepper)
    const [newest] = digests
    // A token of an agent lives for an hour, so that it is not written again.
    if (isOutdated(pepper) && newest !== undefined && grant.grant_id === undefined)
      await redigestKey(db, grant.shop_id, grant.key_id, grant.digest, newest)
    return admissionOf(grant, want, requestsPerMinute)
  }

  // Before the answer: a client that reads it may call another gateway next. After a recall the others hold nothing and ask each time.
  async function showOthers({ key_id, window_id, grant_ids, others, shown, units, recalling }: Grant): Promise<void> {
    if (shown === null || units === 0 || recalling) return
    const message: Shown = { key_id, window_id, grant_ids, shown }
    await Promise.allSettled(others.map((node) => context.callNode(leaseActionOf(node), message, SHOW_MS)))
  }

  // The caller does not wait for this row. When it fails, the next window notes the use.
  function noteUseInBackground({ shop_id, key_id }: Grant): void {
    noteUse(db, shop_id, key_id).catch((error: unknown) =>
      context.log.warn({ error }, 'the use of a key was not noted'),
    )
  }

  function grantRequest(params: AdmitParams, digests: Buffer[], endWait: boolean) {
    return {
      digests,
      source: params.source,
      failuresMax: authFailuresPerMinute,
      grantId: params.grant_id,
      want: params.want,
      exact: params.exact,
      node: params.node,
      endWait,
      unitsMax: requestsPerMinute,
      sliceMax: limits.leaseUnitsMax,
      sliceAloneMax: limits.leaseAloneUnitsMax,
      windowMs: limits.windowS * 1_000,
    }
  }

  async function recall({ key_id, window_id, grant_ids, others }: Grant): Promise<void> {
    const request: Recall = { key_id, window_id, grant_ids }
    const answers = await Promise.allSettled(
      others.map((node) => context.callNode(leaseActionOf(node), request, RECALL_MS)),
    )
    const units = answers.map((answer) => (answer.status === 'fulfilled' ? unitsIn(answer.value) : 0))
    const silent = answers.filter((answer) => answer.status === 'rejected').length
    if (silent > 0) context.log.warn({ silent, asked: others.length }, 'gateways did not answer a recall')
    const sum = units.reduce((total, some) => total + some, 0)
    await returnUnits(db, key_id, window_id, sum, true)
  }
}

function admissionOf(grant: Grant, want: number, limit: number): Admission {
  const facts = {
    window_id: grant.window_id,
    window_ms_left: grant.window_ms_left,
    left: Math.max(0, limit - grant.used),
    limit,
    recalled: grant.recalling,
    shown: grant.shown,
    ...identityOf(grant),
  }
  if (grant.units === 0 && want > 0) return { decision: 'rate_limited', ...facts }
  return { decision: 'admitted', units: grant.units, ...facts }
}

function identityOf(row: IdentityRow): Identity {
  return {
    caller: {
      shopId: row.shop_id,
      keyId: row.key_id,
      canWrite: row.access === 'write',
      currency: row.currency,
      handle: row.handle,
      timeZone: row.time_zone,
      country: row.country,
      ...(row.grant_id === undefined ? {} : { grantId: row.grant_id }),
    },
    plan_includes_api: includesApi(row.plan),
    ...restrictionsOf(row),
  }
}

function restrictionsOf({ expires_at, allowed_sources, resources }: IdentityRow): Pick<Identity, 'restrictions'> {
  if (expires_at === null && allowed_sources === null && resources === null) return {}
  return { restrictions: { expires_at: expires_at?.getTime() ?? null, allowed_sources, resources } }
}

function failureOf({ charged, retry_after_ms }: { charged: boolean; retry_after_ms: number }): Admission {
  return charged ? { decision: 'unauthorized' } : { decision: 'source_limited', retry_after_ms }
}

function unitsIn(answer: unknown): number {
  const { units } = answer as Returned
  if (!Number.isSafeInteger(units) || units < 0) throw new Error('A gateway returned units that are not a number.')
  return units
}
