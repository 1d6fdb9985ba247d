// The faults of processes in the fault table of the distributed form: a replica dies, leaves or hangs. outages.ts has those
// of NATS and PostgreSQL.
import { setTimeout as pause } from 'node:timers/promises'
import { type Cluster, isGateway, serviceNames } from '../cluster.ts'
import type { Process } from '../process.ts'
import type { Bounds, Happened } from './bounds.ts'

export type Fault = { name: string; bounds: Bounds; happen(cluster: Cluster): Promise<Happened> }

// A killed replica takes the calls that it was working on with it; at this rate that is a handful.
const KILL: Bounds = { failedMax: 10, healthyMsMax: 6_000 }
const NOTHING: Bounds = { failedMax: 0, healthyMsMax: 0 }
// NATS goes on giving a hung replica its share: of two replicas half of the writes that need it fail, and a quarter of the
// reads, which are tried twice. What must not be is a breaker that makes an outage of it. A save of a contact may send a
// mail and waits for 10 s.
const HANG: Bounds = {
  ...{ failedMax: null, healthyMsMax: 5_000, slowestMsMax: 11_000 },
  ...{ failedShareMax: 0.7, deadMsMax: 5_000 },
}
// A hung gateway is found out by its readiness; until then it takes calls, which wait for as long as their clients do.
const HUNG_GATEWAY: Bounds = { ...HANG, onlyItsOwn: true, slowestMsMax: 16_000 }

/** These faults in the order in which they happen. */
export function processFaults(hangSeconds: number): Fault[] {
  return [
    ...serviceNames.map((service) => ({
      name: `kill -9 ${service}`,
      bounds: isGateway(service) ? { ...KILL, onlyItsOwn: true } : KILL,
      happen: ended(service, 'SIGKILL'),
    })),
    ...serviceNames.map((service) => ({
      name: `SIGTERM ${service}`,
      bounds: NOTHING,
      happen: ended(service, 'SIGTERM'),
    })),
    { name: 'rolling restart of everything', bounds: NOTHING, happen: rollingRestart },
    ...serviceNames.map((service) => ({
      name: `${service} hangs ${hangSeconds} s`,
      bounds: isGateway(service) ? HUNG_GATEWAY : HANG,
      happen: hung(service, hangSeconds),
    })),
  ]
}

// Well from the moment of the death on: what is left must serve.
function ended(service: string, signal: 'SIGKILL' | 'SIGTERM'): Fault['happen'] {
  return async ({ of }) => {
    const victim = firstOf(of(service))
    const at = Date.now()
    await victim.restart(signal)
    return { from: at, backAt: at, via: victim.url }
  }
}

// One replica after the other, each only when the one before is ready: what a Deployment does, without its spare pod.
async function rollingRestart({ processes }: Cluster): Promise<Happened> {
  const at = Date.now()
  for (const process of processes) await process.restart('SIGTERM')
  return { from: at, backAt: at }
}

function hung(service: string, seconds: number): Fault['happen'] {
  return async ({ of }) => {
    const victim = firstOf(of(service))
    const from = Date.now()
    victim.signal('SIGSTOP')
    await pause(seconds * 1_000)
    victim.signal('SIGCONT')
    return { from, backAt: Date.now(), via: victim.url }
  }
}

function firstOf([first]: Process[]): Process {
  if (first === undefined) throw new Error('There is no replica of this service.')
  return first
}
