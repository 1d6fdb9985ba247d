// Ends live streams whose operator may no longer see them: docs/spec/request-log.md#live-stream. Every 400 ms one question about all streams
// of the process goes to auth. A stream ends when its token or session is no longer in force, when role or shops of its operator
// have changed, and when auth has not confirmed it for 1.4 s: what cannot be checked is not shown.
import { isDeepStrictEqual } from 'node:util'
import type { Operator } from '#contracts/objects/operator'
import type { Call } from '#runtime/service'
import type { Credential } from '../access/identify.ts'

const EVERY_MS = 400
const ASK_MS = 700
const TRUSTED_MS = 1_400 // With EVERY_MS and the end of a slow reader (stream.ts) less than the 2 s within which a stream ends.

/** `confirmedAt`: when auth was asked who the operator is, by performance.now(). */
type Known = { operator: Operator; confirmedAt: number }
type Held = Known & { credential: Credential; end(): void }
export type OperatorWatch = {
  /** Calls `end` once the operator, known since `confirmedAt`, may see the stream no more; returns a function that ends the watching. */
  watch(credential: Credential | null, known: Known, end: () => void): () => void
  stop(): void
}

export function openOperatorWatch(call: Call): OperatorWatch {
  const held = new Set<Held>()
  let timer: NodeJS.Timeout | null = null
  let isAsking = false

  async function confirm(): Promise<void> {
    for (const one of held) if (performance.now() - one.confirmedAt > TRUSTED_MS) one.end()
    if (isAsking || held.size === 0) return
    isAsking = true
    const asked = Map.groupBy(held, ({ credential: { by, secret } }) => `${by} ${secret}`)
    const askedAt = performance.now()
    const secrets = [...asked.values()].flatMap(([one]) => one?.credential ?? [])
    try {
      const answer = await call('operators.confirm', { secrets }, { timeoutMs: ASK_MS })
      const { operators } = answer as { operators: (Operator | null)[] }
      for (const [at, streams] of [...asked.values()].entries()) {
        for (const one of streams) {
          if (sees(one.operator, operators[at] ?? null)) one.confirmedAt = askedAt
          else one.end()
        }
      }
    } catch {
      // Asked again, until the streams are confirmed or have ended.
    } finally {
      isAsking = false
    }
  }

  return {
    watch(credential, { operator, confirmedAt }, end) {
      if (credential === null) return () => undefined // ADMIN_TOKEN is in force as long as this process.
      const one = { credential, operator, confirmedAt, end }
      held.add(one)
      timer ??= setInterval(() => void confirm(), EVERY_MS)
      return () => {
        held.delete(one)
        if (held.size > 0 || timer === null) return
        clearInterval(timer)
        timer = null
      }
    },
    stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}

function sees(before: Operator, now: Operator | null): boolean {
  return now !== null && now.role === before.role && isDeepStrictEqual(now.shops, before.shops)
}
