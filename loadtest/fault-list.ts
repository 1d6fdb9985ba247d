// Owns the faults: what is done to the house, and what may be seen of it. security-and-faults.md, "Faults and what must
// hold", the rows of the distributed form. Here are processes that die, leave or hang; fault-outages.ts has what they need.
import { setTimeout as pause } from 'node:timers/promises'
import type { FaultStage } from './fault-ground.ts'
import type { Bounds, Happened } from './fault-judge.ts'
import { outages } from './fault-outages.ts'
import type { Replica } from './replicas.ts'
import { serviceNames } from './stage.ts'

export type Fault = { name: string; bounds: Bounds; happen(stage: FaultStage): Promise<Happened> }
export type Plan = { natsSeconds: number; natsRestarts: number; hangSeconds: number; partitionSeconds: number }

// A killed replica takes the calls that it was working on with it; at this rate that is a handful.
const KILL: Bounds = { failedMax: 10, healthyMsMax: 6_000 }
const NOTHING: Bounds = { failedMax: 0, healthyMsMax: 0 }
// NATS goes on giving a hung replica its share: of two replicas half of the writes that need it fail, and of the reads, which
// are asked twice, a quarter. What must not be: a breaker that makes an outage of it. A save of a contact may send a mail and
// waits for 10 s.
const HANG: Bounds = {
  ...{ failedMax: null, healthyMsMax: 5_000, slowestMsMax: 11_000 },
  ...{ failedShareMax: 0.7, deadMsMax: 5_000 },
}
// A hung gateway is found out by its readiness; until then it takes calls, which wait for as long as their clients do.
const HUNG_GATEWAY: Bounds = { ...HANG, onlyItsOwn: true, slowestMsMax: 16_000 }

/** All faults in the order in which they happen. */
export function faults(plan: Plan): Fault[] {
  const gateway = (service: string) => service.endsWith('-gateway')
  return [
    ...serviceNames.map((service) => ({
      name: `kill -9 ${service}`,
      bounds: gateway(service) ? { ...KILL, onlyItsOwn: true } : KILL,
      happen: ended(service, 'SIGKILL'),
    })),
    ...serviceNames.map((service) => ({
      name: `SIGTERM ${service}`,
      bounds: NOTHING,
      happen: ended(service, 'SIGTERM'),
    })),
    { name: 'rolling restart of everything', bounds: NOTHING, happen: rolled },
    ...serviceNames.map((service) => ({
      name: `${service} hangs ${plan.hangSeconds} s`,
      bounds: gateway(service) ? HUNG_GATEWAY : HANG,
      happen: hung(service, plan.hangSeconds),
    })),
    ...outages(plan),
  ]
}

// Well from the moment of the death on: what is left must serve.
function ended(service: string, signal: 'SIGKILL' | 'SIGTERM'): Fault['happen'] {
  return async ({ replicas }) => {
    const victim = oneOf(replicas.of(service))
    const at = Date.now()
    await endAndWait(victim, signal)
    return { from: at, backAt: at, via: victim.url }
  }
}

// One replica after the other, each only when the one before is ready: what a Deployment does, less its spare pod.
async function rolled({ replicas }: FaultStage): Promise<Happened> {
  const at = Date.now()
  for (const replica of replicas.all) await endAndWait(replica, 'SIGTERM')
  return { from: at, backAt: at }
}

function hung(service: string, seconds: number): Fault['happen'] {
  return async ({ replicas }) => {
    const victim = oneOf(replicas.of(service))
    const from = Date.now()
    victim.signal('SIGSTOP')
    await pause(seconds * 1_000)
    victim.signal('SIGCONT')
    return { from, backAt: Date.now(), via: victim.url }
  }
}

async function endAndWait(replica: Replica, signal: NodeJS.Signals): Promise<void> {
  const pid = replica.pid()
  replica.signal(signal)
  await replica.ready(pid)
}

function oneOf([first]: Replica[]): Replica {
  if (first === undefined) throw new Error('There is no replica of this service.')
  return first
}
