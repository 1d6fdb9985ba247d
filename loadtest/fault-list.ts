// Owns the faults: what is done to the house, and what may be seen of it. security-and-faults.md, "Faults and what must
// hold", the rows of the distributed form. Each gives the moment from which all must become well again.
import type { Bounds } from './fault-judge.ts'
import type { Stage } from './stage.ts'
import { serviceNames } from './stage.ts'

export type Fault = { name: string; bounds: Bounds; happen(stage: Stage): Promise<number> }
type Plan = { natsSeconds: number; natsRestarts: number }

// A killed replica takes the calls that it was working on with it; at this rate that is a handful.
const KILL: Bounds = { failedMax: 10, healthyMsMax: 6_000 }
const NOTHING: Bounds = { failedMax: 0, healthyMsMax: 0 }
const OUTAGE: Bounds = { failedMax: null, healthyMsMax: 5_000 }

/** All faults in the order in which they happen. */
export function faults({ natsSeconds, natsRestarts }: Plan): Fault[] {
  return [
    ...serviceNames.map((service) => ({ name: `kill -9 ${service}`, bounds: KILL, happen: killed(service) })),
    ...serviceNames.map((service) => ({ name: `SIGTERM ${service}`, bounds: NOTHING, happen: ended(service) })),
    { name: 'rolling restart of everything', bounds: NOTHING, happen: rolled },
    { name: `NATS stopped ${natsSeconds} s`, bounds: OUTAGE, happen: natsAway(natsSeconds) },
    { name: `NATS restarted ${natsRestarts} times`, bounds: OUTAGE, happen: natsAgain(natsRestarts) },
    { name: 'PostgreSQL restarted', bounds: OUTAGE, happen: databaseKilled },
  ]
}

function killed(service: string): Fault['happen'] {
  return async ({ replicas }) => {
    const [victim] = replicas.of(service)
    const at = Date.now()
    const pid = victim?.pid()
    victim?.signal('SIGKILL')
    await victim?.ready(pid)
    return at
  }
}

function ended(service: string): Fault['happen'] {
  return async ({ replicas }) => {
    const [victim] = replicas.of(service)
    const at = Date.now()
    const pid = victim?.pid()
    victim?.signal('SIGTERM')
    await victim?.ready(pid)
    return at
  }
}

// One replica after the other, each only when the one before is ready: what a Deployment does, less its spare pod.
async function rolled({ replicas }: Stage): Promise<number> {
  const at = Date.now()
  for (const replica of replicas.all) {
    const pid = replica.pid()
    replica.signal('SIGTERM')
    await replica.ready(pid)
  }
  return at
}

function natsAway(seconds: number): Fault['happen'] {
  return async ({ nats }) => {
    await nats.stop()
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
    await nats.start()
    return Date.now()
  }
}

function natsAgain(times: number): Fault['happen'] {
  return async ({ nats }) => {
    for (let time = 0; time < times; time += 1) {
      await nats.stop()
      await nats.start()
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    return Date.now()
  }
}

async function databaseKilled({ killDatabase }: Stage): Promise<number> {
  killDatabase()
  return Date.now()
}
