// Owns the two budgets: 240 calls a minute for each key, and failed authentications for each source address.
// Spec: Limits, rules 1 and 2; Authentication, rules 2, 6 and 11.
//
// The budget of a key is one row. A window opens with the first call after the last one ended and lasts a minute by the
// database's clock. A gateway asks for what it needs (`want`) and gets a slice more, a lease, which it spends without
// asking. So `used` counts what was given out, never less than what was let through: 241 cannot happen, whoever dies.
// When the row cannot give what is wanted while others hold leases, their unused units are called back, once in a window;
// from then on there is no surplus, and all 240 are usable as long as the gateways answer. Others that ask meanwhile wait
// for the units that are on their way. An asker that dies during its recall is replaced by the next one after a second.
// A question is known by its `grant_id`: asked again, it gets the same units and is charged once.
//
// The failure budget is charged before the key is looked up and returned on success. Both happen in the one statement, so
// what is left of it is: a key that is not known is charged, a known one meets no budget but its own. Every failure
// counts: a key that is not known, one without the form of a key, and none at all.
import { deriveKeys } from '#config/derive-key'
import type { ServiceContext } from '#runtime/service'
import type { ActionParams } from '#contracts/actions'
import {
  type Admission,
  type Identity,
  leaseActionOf,
  type Recall,
  type Recognition,
  type Returned,
} from '#contracts/actions/auth'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import type { Database } from '#postgres/connect'
import {
  identityVersion,
  type Known,
  listKnown,
  noteUse,
  peekUnits,
  returnUnits,
  type Taken,
  takeUnits,
  takeUsualUnits,
} from './queries.ts'
import { digestsOf, isKeyForm, matchingDigest } from '../keys/key.ts'
import { includesApi } from '../shops/plan.ts'
import { redigestKey } from '../queries.ts'

const RECALL_MS = 300 // A gateway that has not answered by then keeps its units and spends them alone.
const WAIT_MS = 700 // Longer than a recall with its two statements; then the asker takes what is there.
const WAIT_STEP_MS = 15
const TURNS_MAX = 100 // More than all steps of one admission together, so that a fault cannot turn for ever.

type Ask = ActionParams<'auth.admit'>
export type Budget = {
  /** Decides about one question of a gateway. Refuses unavailable when a recall does not come to an end. */
  admit(call: Ask): Promise<Admission>
  /** Who the keys are that are in force now, and the version of all identities. */
  recognise(keyIds: string[]): Promise<Recognition>
  /** Takes units back that a gateway holds and may not keep. */
  giveBack(keyId: string, windowId: string, units: number): Promise<void>
}

