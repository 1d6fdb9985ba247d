// The questions that a gateway asks auth about known keys. An answer about units that arrives after the timeout is lost budget, so that
// question is asked again under the same grant id and gets the same units (docs/spec/internals.md#grant). Keys whose calls have waited
// are checked again together (docs/spec/rest-api.md#list-events): an event, a changed key or a lost connection ends thousands of
// such calls at once.
import type { Admission, Identity, Recognition } from '#contracts/actions/auth'
import { limits } from '#contracts/limits'
import type { Call } from '#runtime/service'
import { authUnavailable, openBatches } from './batches.ts'

const TIMEOUT_MS = 1_500 // Longer than a recall from other gateways, which may be part of the answer.
const ATTEMPTS = 2

export type Question = { key: string; source: string; grantId: string; want: number; exact: boolean }
/** `sentAt`: the monotonic clock before the answered question was sent. */
export type Answer = { admission: Admission; sentAt: number }
export type AuthClient = {
  /** Asks whether a call is admitted, and for units. Refuses unavailable when no attempt was answered. */
  admit(question: Question): Promise<Answer>
  /** Asks for the identity of a key; null where the key is not in force. Rejects when auth does not answer. */
  recognise(keyId: string): Promise<Identity | null>
}

/** Asks as one holder of leases. */
export function authClient(nodeId: string, call: Call, clock: () => number): AuthClient {
  const recognise = openBatches<null, Identity | null>({
    groupsMax: limits.recognisedAtOnce,
    async ask(groups) {
      const { identities } = (await call('auth.recognise', { key_ids: groups.map(({ name }) => name) })) as Recognition
      const byId = new Map(identities.map((identity) => [identity.caller.keyId, identity]))
      return groups.map(({ name, items }) => items.map(() => byId.get(name) ?? null))
    },
  })
  return {
    async admit({ key, source, grantId, want, exact }) {
      const params = { key, source, node: nodeId, grant_id: grantId, want, exact }
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const sentAt = clock()
        // Auth's log and the metrics of the breaker have the cause; for the caller every failure is an outage.
        const admission = await call('auth.admit', params, { timeoutMs: TIMEOUT_MS }).catch(() => null)
        if (admission !== null) return { admission: admission as Admission, sentAt }
      }
      throw authUnavailable()
    },
    recognise: (keyId) => recognise(keyId, null),
  }
}
