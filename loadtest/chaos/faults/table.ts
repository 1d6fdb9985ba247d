// The table of faults, in the order in which they happen.
import type { Fault } from '../scene.ts'
import { badReceiverFaults } from './bad-receivers.ts'
import { changeFaults } from './changes.ts'
import { deaths } from './deaths.ts'
import { processFaults } from './processes.ts'
import { receiverFaults } from './receivers.ts'
import { relayFaults } from './relays.ts'
import { type Plan, serverFaults, serverFaultsOfWebhooks } from './servers.ts'

/** What clients may notice. */
export function clientFaults(plan: Plan & { 'hang-seconds': number }): Fault[] {
  return [...processFaults(plan['hang-seconds']), ...serverFaults(plan)]
}

/** What concerns the events of orders and their deliveries. */
export const webhookFaults: Fault[] = [
  ...[...deaths, ...relayFaults, ...serverFaultsOfWebhooks],
  ...[...receiverFaults, ...badReceiverFaults, ...changeFaults],
]
