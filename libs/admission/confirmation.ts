// Checks keys again whose calls have waited (docs/spec/rest-api.md#list-events). One question is under way at a time, for all
// calls that end until it is sent: an event, a changed key or a lost connection ends thousands of them at once.
import type { Identity, Recognition } from '#contracts/actions/auth'
import { limits } from '#contracts/limits'
import type { Call } from '#runtime/service'

type Question = { keyIds: Set<string>; identities: Promise<Map<string | null | undefined, Identity>> }

/** Gives a function that asks auth for the identity of a key; null where the key is not in force. It rejects when auth does not answer. */
export function openConfirmation(call: Call): (keyId: string) => Promise<Identity | null> {
  let next: Question | null = null
  let last: Promise<unknown> = Promise.resolve()

  function question(): Question {
    const keyIds = new Set<string>()
    const identities = last.then(async () => {
      if (next?.keyIds === keyIds) next = null
      const answer = (await call('auth.recognise', { key_ids: [...keyIds] })) as Recognition
      return new Map(answer.identities.map((identity) => [identity.caller.keyId, identity]))
    })
    last = identities.catch(() => undefined)
    return { keyIds, identities }
  }

  return async (keyId) => {
    if (next === null || next.keyIds.size >= limits.recognisedAtOnce) next = question()
    next.keyIds.add(keyId)
    return (await next.identities).get(keyId) ?? null
  }
}
