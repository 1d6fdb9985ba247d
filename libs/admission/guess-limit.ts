// Keeps guesses of keys from auth: the gateway refuses a malformed key itself, and a source that has used up its failure budget gets at
// most its share of a common question (docs/spec/security.md#auth-failure-budget). That question asks whether keys exist, at most twenty
// times a second, and keys that do not exist are remembered for a moment, so that a guess costs no statement. A valid key is never refused
// here.
import { LRUCache } from 'lru-cache'
import type { Admission } from '#contracts/actions/auth'
import { isAgentTokenForm } from '#contracts/agents/token-form'
import { isKeyForm } from '#contracts/key-form'
import { limits } from '#contracts/limits'
import type { Call } from '#runtime/service'
import { authUnavailable, openBatches } from './batches.ts'
import { openFailureBudget } from './failure-budget.ts'

const GAP_MS = 50
const TIMEOUT_MS = 1_500
const UNKNOWN_MAX = 10_000

export type Failure = Extract<Admission, { decision: 'unauthorized' | 'source_limited' }>
export type GuessLimit = {
  /** The refusal of a call with a key that is not known here, or null where auth must decide about it. */
  refusalOf(key: string, digest: string, source: string): Promise<Failure | null>
  /** Reads from an answer of auth whether the budget of the source is used up. */
  note(admission: Admission, source: string): void
}

export function openGuessLimit(options: { call: Call; failuresMax: number; clock: () => number }): GuessLimit {
  const failures = openFailureBudget(options)
  const isInForce = keyLookup(options.call, options.clock)
  return {
    async refusalOf(key, digest, source) {
      if (!isKeyForm(key) && !isAgentTokenForm(key)) return failed(await failures.fail(source))
      if (failures.waitMs(source) === 0 || (await isInForce(key, digest))) return null
      return failed(await failures.fail(source))
    },
    note(admission, source) {
      if (admission.decision === 'source_limited') failures.usedUp(source, admission.retry_after_ms)
    },
  }
}

/** Returns a function that says whether a key is in force. It refuses unavailable while auth cannot be asked. */
function keyLookup(call: Call, clock: () => number): (key: string, digest: string) => Promise<boolean> {
  const unknownUntil = new LRUCache<string, number>({ max: UNKNOWN_MAX }) // By digest.
  const lookUp = openBatches<string, boolean>({
    groupsMax: limits.keysAtOnce,
    waitingMax: 10 * limits.keysAtOnce,
    gapMs: GAP_MS,
    async ask(groups) {
      const keys = groups.map(({ items: [key = ''] }) => key)
      const answer = await call('auth.find_keys', { keys }, { timeoutMs: TIMEOUT_MS }).catch(() => null)
      if (answer === null) throw authUnavailable()
      const { found } = answer as { found: boolean[] }
      return groups.map(({ name, items }, index) => {
        if (found[index] === false) unknownUntil.set(name, clock() + limits.identityTrustedMs)
        return items.map(() => found[index] === true)
      })
    },
  })
  return async (key, digest) => (unknownUntil.get(digest) ?? 0) <= clock() && lookUp(digest, key)
}

function failed(waitMs: number): Failure {
  return waitMs > 0 ? { decision: 'source_limited', retry_after_ms: waitMs } : { decision: 'unauthorized' }
}
