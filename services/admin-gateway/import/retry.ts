// Calls of an import that outlast an outage.
import { setTimeout as sleep } from 'node:timers/promises'
import { isServerFault } from '#contracts/errors'
import type { Call } from '#runtime/service'

/** Calls again after an outage; throws refusals, and the outage after the last retry. `signal` ends the delays. */
export function withRetry(call: Call, signal: AbortSignal, delaysMs: readonly number[]): Call {
  return async (name, params, meta) => {
    signal.throwIfAborted()
    for (const delayMs of delaysMs) {
      try {
        return await call(name, params, meta)
      } catch (error) {
        if (!isServerFault(error)) throw error
        await sleep(delayMs, undefined, { signal })
      }
    }
    return call(name, params, meta)
  }
}