export function openBudget(context: ServiceContext, db: Database): Budget {
  const { requestsPerMinute, authFailuresPerMinute } = context.settings
  const peppers = deriveKeys(context.settings, 'api-key')

  return {
    async admit(call) {
      const digests = isKeyForm(call.key) ? digestsOf(call.key, peppers) : []
      // Who only asks whether a key is still what it was meets no lock and leaves nothing behind.
      const seen =
        call.want === 0 && digests.length > 0 ? await peekUnits(db, { digests, grantId: call.grant_id }) : null
      if (seen !== null) return settled(seen, call, digests)
      const usual =
        call.want > 0 && digests.length > 0 ? await takeUsualUnits(db, statementOf(call, digests, false)) : null
      if (usual !== null) {
        if (usual.unnoted) noteLater(usual)
        return settled(usual, call, digests)
      }
      const waitUntil = performance.now() + WAIT_MS
      for (let turn = 0; turn < TURNS_MAX; turn += 1) {
        const taken = await takeUnits(db, statementOf(call, digests, performance.now() >= waitUntil))
        if (taken.key_id === null) return failureOf(taken)
        if (taken.step === 'given') return settled(taken, call, digests)
        if (taken.step === 'recall') await recall(taken)
        if (taken.step === 'wait') await pause(WAIT_STEP_MS)
      }
      throw refuse('unavailable', 'The budget of this key cannot be settled right now.', { retry_after_s: 1 })
    },
    async recognise(keyIds) {
      const version = await identityVersion(db.reads) // Before the identities: they are of this version or a later one.
      return { version, identities: keyIds.length === 0 ? [] : (await listKnown(db, keyIds)).map(identityOf) }
    },
    giveBack: (keyId, windowId, units) => returnUnits(db, keyId, windowId, units, false),
  }

  async function settled(taken: Taken, call: Ask, digests: Buffer[]): Promise<Admission> {
    const matched = matchingDigest(taken.digest, digests)
    if (matched === -1) throw new Error('The key that was found is not the one that was looked for.')
    if (matched > 0) await moveToNewestPepper(taken, digests)
    return answerOf(taken, call, requestsPerMinute)
  }

  // A caller waits neither for this row nor for the disk. What fails here is noted with the next window.
  function noteLater({ shop_id, key_id }: Taken): void {
    noteUse(db, shop_id, key_id).catch((error: unknown) =>
      context.log.warn({ error }, 'the use of a key was not noted'),
    )
  }

  function statementOf(call: Ask, digests: Buffer[], settle: boolean) {
    return {
      digests,
      source: call.source,
      failuresMax: authFailuresPerMinute,
      grantId: call.grant_id,
      want: call.want,
      exact: call.exact,
      node: call.node,
      settle,
      unitsMax: requestsPerMinute,
      sliceMax: limits.leaseUnitsMax,
      sliceAloneMax: limits.leaseAloneUnitsMax,
      windowMs: limits.windowS * 1_000,
    }
  }

  async function recall({ key_id, window_id, grant_ids, others }: Taken): Promise<void> {
    const question: Recall = { key_id, window_id, grant_ids }
    const answers = await Promise.allSettled(
      others.map((node) => context.callNode(leaseActionOf(node), question, RECALL_MS)),
    )
    const units = answers.map((answer) => (answer.status === 'fulfilled' ? unitsIn(answer.value) : 0))
    const silent = answers.filter((answer) => answer.status === 'rejected').length
    if (silent > 0) context.log.warn({ silent, asked: others.length }, 'gateways did not answer a recall')
    await returnUnits(
      db,
      key_id,
      window_id,
      units.reduce((sum, some) => sum + some, 0),
      true,
    )
  }

  async function moveToNewestPepper(taken: Taken, digests: Buffer[]): Promise<void> {
    const [newest] = digests
    if (newest !== undefined) await redigestKey(db, taken.shop_id, taken.key_id, taken.digest, newest)
  }
}

function answerOf(taken: Taken, call: Ask, limit: number): Admission {
  const facts = {
    window_id: taken.window_id,
    window_ms_left: taken.window_ms_left,
    left: Math.max(0, limit - taken.used),
    limit,
    recalled: taken.recalling,
    ...identityOf(taken),
  }
  if (taken.units === 0 && call.want > 0) return { decision: 'rate_limited', ...facts }
  return { decision: 'admitted', units: taken.units, ...facts }
}

function identityOf(known: Known): Identity {
  return {
    caller: {
      shopId: known.shop_id,
      keyId: known.key_id,
      canWrite: known.access === 'write',
      currency: known.currency,
      handle: known.handle,
      timeZone: known.time_zone,
      country: known.country,
    },
    plan_includes_api: includesApi(known.plan),
  }
}

function failureOf({ charged, retry_after_ms }: { charged: boolean; retry_after_ms: number }): Admission {
  return charged ? { decision: 'unauthorized' } : { decision: 'source_limited', retry_after_ms }
}

function unitsIn(answer: unknown): number {
  const { units } = answer as Returned
  if (!Number.isSafeInteger(units) || units < 0) throw new Error('A gateway returned units that are no number.')
  return units
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
