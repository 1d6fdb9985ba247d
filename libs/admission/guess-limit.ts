// Keeps guesses of keys from auth: a text that is no key is refused by the gateway, and a source that has used its failure budget up
// gets at most its share of a common question (docs/spec/security.md#auth-failure-budget). A valid key is never refused here.
import type { Admission } from '#contracts/actions/auth'
import { isKeyForm } from '#contracts/key-form'
import type { Call } from '#runtime/service'
import { openFailureBudget } from './failure-budget.ts'
import { openKeyLookup } from './key-lookup.ts'

export type Failure = Extract<Admission, { decision: 'unauthorized' | 'source_limited' }>
export type GuessLimit = {
  /** The refusal of a call with a key that is not known here, or null where auth must decide about it. */
  refusalOf(key: string, digest: string, source: string): Promise<Failure | null>
  /** Takes in what auth says of a key and a source. */
  note(admission: Admission, source: string): void
}

export function openGuessLimit(options: { call: Call; failuresMax: number; clock: () => number }): GuessLimit {
  const failures = openFailureBudget(options)
  const isInForce = openKeyLookup(options.call, options.clock)
  return {
    async refusalOf(key, digest, source) {
      if (!isKeyForm(key)) return failed(await failures.fail(source))
      if (failures.waitMs(source) === 0 || (await isInForce(key, digest))) return null
      return failed(await failures.fail(source))
    },
    note(admission, source) {
      if (admission.decision === 'source_limited') failures.usedUp(source, admission.retry_after_ms)
    },
  }
}

function failed(waitMs: number): Failure {
  return waitMs > 0 ? { decision: 'source_limited', retry_after_ms: waitMs } : { decision: 'unauthorized' }
}
