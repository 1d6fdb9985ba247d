// Owns the calling of an action from anywhere in the house: meta travels, large answers arrive whole.
// Only who works on a call is waited for at the end of a process, not who asked: Moleculer never forgets a remote call that
// timed out, and each would hold up the end by ten seconds. Who asks waits for the answer in its own stop.
import type { ServiceBroker } from 'moleculer'
import type { Bus } from './bus.ts'
import type { Ask } from './house.ts'
import type { Parts } from './large-response.ts'

/** The asking function over a broker. Errors come as the callee threw them; refuses unavailable while the bus is away. */
export function askOver(broker: ServiceBroker, parts: Parts, bus: Bus): Ask {
  return (name, params, { timeoutMs, ...meta } = {}) => {
    const options = { meta, tracking: false, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) }
    return bus.whileConnected(async () => {
      const answer = await broker.call(name, params as object, options)
      return parts.fetch(broker, answer, meta)
    })
  }
}
