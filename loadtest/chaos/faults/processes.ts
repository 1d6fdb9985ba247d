// A replica dies, leaves or hangs: what clients may see of it.
import { setTimeout as sleep } from 'node:timers/promises'
import { isGateway, serviceNames } from '../../cluster.ts'
import type { Bounds } from '../../judge/calls.ts'
import type { Process } from '../../process.ts'
import { type Fault, firstOf } from '../scene.ts'

// A killed replica takes the calls that it was working on with it; at this rate that is a handful.
const KILL: Bounds = { failedMax: 10, healthyMsMax: 6_000 }
export const NOTHING: Bounds = { failedMax: 0, healthyMsMax: 0 }
// NATS goes on sending a hung replica its share: of two replicas half of the writes that need it fail, and a quarter of the
// reads, which are tried twice. A breaker must not turn this into an outage. A save of a contact may send a
// mail and waits for 10 s.
const HANG: Bounds = {
  failedMax: null,
  healthyMsMax: 5_000,
  slowestMsMax: 11_000,
  failedShareMax: 0.7,
  deadMsMax: 5_000,
}
// Readiness shows a hung gateway; until then it accepts calls, which wait for as long as their clients do.
const HUNG_GATEWAY: Bounds = { ...HANG, onlyItsOwn: true, slowestMsMax: 16_000 }

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
      bounds: isGateway(service) ? HUNG_GATEWAY : HANG,
      async happen(act) {
        const victim = firstOf(act, service)
        victim.signal('SIGSTOP')
        await sleep(hangSeconds * 1_000)
        victim.signal('SIGCONT')
        return { backAt: Date.now(), via: victim.url }
      },
    })),
  ]
}

// Well from the moment of the death on: the other replicas must serve.
async function end(victim: Process, signal: 'SIGKILL' | 'SIGTERM') {
  const backAt = Date.now()
  await victim.restart(signal)
  return { backAt, via: victim.url }
}
