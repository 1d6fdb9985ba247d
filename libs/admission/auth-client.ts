// Owns the one question that a gateway asks auth about a key, and its repetition.
// Spec: Authentication, rules 1 and 2. design/speed.md 2.2: an answer that comes after the asker has given up is lost
// budget, so the question is asked again under the same grant id and gets the same units.
import type { Call } from '#runtime/service'
import type { Admission } from '#contracts/admission'
import { refuse } from '#contracts/errors'

const ASK_MS = 1_500 // Longer than a recall of other gateways, which may be part of the answer.
const ATTEMPTS = 2

export type Question = { key: string; source: string; grantId: string; want: number; exact: boolean }
/** `sentAt`: the monotonic clock before the question left that was answered. */
export type Answer = { admission: Admission; sentAt: number }
export type AskAuth = (question: Question) => Promise<Answer>

/** The asking function of one holder of leases. It refuses unavailable when no attempt was answered. */
export function askAuthAs(nodeId: string, call: Call, clock: () => number): AskAuth {
  return async ({ key, source, grantId, want, exact }) => {
    const params = { key, source, node: nodeId, grant_id: grantId, want, exact }
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const sentAt = clock()
      // Why it failed, auth's log and the breaker's metrics tell; to the caller it is an outage in any case.
      const admission = await call('auth.admit', params, { timeoutMs: ASK_MS }).catch(() => null)
      if (admission !== null) return { admission: admission as Admission, sentAt }
    }
    throw refuse('unavailable', 'API keys cannot be checked right now.', { retry_after_s: 2 })
  }
}
