// The question that a gateway asks auth about a key. An answer that arrives after the timeout is lost budget, so the question is
// asked again under the same grant id and gets the same units (docs/spec/internals.md#grant).
import type { Admission } from '#contracts/actions/auth'
import { refuse } from '#contracts/errors'
import type { Call } from '#runtime/service'

const TIMEOUT_MS = 1_500 // Longer than a recall from other gateways, which may be part of the answer.
const ATTEMPTS = 2

export type Question = { key: string; source: string; grantId: string; want: number; exact: boolean }
/** `sentAt`: the monotonic clock before the answered question was sent. */
export type Answer = { admission: Admission; sentAt: number }
export type AskAuth = (question: Question) => Promise<Answer>

/** Asks as one holder of leases. Refuses `unavailable` when no attempt was answered. */
export function authClient(nodeId: string, call: Call, clock: () => number): AskAuth {
  return async ({ key, source, grantId, want, exact }) => {
    const params = { key, source, node: nodeId, grant_id: grantId, want, exact }
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const sentAt = clock()
      // Auth's log and the metrics of the breaker tell the cause; for the caller every failure is an outage.
      const admission = await call('auth.admit', params, { timeoutMs: TIMEOUT_MS }).catch(() => null)
      if (admission !== null) return { admission: admission as Admission, sentAt }
    }
    throw refuse('unavailable', 'API keys cannot be checked right now.', { retry_after_s: 2 })
  }
}
