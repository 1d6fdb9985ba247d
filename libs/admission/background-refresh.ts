// Owns the belief in who the keys in use are, without their calls: a gateway asks auth in good time. One question says whether
// any identity has changed at all; only where one has, or a key is new here, the keys themselves are asked about.
// Spec: Authentication, rules 3 and 5. What a version is: services/auth/migrations/0002-create-identity-versions.ts.
import type { Call } from '#runtime/service'
import type { Recognition } from '#contracts/admission'
import { limits } from '#contracts/limits'
import { confirm, confirmUnchanged, type HeldKey } from './cached-key.ts'

/** How often it is asked; two questions may be lost before a belief ends. */
export const CONFIRM_MS = 500
const IN_USE_MS = 5_000 // A key that was not used for so long is not asked about itself any more.
// That nothing has changed is believed of it for longer, since it costs no question of its own: who calls once in a while, a
// minute's units in hand, then waits for nobody.
const REMEMBERED_MS = limits.windowS * 1_000

/** `takenAt`: when it was last used. `hints`: an answer that was on its way when a hint came is not believed. */
export type InUse = { held: HeldKey; takenAt: number; hints: number }

/**
 * Gives a function that asks about those of the keys that were used of late. What is not confirmed in time is asked about by
 * its next call, so a question that fails needs no more than to end.
 */
export function believing(call: Call, clock: () => number): (keys: () => Iterable<InUse>) => Promise<void> {
  return async (keys) => {
    const sentAt = clock()
    const isBelieved = ({ held, takenAt }: InUse, now: number) =>
      takenAt > sentAt - REMEMBERED_MS && held.believedUntil > now
    const isInUse = ({ takenAt }: InUse) => takenAt > sentAt - IN_USE_MS
    let known = 0
    const unsure: InUse[] = []
    for (const key of keys()) {
      if (!isBelieved(key, sentAt)) continue
      if (key.held.version !== null) known += 1
      else if (isInUse(key) && unsure.length < limits.recognisedAtOnce) unsure.push(key)
    }
    if (known + unsure.length === 0) return
    const version = await askAbout(unsure.splice(0)).catch(() => null)
    const answeredAt = clock()
    // A hint or an answer that came meanwhile has ended the belief, or begun another one, which this leaves as it is.
    for (const key of keys()) {
      if (!isBelieved(key, answeredAt) || (version !== null && confirmUnchanged(key.held, version, sentAt))) continue
      if (isInUse(key)) unsure.push(key)
    }
    while (unsure.length > 0) await askAbout(unsure.splice(0, limits.recognisedAtOnce)).catch(() => null)
  }

  // Gives the version of auth's identities; null from an auth that knows none.
  async function askAbout(batch: InUse[]): Promise<number | null> {
    const sentAt = clock()
    const asked = batch.map(asAsked)
    const question = { key_ids: asked.map(({ keyId }) => keyId) }
    const answer = (await call('auth.recognise', question, { timeoutMs: CONFIRM_MS })) as Recognition
    const version = answer.version ?? null
    const byId = new Map(answer.identities.map((identity) => [identity.caller.keyId, identity]))
    for (const one of asked) {
      if (isAsAsked(one) && one.key.held.believedUntil < sentAt + limits.identityMs)
        confirm(one.key.held, byId.get(one.keyId), version, sentAt)
    }
    return version
  }
}

// What a key was when it was asked about: after a hint or for another key the answer is of no use any more.
type Asked = { key: InUse; keyId: string; hints: number }

function asAsked(key: InUse): Asked {
  return { key, keyId: keyIdOf(key.held), hints: key.hints }
}

function isAsAsked({ key, keyId, hints }: Asked): boolean {
  return key.hints === hints && keyIdOf(key.held) === keyId
}

function keyIdOf({ facts }: HeldKey): string {
  return facts?.caller.keyId ?? ''
}
