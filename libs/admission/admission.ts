// Owns the door as a gateway holds it: who calls is found out from the request, and stays with the exchange.
// Spec: Authentication. Leases and usage live as long as the gateway; both hand back what they hold at its end.
import { setTimeout } from 'node:timers/promises'
import type { House, Opened } from '#runtime/house'
import { admit, authorizationOf } from './authenticate.ts'
import { guarded } from '#calls/breaker'
import type { GatewayContext } from '#http/exchange'
import { openLeases } from './lease.ts'
import { openSources } from '#http/client-address'
import { openUsage } from './usage.ts'

export type Door = {
  /** Finds caller and budget of a request, or refuses it. */
  admit(ctx: GatewayContext): Promise<void>
  start(): void
  stop(): Promise<void>
} & Required<Pick<Opened, 'nodeHandlers' | 'hints'>>

const HAND_BACK_MS = 1_000 // When everything ends at once, auth may be gone already.

/** The door of one process; all gateways in it share one, and so one holder of leases. */
export function openDoor(house: House): Door {
  const ask = guarded(house.ask, house.metrics)
  const nodeId = `door-of-${house.nodeId}`
  const leases = openLeases({ ask, nodeId, metrics: house.metrics })
  const usage = openUsage({ ask, nodeId })
  const sourceOf = openSources(house.settings.trustedProxies)
  const admitCall = admit(leases, usage)
  return {
    nodeHandlers: leases.nodeHandlers,
    hints: leases.hints,
    async admit({ req, state }) {
      const source = sourceOf(req.socket.remoteAddress, req.headers['x-forwarded-for'])
      const { caller, budget } = await admitCall(authorizationOf(req), source)
      state.caller = caller
      state.budget = budget
    },
    start() {
      leases.start()
      usage.start()
    },
    async stop() {
      const handedBack = Promise.all([leases.stop(), usage.stop()])
      await Promise.race([handedBack, setTimeout(HAND_BACK_MS, undefined, { ref: false })])
    },
  }
}
