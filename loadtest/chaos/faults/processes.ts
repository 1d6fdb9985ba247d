// A replica dies, leaves or hangs: what clients may see of it.
import { setTimeout as sleep } from 'node:timers/promises'
import { isGateway, serviceNames } from '../../cluster.ts'
import type { Bounds } from '../../judge/calls.ts'
import type { Process } from '../../process.ts'
import { type Fault, firstOf } from '../scene.ts'

// A killed replica takes the calls that it was working on with it; at this rate that is a handful.
const KILL: Bounds = { failedMax: 10, healthyMsMax: 6_000 }
export const NOTHING: Bounds = { failedMax: 0, healthyMsMax: 0 }
// NATS sends a hung replica its share until it has noticed. Until then reads, and commands under an Idempotency-Key, are asked again
// elsewhere; of the saves of contacts, which come without one, half fail. A hung gateway accepts calls until the balancer has noticed.
const HANG: Bounds = {
  failedMax: null,
  healthyMsMax: 5_000,
  slowestMsMax: 6_000,
  readsFailedShareMax: 0.01,
  commandsFailedShareMax: 0.15,
  deadMsMax: 5_000,
  withoutItsOwn: true,
}

/** These faults in the order in which they happen. */
export function processFaults(hangSeconds: number): Fault[] {
  const ofEach = (fault: (service: string) => Fault) => serviceNames.map(fault)
  return [
    ...ofEach((service) => ({
      name: `kill -9 ${service}`,
      bounds: isGateway(service) ? { ...KILL, onlyItsOwn: true } : KILL,
      happen: (act) => end(firstOf(act, service), 'SIGKILL'),
    })),
    ...ofEach((service) => ({
      name: `SIGTERM ${service}`,
      bounds: NOTHING,
      happen: (act) => end(firstOf(act, service), 'SIGTERM'),
    })),
    {
      name: 'rolling restart of everything',
      bounds: NOTHING,
      // One replica after the other, each only when the one before is ready: what a Deployment does, without its spare pod.
      async happen({ cluster }) {
        const backAt = Date.now()
        for (const process of cluster.processes) await process.restart('SIGTERM')
        return { backAt }
      },
    },
    ...ofEach((service) => ({
      name: `${service} hangs ${hangSeconds} s`,
      bounds: HANG,
      happen: (act) => hang([firstOf(act, service)], hangSeconds),
    })),
    {
      name: `one of each service hangs ${hangSeconds} s`,
      bounds: HANG,
      happen: (act) =>
        hang(
          serviceNames.map((service) => firstOf(act, service)),
          hangSeconds,
        ),
    },
  ]
}

async function hang(victims: Process[], hangSeconds: number) {
  for (const victim of victims) victim.signal('SIGSTOP')
  await sleep(hangSeconds * 1_000)
  for (const victim of victims) victim.signal('SIGCONT')
  return { backAt: Date.now(), via: victims.map(({ url }) => url) }
}

// Well from the moment of the death on: the other replicas must serve.
async function end(victim: Process, signal: 'SIGKILL' | 'SIGTERM') {
  const backAt = Date.now()
  await victim.restart(signal)
  return { backAt, via: [victim.url] }
}
