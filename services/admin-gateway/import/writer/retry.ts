// Owns the patience of an import: a batch that met an outage is sent again, a few times, a little later each time.
// That is safe because every batch is: objects are known by their keys, so what already went in is left as it is.
import { setTimeout as pause } from 'node:timers/promises'
import type { Ask } from '#runtime/house'
import { refusalCode } from '#contracts/errors'

const usualWaitsMs = [250, 1_000, 2_000, 4_000, 4_000] // Longer than a service takes to restart.

/** Asks again after an outage; refusals and, at the end, the outage itself are thrown. `signal` ends the waiting. */
export function patient(ask: Ask, signal: AbortSignal, waitsMs = usualWaitsMs): Ask {
  return async (name, params, meta) => {
    for (const waitMs of waitsMs) {
      try {
        return await ask(name, params, meta)
      } catch (error) {
        if (!isOutage(error)) throw error
        await pause(waitMs, undefined, { signal })
      }
    }
    return ask(name, params, meta)
  }
}

export function isOutage(error: unknown): boolean {
  const code = refusalCode(error)
  return code === null || code === 'server_error' || code === 'unavailable'
}
