// Asks auth whether keys exist, for sources that have used their failure budget up: a valid key from there is answered, and a guess
// must not cost a statement (docs/spec/security.md#auth-failure-budget). All calls that wait share one question, at most twenty of
// them are asked in a second, and keys that do not exist are remembered for a moment.
import { setTimeout as pause } from 'node:timers/promises'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import type { Call } from '#runtime/service'

const GAP_MS = 50
const TIMEOUT_MS = 1_500
const WAITING_MAX = 10 * limits.keysAtOnce
const UNKNOWN_MAX = 10_000

type Waiter = { resolve(exists: boolean): void; reject(error: unknown): void }
/** Whether a key is in force. Refuses unavailable while auth cannot be asked. */
export type KeyLookup = (key: string, digest: string) => Promise<boolean>

export function openKeyLookup(call: Call, clock: () => number): KeyLookup {
  const waiting = new Map<string, { key: string; waiters: Waiter[] }>() // By digest, as the next map.
  const unknown = new Map<string, number>() // To the end of the refusal, oldest first.
  let isAsking = false

  async function ask(): Promise<void> {
    isAsking = true
    while (waiting.size > 0) {
      const asked = [...waiting].slice(0, limits.keysAtOnce)
      for (const [digest] of asked) waiting.delete(digest)
      const keys = asked.map(([, { key }]) => key)
      const answer = await call('auth.find_keys', { keys }, { timeoutMs: TIMEOUT_MS }).catch(() => null)
      const { found = null } = (answer as { found: boolean[] } | null) ?? {}
      for (const [index, [digest, { waiters }]] of asked.entries()) {
        if (found?.[index] === false) remember(digest)
        for (const { resolve, reject } of waiters) {
          if (found === null) reject(unavailable())
          else resolve(found[index] === true)
        }
      }
      await pause(GAP_MS, undefined, { ref: false })
    }
    isAsking = false
  }

  function remember(digest: string): void {
    const oldest = unknown.size >= UNKNOWN_MAX ? unknown.keys().next().value : undefined
    if (oldest !== undefined) unknown.delete(oldest)
    unknown.delete(digest)
    unknown.set(digest, clock() + limits.identityTrustedMs)
  }

  return async (key, digest) => {
    if ((unknown.get(digest) ?? 0) > clock()) return false
    const before = waiting.get(digest)
    if (before === undefined && waiting.size >= WAITING_MAX) throw unavailable()
    const { promise, ...waiter } = Promise.withResolvers<boolean>()
    if (before === undefined) waiting.set(digest, { key, waiters: [waiter] })
    else before.waiters.push(waiter)
    if (!isAsking) void ask()
    return promise
  }
}

function unavailable() {
  return refuse('unavailable', 'API keys cannot be checked right now.', { retry_after_s: 2 })
}
