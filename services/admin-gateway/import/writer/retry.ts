// Owns the patience of an import: a batch that met an outage is sent again, a few times, a little later each time.
// That is safe because every batch is: objects are known by their keys, so what already went in is left as it is.
import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from '#runtime/service'
import { refusalCode } from '#contracts/errors'

const usualWaitsMs = [250, 1_000, 2_000, 4_000, 4_000] // Longer than a service takes to restart.

/** Asks again after an outage; refusals and, at the end, the outage itself are thrown. `signal` ends the waiting. */
export function patient(call: Call, signal: AbortSignal, waitsMs = usualWaitsMs): Call {
  return async (name, params, meta) => {
    for (const waitMs of waitsMs) {
      try {
        return await call(name, params, meta)
      } catch (error) {
        if (!isOutage(error)) throw error
        await pause(waitMs, undefined, { signal })
      }
    }
    return call(name, params, meta)
  }
}

export function isOutage(error: unknown): boolean {
  const code = refusalCode(error)
  return code === null || code === 'server_error' || code === 'unavailable'
}
