// Background refresh of cached API keys, so that a key in use needs no call of its own to stay valid
// (docs/spec/internals.md#cached-keys). One question asks for the version of all identities. Only where it has changed, or where a
// key is new here, auth is asked about the keys themselves.
import type { Recognition } from '#contracts/actions/auth'
import { limits } from '#contracts/limits'
import type { Call } from '#runtime/service'
import { type CachedKey, confirmIdentity, confirmVersion } from './cached-key.ts'

/** How often auth is asked; an identity stays valid when two questions in a row are lost. */
export const REFRESH_MS = 500
// How long after its last call auth is asked about a key itself.
const IN_USE_MS = 5_000
// How long after its last call a key is confirmed by the version, which costs no question of its own: a caller that comes every
// thirty seconds then waits for no answer of auth.
const REMEMBERED_MS = limits.windowS * 1_000

/** `usedAt`: the last call. `changes`: how often auth has said that the identity changed. */
export type RefreshedKey = { cached: CachedKey; usedAt: number; changes: number }

/**
 * Gives a function that refreshes those of the keys that were used lately. A key that is not refreshed in time is asked about by
 * its next call, so a lost question needs no other handling.
 */
export function backgroundRefresh(
  call: Call,
  clock: () => number,
): (keys: () => Iterable<RefreshedKey>) => Promise<void> {
  return async (keys) => {
    const sentAt = clock()
    const isValid = ({ cached, usedAt }: RefreshedKey, now: number) =>
      usedAt > sentAt - REMEMBERED_MS && cached.identityValidUntil > now
    const isInUse = ({ usedAt }: RefreshedKey) => usedAt > sentAt - IN_USE_MS
    let known = 0
    const unconfirmed: RefreshedKey[] = []
    for (const key of keys()) {
      if (!isValid(key, sentAt)) continue
      if (key.cached.identityVersion !== null) known += 1
      else if (isInUse(key) && unconfirmed.length < limits.recognisedAtOnce) unconfirmed.push(key)
    }
    if (known + unconfirmed.length === 0) return
    const version = await askAbout(unconfirmed.splice(0)).catch(() => null)
    const answeredAt = clock()
    // Where an event or an answer of a call came in the meantime, it wins: the key is expired or valid for longer already.
    for (const key of keys()) {
      if (!isValid(key, answeredAt) || (version !== null && confirmVersion(key.cached, version, sentAt))) continue
      if (isInUse(key)) unconfirmed.push(key)
    }
    while (unconfirmed.length > 0) await askAbout(unconfirmed.splice(0, limits.recognisedAtOnce)).catch(() => null)
  }

  // Resolves to the version of auth's identities.
  async function askAbout(batch: RefreshedKey[]): Promise<number> {
    const sentAt = clock()
    const asked = batch.map((key) => ({ key, keyId: keyIdOf(key.cached), changes: key.changes }))
    const params = { key_ids: asked.map(({ keyId }) => keyId) }
    const answer = await call('auth.recognise', params, { timeoutMs: REFRESH_MS })
    const { version, identities } = answer as Recognition
    const byId = new Map(identities.map((identity) => [identity.caller.keyId, identity]))
    for (const { key, keyId, changes } of asked) {
      // After an event, or where the entry holds another key by now, the answer is out of date.
      const isCurrent = key.changes === changes && keyIdOf(key.cached) === keyId
      if (isCurrent && key.cached.identityValidUntil < sentAt + limits.identityTrustedMs)
        confirmIdentity(key.cached, byId.get(keyId), version, sentAt)
    }
    return version
  }
}

function keyIdOf({ facts }: CachedKey): string {
  return facts?.caller.keyId ?? ''
}
