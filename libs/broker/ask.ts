// Owns the calling of an action from anywhere in the house: meta travels, large answers arrive whole.
import type { ServiceBroker } from 'moleculer'
import type { Ask } from './house.ts'
import type { Parts } from './parts.ts'

/** The asking function over a broker. Errors come as the callee threw them. */
export function askOver(broker: ServiceBroker, parts: Parts): Ask {
  return async (name, params, { timeoutMs, ...meta } = {}) => {
    const options = timeoutMs === undefined ? { meta } : { meta, timeout: timeoutMs }
    const answer = await broker.call(name, params as object, options)
    return parts.fetch(broker, answer, meta)
  }
}
